"""A server of its own for the browser tests, and pages of it whose faults are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .service import running_service

WAIT_MS = 45_000
WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}

# Streamlit asks for these below each deep link, and does without them.
EXPECTED = ("_stcore/health", "_stcore/host-config")


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, chromium: dict[str, Any]) -> Iterator[str]:
    """The address of a running service; asks for Chromium so that it is not started in vain."""
    with running_service(tmp_path_factory.mktemp("service")) as address:
        yield address


@pytest.fixture
def visit(browser: Any, served: str) -> Iterator[Callable[..., Any]]:
    """Open a path as a new visitor, and wait until frames come; tells every fault of the page."""
    contexts, faults = [], []

    def go(path: str, *, ready: bool = True, before: Any = None, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": WIDE, "base_url": served, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: faults.append(f"{error}"))
        page.on("console", lambda said: _note(said, faults))
        if before is not None:
            before(page)
        page.goto(path)
        if ready:
            page.wait_for_function("window.pddTwin?.frames > 3")
        return page

    go.faults = faults  # a test may expect some
    yield go
    for context in contexts:
        context.close()
    assert faults == []


def _note(said: Any, faults: list[str]) -> None:
    place = said.location.get("url", "")
    refused = "status of 422" in said.text  # what is refused is told on the page
    if said.type == "error" and not refused and not any(part in place for part in EXPECTED):
        faults.append(f"{said.text} at {place}")
