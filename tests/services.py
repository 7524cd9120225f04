"""The services some tests need: Chromium, Prometheus, PostgreSQL; found, or told missing.

A test asks by marker (`@pytest.mark.prometheus`) or by fixture (`chromium`, `browser`,
`postgresql`, `prometheus`). Where the service is missing the test is skipped, and the end of the
output says so in one loud line each. In CI (where the variable CI is set) no test may skip,
whatever its reason.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.postgres import PostgresServer, running_server

POSTGRESQL_FOLDERS = ("/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt")
"""Where packages keep the server's programs, which are on no path."""

CHROMIUM_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
)


@dataclass(frozen=True)
class Service:
    """A program outside Python that some tests need, by its field's name and its Debian package."""

    name: str
    title: str
    package: str
    programs: tuple[str, ...]
    folders: tuple[str, ...] = ()

    def find(self) -> Path | None:
        """The program, from the newest of its folders or else from the path."""
        for folder in self.folders:
            found = sorted(Path(folder).glob(f"*/bin/{self.programs[0]}"), key=_version)
            if found:
                return found[-1]
        for program in self.programs:
            if on_path := shutil.which(program):
                return Path(on_path)
        return None

    def missing(self) -> str:
        """The sentence for a person whose machine lacks it."""
        return (
            f"{self.title} is not installed (on Debian and Ubuntu: apt-get install {self.package})"
        )


def _version(program: Path) -> tuple[int, ...]:
    """The version in a path like .../15/bin/initdb or .../postgresql@15/bin/initdb."""
    digits = program.parent.parent.name.rpartition("@")[2]
    return tuple(int(part) for part in digits.split(".") if part.isdigit())


SERVICES = {
    service.name: service
    for service in (
        Service(
            "chromium",
            "Chromium",
            "chromium",
            ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome"),
        ),
        Service("prometheus", "Prometheus", "prometheus", ("prometheus",)),
        Service("postgresql", "PostgreSQL", "postgresql", ("initdb",), POSTGRESQL_FOLDERS),
    )
}

LEFT_OUT = pytest.StashKey[dict[str, set[str]]]()


def in_ci() -> bool:
    """Whether this is a run of CI, where everything is there and nothing may skip."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false", "no")


def need(request: pytest.FixtureRequest | pytest.Item, name: str) -> Path:
    """The program of a service; skips the test where it is missing, and has that told loudly."""
    service = SERVICES[name]
    program = service.find()
    if program is None:
        node = request if isinstance(request, pytest.Item) else request.node
        node.config.stash[LEFT_OUT].setdefault(name, set()).add(node.nodeid)
        pytest.skip(service.missing())
    return program


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LEFT_OUT] = {}
    for service in SERVICES.values():
        config.addinivalue_line("markers", f"{service.name}: needs {service.title}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that asks by fixture is marked too, so that `-m "not chromium"` leaves it out."""
    for item in items:
        for name in SERVICES:
            asked = getattr(item, "fixturenames", ())
            if name in asked or (name == "chromium" and "browser" in asked):
                item.add_marker(name)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for name in SERVICES:
        if item.get_closest_marker(name):
            need(item, name)


def _no_skip_in_ci(report: Any) -> None:
    if in_ci() and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"In CI no test may skip. {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    report = yield
    _no_skip_in_ci(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    report = yield
    _no_skip_in_ci(report)
    return report


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for name, tests in sorted(config.stash[LEFT_OUT].items()):
        count = f"{len(tests)} test{'s' if len(tests) > 1 else ''}"
        terminalreporter.write_line(
            f"NOT TESTED: {count} left out: {SERVICES[name].missing()}", yellow=True, bold=True
        )


@pytest.fixture(scope="session")
def chromium(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What Playwright's `chromium.launch(**chromium)` needs to start the system's own browser."""
    return {
        "executable_path": str(need(request, "chromium")),
        "args": list(CHROMIUM_FLAGS),
    }


@pytest.fixture(scope="module")
def browser(chromium: dict[str, Any]) -> Iterator[Any]:
    """A running browser; of one module, since Playwright holds the thread's event loop."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(**chromium)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def prometheus(request: pytest.FixtureRequest) -> Path:
    """The program of Prometheus."""
    return need(request, "prometheus")


@pytest.fixture(scope="session")
def postgresql(request: pytest.FixtureRequest) -> Iterator[PostgresServer]:
    """A server of its own on a free loopback port, empty, gone at the end of the session."""
    initdb = need(request, "postgresql")
    with running_server(initdb.parent) as server:
        yield server
