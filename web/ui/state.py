"""The values of a page's controls: kept in the address, with reset and undo.

The address is what counts: it is read when it was changed by a link or by going back, and written
anew on every run, for Streamlit drops it when a page is left. The session only remembers. While
something is dragged the address rests, for each writing is an entry of the browser's history.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from .address import in_words, read_value, value_like

MOST_UNDONE = 50

MOST_NUMBER = 1e6
"""Of a number from an address whose default is small."""

ECHO_S = 4.0
"""So long after it was written an address may still come back from a browser that is behind."""

Values = dict[str, Any]


def _absurd(value: Any, like: Any) -> bool:
    """Whether a number is far beyond anything a control could give: it may take all memory."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    usual = abs(like) if isinstance(like, int | float) else 0.0
    return not abs(value) <= max(MOST_NUMBER, 1000.0 * usual)


def forget(page: str) -> None:
    """Everything on a page as it was published, whatever its address says."""
    st.session_state.pop(f"state of {page}", None)
    st.query_params.clear()


class PageState:
    """The controls of the page `page`; make one at the start of each run.

    `defaults` are the values by name, numbers, switches, texts or lists of numbers. `more` tells
    which other names the page takes from an address, and as what: it gives a value of that kind,
    or None for a name that is not known.
    """

    def __init__(
        self, page: str, defaults: Mapping[str, Any], more: Callable[[str], Any] = lambda _: None
    ) -> None:
        self.page, self.defaults, self.more = page, dict(defaults), more
        self.kept: dict[str, Any] = st.session_state.setdefault(
            f"state of {page}", {"values": {}, "undo": [], "gesture": None, "round": 0, "wrote": []}
        )
        self.unknown: list[str] = []
        """Names in the address that mean nothing here."""
        self._read()
        self._write()

    def __getitem__(self, name: str) -> Any:
        return self.kept["values"].get(name, self.defaults.get(name))

    @property
    def changed(self) -> Values:
        """What differs from the defaults."""
        return dict(self.kept["values"])

    @property
    def held(self) -> bool:
        """Something is being dragged: what takes long had better wait."""
        return bool(self.kept.get("held"))

    def hold(self, held: bool) -> None:
        """Tell whether something is being dragged."""
        self.kept["held"] = held
        self._write()

    def key(self, name: str) -> str:
        """The key of the control of a value; a new one after a reset, so that it takes it."""
        return f"{self.page}.{name}.{self.kept['round']}"

    def put(self, name: str, value: Any, gesture: Any = None) -> None:
        """Change one value; those of one gesture are undone together."""
        self.put_all({name: value}, gesture)

    def put_all(self, values: Mapping[str, Any], gesture: Any = None) -> None:
        """Change several values at once; None takes a name away."""
        before = self.changed
        after = before | dict(values)
        after = {k: v for k, v in after.items() if v is not None and v != self.defaults.get(k)}
        if after == before:
            return
        if gesture is None or gesture != self.kept["gesture"]:
            self.kept["undo"] = [*self.kept["undo"], before][-MOST_UNDONE:]
        self.kept["gesture"] = gesture
        self.kept["values"] = after
        self._write()

    def turn(self, values: Mapping[str, Any]) -> None:
        """Change several values by a button: their controls are drawn anew with them."""
        self.put_all(values)
        self.kept["round"] += 1

    @property
    def can_undo(self) -> bool:
        """Whether something was changed in this session."""
        return bool(self.kept["undo"])

    def undo(self) -> None:
        """Take the last change back."""
        if self.kept["undo"]:
            self._become(self.kept["undo"].pop())

    def reset(self) -> None:
        """Everything as it was published; this can be undone."""
        if self.kept["values"]:
            self.kept["undo"] = [*self.kept["undo"], self.changed][-MOST_UNDONE:]
            self._become({})

    def _become(self, values: Values) -> None:
        self.kept["values"], self.kept["gesture"], self.kept["held"] = values, None, False
        self.kept["round"] += 1
        self._write()

    # --- the address

    def _read(self) -> None:
        asked = st.query_params.to_dict()
        since = time.monotonic() - ECHO_S
        self.kept["wrote"] = [(at, ours) for at, ours in self.kept["wrote"][-100:] if at > since]
        if not asked or self.held or any(asked == ours for _, ours in self.kept["wrote"]):
            return  # Streamlit has dropped it, or it is ours
        values = self._meant(asked)
        if values != self.kept["values"]:
            self._become(values)

    def _meant(self, asked: Mapping[str, str]) -> Values:
        values = {}
        for name, text in asked.items():
            like = self.defaults.get(name, self.more(name))
            value = None if like is None else read_value(text, like)
            if value is None or not value_like(value, like) or _absurd(value, like):
                self.unknown += [] if name.startswith("embed") else [name]
            elif value != self.defaults.get(name):
                values[name] = value
        return values

    def _write(self) -> None:
        if self.held:
            return
        wanted = {name: in_words(value) for name, value in self.kept["values"].items()}
        now = st.query_params.to_dict()
        if now != wanted:
            self.kept["wrote"] += [(time.monotonic(), now), (time.monotonic(), wanted)]
            st.query_params.from_dict(wanted)
