"""Pages as Streamlit runs them, against a running service."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parent / "one_page.py"


class Opened:
    """A page that was opened: its widgets, and what our own parts were given to draw."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def run(self) -> Opened:
        """Run the page once more; nothing may fail."""
        self.app.run()
        assert not self.app.exception, self.app.exception
        return self

    def drawn(self, kind: str) -> list[dict[str, Any]]:
        """The data of every part of a kind, such as "table", in order."""
        every = [json.loads(one.proto.json) for one in self.app.get("bidi_component")]
        return [one for one in every if one.get("widget") == kind]

    def study(self, slot: str) -> dict[str, Any]:
        """How a study stands on the page."""
        return next(one for one in self.drawn("study") if one["slot"] == slot)

    def answered(self, slot: str) -> Opened:
        """Run until a study has ended; what a browser would do when it hears of it."""
        from web.ui import service

        while self.study(slot)["status"] == "running":
            for _ in service.client().run_events(self.study(slot)["run"]):
                pass
            self.run()
        return self


@pytest.fixture
def open_page(server: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Opened]:
    """Opens `show` of a file in `views/`: `open_page("compare", d3__line__bandwidth_gbps="25")`."""
    from streamlit.testing.v1 import AppTest

    def go(name: str, server_: Any = server, **address: str) -> Opened:
        monkeypatch.setenv("PDD_TWIN_PORT", str(server_.settings.port))
        app = AppTest.from_file(str(SCRIPT), default_timeout=60)
        app.session_state["view"] = name
        for key, value in address.items():
            app.query_params[key.replace("__", ".")] = value
        return Opened(app).run()

    return go
