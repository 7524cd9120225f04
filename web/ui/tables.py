"""Tables on a page: readable on a phone, every cell explained, to be taken along as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from ..plain_csv import of_rows
from .components.widgets import widget
from .numbers import Kind, Role, badge
from .texts.studies import CONTROLS


@dataclass(frozen=True)
class Column:
    """A column: its name, unit, and what it means."""

    name: str
    about: str = ""
    unit: str = ""
    align: Literal["left", "right"] = "right"


@dataclass(frozen=True)
class Cell:
    """A cell: its text, and for CSV its value where that is another one.

    `lines` are the explanation on hover, under `title` (the column's name when empty); `press`
    makes it a button that tells this word.
    """

    text: str
    value: Any = None
    unit: str = ""
    note: str = ""
    lines: Sequence[str] = ()
    kind: Kind | None = None
    trend: Literal["", "better", "worse"] = ""
    press: str = ""
    title: str = ""

    def data(self) -> dict[str, Any]:
        """What the component draws."""
        return {
            "text": self.text, "unit": self.unit, "note": self.note, "lines": list(self.lines),
            "badge": badge(self.kind) if self.kind else None, "trend": self.trend,
            "press": self.press, "title": self.title,
        }  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A row; `name` is how tests find it."""

    name: str
    cells: Sequence[Cell]
    role: Role | None = None


def table(
    key: str, label: str, columns: Sequence[Column], rows: Sequence[Row], *,
    stacked: bool = False, file: str = "",
) -> str | None:  # fmt: skip
    """A table; the word of the button that was just pressed in it, if one was.

    On a phone its first column stays while the rest scrolls; `stacked` makes a card of each row
    instead. With `file`, its name without ending, it can be taken along as CSV.
    """
    data = {
        "label": label, "stacked": stacked,
        "columns": [vars(column) for column in columns],
        "rows": [
            {"name": row.name, "role": row.role, "cells": [cell.data() for cell in row.cells]}
            for row in rows
        ],
    }  # fmt: skip
    said = widget("table", key, data, ("pressed",))
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
