"""Public traces that lie beside a checkout; where they do not, tests on them are left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

PUBLIC_TRACES = Path(__file__).parents[3] / "shared" / "traces"

LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[LEFT_OUT] = 0
    if PUBLIC_TRACES.is_dir():
        return
    left_out = [i for i in items if "public_traces" in getattr(i, "fixturenames", ())]
    items[:] = [i for i in items if i not in left_out]
    config.hook.pytest_deselected(items=left_out)
    config.stash[LEFT_OUT] = len(left_out)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if count := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(
            f"NOT TESTED: {count} tests left out: the public traces are not in "
            "../shared/traces (beside the checkout)",
            yellow=True,
            bold=True,
        )


@pytest.fixture(scope="session")
def public_traces() -> Path:
    """The folder of public traces; a test that asks for it is left out where it is absent."""
    return PUBLIC_TRACES
