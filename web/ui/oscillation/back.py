"""What brings it back: every way tried on the same seed, with a button that takes it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ..numbers import DASH, number, percent
from ..state import PageState
from ..studies import basis_of
from ..tables import Cell, Column, Row, table
from ..texts.oscillation import BACK, STATES, WAYS, WAYS_ABOUT
from .choices import REMEDIES, remedy
from .verdict import points

Said = dict[str, Any]

TRENDS = {"steady": "better", "swinging": "", "collapsing": "worse"}


def back(page: PageState, now: Said, tried: Said) -> None:
    """The table of the ways back; a pressed button turns the controls."""
    if now["state"] == "steady":
        st.text(BACK["none"])
    else:
        st.text(BACK["named"].format(advice="; ".join(one["why"] for one in now["remedies"])))
    columns = [
        Column(BACK["way"], align="left"), Column(BACK["state"], align="left"),
        Column(BACK["sla"], BACK["sla_about"], "%"), Column(BACK["lag"], BACK["lag_about"]),
        Column(BACK["gain"], BACK["gain_about"]), Column(BACK["apply_column"]),
    ]  # fmt: skip
    rows = [
        Row("as_set", [_explained(BACK["as_set"]), *_cells(now, basis_of(tried)), _explained(DASH)])
    ]
    for name, said in zip(REMEDIES, tried["results"], strict=True):
        there = all(page[key] == value for key, value in remedy(page, name).items())
        lines = [WAYS_ABOUT[name]]
        button = Cell(
            BACK["is_set" if there else "apply"], press="" if there else name, lines=lines
        )
        first = Cell(WAYS[name], lines=lines)
        rows.append(Row(name, [first, *_cells(said, basis_of(tried)), button]))
    pressed = table(
        "oscillation-back", BACK["title"], columns, rows, stacked=True, file="ways-back"
    )
    if pressed is not None and pressed in REMEDIES:
        page.turn(remedy(page, pressed))
        st.rerun(scope="fragment")


def _explained(text: str) -> Cell:
    return Cell(text, lines=[BACK["as_set_about"]])


def _cells(said: Said, basis: str) -> list[Cell]:
    state, gain = STATES[said["state"]][0], said["gain"]["gain"]
    lag = said["drift"]["lag_late"]
    share = said["sla_ok_share"]
    return [
        Cell(state, lines=[said["words"], basis], trend=TRENDS[said["state"]]),  # type: ignore[arg-type]
        Cell(percent(share)[0], share, lines=[BACK["sla_about"], basis]),
        Cell(points(lag)[0], lag, points(lag)[1], lines=[BACK["lag_about"], basis]),
        Cell(number(gain), gain, lines=[BACK["gain_about"], basis]),
    ]  # fmt: skip
