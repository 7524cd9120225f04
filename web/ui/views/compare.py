"""The comparison page: two to four deployments on the same requests, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from ..compare import choices
from ..compare.capacities import capacities
from ..compare.cards import cards
from ..compare.curves import curves
from ..compare.money import waterfalls
from ..compare.side_by_side import side_by_side
from ..compare.stages import stages
from ..compare.words import sentences
from ..controls import choice, drag_slider, number_field, select, undo_and_reset
from ..heads import head, section
from ..state import PageState
from ..studies import study
from ..texts.compare import CAPACITY, COMPARE, CURVES, LOADS, MONEY, STAGES, WORDS


@st.fragment
def show() -> None:
    """Draw the page; all of it follows its controls."""
    page = choices.state()
    head(COMPARE["title"], COMPARE["lead"])
    _load(page)
    deployments = choices.chosen(page)
    cards(page, deployments, choices.known())
    asked = choices.arguments(page, deployments)
    answer = study("compare", asked, held=page.held)
    if answer.result is not None:
        with answer.area():
            _answer(page, answer.result)
    section(CAPACITY["title"], CAPACITY["about"])
    found = study(
        "compare", {**asked, "capacity": True}, slot="capacity", offer=CAPACITY["offer"],
        held=page.held,
    )  # fmt: skip
    if found.result is not None:
        with found.area():
            capacities(found.result, choices.names(found.result["results"]))


def _load(page: PageState) -> None:
    with st.container(key="compare-load"):
        places = st.columns([1.1, 2.2, 1.7, 1, 1.4], vertical_alignment="bottom")
    with places[0]:
        choice(page, "load", COMPARE["load"], LOADS, about=COMPARE["load_about"])
    with places[1]:
        drag_slider(
            page, "clients", COMPARE["clients"], 20, 400, "", step=1, about=COMPARE["clients_about"]
        )
    with places[2]:
        options = [choices.NONE, *choices.hit_rates()]
        select(
            page, "hits", COMPARE["traffic"], options, about=COMPARE["traffic_about"],
            words=lambda name: COMPARE["own"] if name == choices.NONE else name,
        )  # fmt: skip
    with places[3]:
        number_field(page, "seeds", COMPARE["seeds"], 1, 6, 1, about=COMPARE["seeds_about"])
    with places[4]:
        undo_and_reset(page)


def _answer(page: PageState, said: dict[str, Any]) -> None:
    names = choices.names(said["results"])
    with st.container(border=True):
        section(WORDS["title"])
        for sentence in sentences(said, names):
            st.text(sentence)
    left, right = st.columns(2)
    with left:
        section(CURVES["title"], CURVES["about"])
        curves(said, names)
    with right:
        _stages(page, said, names)
    left, right = st.columns([3, 2])
    with left:
        section(COMPARE["figures"])
        side_by_side(said, names)
    with right:
        section(MONEY["title"], MONEY["about"])
        waterfalls(said, names)


def _stages(page: PageState, said: dict[str, Any], names: Sequence[str]) -> None:
    title, way = st.columns([1, 1], vertical_alignment="center")
    with title:
        section(STAGES["title"], STAGES["about"])
    with way:
        options = {one: STAGES[one] for one in ("first", "last")}
        choice(page, "until", STAGES["until"], options, bare=True)
    stages(said, names, page["until"])
