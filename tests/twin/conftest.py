"""Public data beside a checkout, or in the folder PUBLIC_DATA; tests without it are left out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(os.environ.get("PUBLIC_DATA", Path(__file__).parents[3] / "shared"))

PUBLIC = {"public_traces": SHARED / "traces", "public_metrics": SHARED / "metrics"}
"""Folders by the fixture that a test asks for."""

LEFT_OUT = pytest.StashKey[dict[str, int]]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    absent = {name for name, folder in PUBLIC.items() if not folder.is_dir()}
    counts = config.stash[LEFT_OUT] = dict.fromkeys(sorted(absent), 0)
    left_out = []
    for item in items:
        for name in absent.intersection(getattr(item, "fixturenames", ())):
            counts[name] += 1
            left_out.append(item)
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for name, count in config.stash.get(LEFT_OUT, {}).items():
        if count:
            what = name.replace("_", " ")
            terminalreporter.write_line(
                f"NOT TESTED: {count} tests left out: the {what} are not in "
                f"../shared/{PUBLIC[name].name} (beside the checkout, or in PUBLIC_DATA)",
                yellow=True,
                bold=True,
            )


@pytest.fixture(scope="session")
def public_traces() -> Path:
    """The folder of public traces; a test that asks for it is left out where it is absent."""
    return PUBLIC["public_traces"]


@pytest.fixture(scope="session")
def public_metrics() -> Path:
    """The folder of public pages and recordings; likewise."""
    return PUBLIC["public_metrics"]
