"""What all tests share: the services some need, and how Hypothesis draws."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.services", "pytester"]


def pytest_configure() -> None:
    """No deadline anywhere, for a host's speed is no result; in CI the same draws each time."""
    from tests.services import in_ci

    settings.register_profile("work", deadline=None)
    settings.register_profile(
        "in_ci",
        deadline=None,
        derandomize=True,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("in_ci" if in_ci() else "work")
