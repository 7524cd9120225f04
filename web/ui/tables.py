"""Tables on a page: readable on a phone, every cell explained, to be taken along as CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from ..plain_csv import of_rows
from .components.widgets import widget
from .numbers import Kind, Role, badge
from .texts.studies import CONTROLS


@dataclass(frozen=True)
class Column:
    """A column: its name, unit, and what it means; a `whole` one never breaks its lines."""

    name: str
    about: str = ""
    unit: str = ""
    align: Literal["left", "right"] = "right"
    whole: bool = False


@dataclass(frozen=True)
class Bar:
    """A value within its band, drawn in a cell: all places are shares of the cell's width.

    The band lies from `low` to `high`, the value at `at`, with `sd` on each side of it.
    """

    low: float
    high: float
    at: float
    sd: float = 0.0
    inside: bool | None = None


@dataclass(frozen=True)
class Cell:
    """A cell: its text, and for CSV its value where that is another one.

    "press": self.press, "title": self.title,
    "bar": None if self.bar is None else vars(self.bar),
    """

    text: str
    value: Any = None
    unit: str = ""
    note: str = ""
    lines: Sequence[str] = ()
    kind: Kind | None = None
    trend: Literal["", "better", "worse"] = ""
    press: str = ""
    bar: Bar | None = None
    title: str = ""

    def data(self) -> dict[str, Any]:
        """What the component draws."""
        return {
            "text": self.text, "unit": self.unit, "note": self.note, "lines": list(self.lines),
            "badge": badge(self.kind) if self.kind else None, "trend": self.trend,
            "press": self.press, "title": self.title,
            "bar": None if self.bar is None else vars(self.bar),
        }  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A row; `name` is how tests find it. A press anywhere on it tells `press`, if there is one.

    `chosen` marks the one that is shown elsewhere; `part` a row that belongs to the one above.
    """

    name: str
    cells: Sequence[Cell]
    role: Role | None = None
    press: str = ""
    chosen: bool = False
    part: bool = False

    def data(self) -> dict[str, Any]:
        """What the component draws."""
        return {**vars(self), "cells": [cell.data() for cell in self.cells]}


def table(
    key: str, label: str, columns: Sequence[Column], rows: Sequence[Row], *,
    stacked: bool = False, file: str = "", leads: str = "",
    pressed: Callable[[], None] | None = None,
) -> str | None:  # fmt: skip
    """A table; the word of the button that was just pressed in it, if one was.

    On a phone its first column stays while the rest scrolls; `stacked` makes a card of each row
    instead. With `file`, its name without ending, it can be taken along as CSV. A press scrolls to
    the container with the key `leads`, and calls `pressed` before the page runs.
    """
    data = {
        "label": label, "stacked": stacked, "leads": leads,
        "columns": [vars(column) for column in columns],
        "rows": [row.data() for row in rows],
    }  # fmt: skip
    on = {} if pressed is None else {"pressed": pressed}
    said = widget("table", key, data, ("pressed",), **on)
    if file:
        csv_button(file, columns, rows, key)
    return said.pressed


def csv_button(file: str, columns: Sequence[Column], rows: Sequence[Row], key: str) -> None:
    """Offer a table as a file; no cell of it is taken for a formula."""

    def text() -> bytes:
        names = [f"{c.name} ({c.unit})" if c.unit else c.name for c in columns]
        told = [[c.text if c.value is None else c.value for c in row.cells] for row in rows]
        return of_rows(names, told).encode()

    st.download_button(
        CONTROLS["table"], text, f"{file}.csv", "text/csv", key=f"csv {key}", on_click="ignore",
        type="tertiary", icon=":material/download:",
    )  # fmt: skip
