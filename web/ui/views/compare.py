"""The comparison page: two to four deployments on the same requests, side by side."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ..compare import choices
from ..compare.capacities import capacities
from ..compare.cards import cards
from ..compare.choices import Chosen
from ..compare.curves import curves
from ..compare.money import waterfalls
from ..compare.side_by_side import side_by_side
from ..compare.stages import stages
from ..compare.words import words
from ..controls import (
    choice,
    drag_slider,
    number_field,
    preset_buttons,
    select,
    undo_and_reset,
)
from ..guarded import page_fragment
from ..heads import head, section
from ..state import PageState
from ..studies import study
from ..texts.compare import (
    CAPACITY,
    COMPARE,
    CURVES,
    LOADS,
    MONEY,
    PRESETS,
    PRESETS_ABOUT,
    STAGES,
    WORDS,
)  # fmt: skip

BANDS = ("all", "median", "tail")
ENDS = ("first", "last")


@page_fragment("compare")
def show() -> None:
    """Draw the page; all of it follows its controls."""
    page = choices.state()
    head(COMPARE["title"], COMPARE["lead"])
    with st.container(horizontal=True, gap="small", key="compare-presets"):
        preset_buttons(
            page, PRESETS, PRESETS_ABOUT, choices.preset_of(page),
            lambda name: choices.plain(page) | choices.preset_values(name),
        )  # fmt: skip
    deployments = choices.chosen(page)
    _load(page, deployments)
    cards(page, deployments, choices.known())
    asked = choices.arguments(page, deployments)
    answer = study("compare", {**asked, "load": choices.load(page, deployments)}, held=page.held)
    with st.container():  # what follows keeps its place when the answer comes
        if answer.result is not None:
            with answer.area():
                _answer(page, answer.result)
    section(CAPACITY["title"], CAPACITY["about"])
    found = study("capacities", asked, offer=CAPACITY["offer"], held=page.held)
    if found.result is not None:
        with found.area():
            capacities(found.result)


def _load(page: PageState, deployments: list[Chosen]) -> None:
    at_a_rate = choices.open_loop(deployments)
    if at_a_rate:
        page.defaults["rate"] = deployments[0].plain.workload.rate_rps
    with st.container(key="row-of-two"):
        places = st.columns([1.1, 2.2, 1.7, 1, 1.4], vertical_alignment="bottom")
    with places[0]:
        if at_a_rate:
            st.caption(COMPARE["at_a_rate"])
        else:
            choice(page, "load", COMPARE["load"], LOADS, about=COMPARE["load_about"])
    with places[1]:
        if at_a_rate:
            drag_slider(
                page, "rate", COMPARE["rate"], 0.1, 10, "requests/s", step=0.05, log=True,
                about=COMPARE["rate_about"],
            )  # fmt: skip
        else:
            drag_slider(
                page, "clients", COMPARE["clients"], 20, 400, "", step=1,
                about=COMPARE["clients_about"],
            )  # fmt: skip
    with places[2]:
        if not at_a_rate:
            _hits(page)
    with places[3]:
        number_field(page, "seeds", COMPARE["seeds"], 1, 6, 1, about=COMPARE["seeds_about"])
    with places[4]:
        undo_and_reset(page)


def _hits(page: PageState) -> None:
    options = [choices.NONE, *choices.hit_rates()]
    select(
        page, "hits", COMPARE["traffic"], options, about=COMPARE["traffic_about"],
        words=lambda name: COMPARE["own"] if name == choices.NONE else name,
    )  # fmt: skip


def _answer(page: PageState, said: dict[str, Any]) -> None:
    with st.container(border=True, gap="xsmall"):
        section(WORDS["title"])
        words(said)
    left, right = st.columns(2)
    with left:
        section(CURVES["title"], CURVES["about"])
        curves(said)
    with right:
        section(STAGES["title"], STAGES["about"])
        _stages(page, said)
    left, right = st.columns([3, 2])
    with left:
        section(COMPARE["figures"])
        side_by_side(said)
    with right:
        section(MONEY["title"], MONEY["about"])
        waterfalls(said)


def _stages(page: PageState, said: dict[str, Any]) -> None:
    with st.container(horizontal=True, gap="small"):
        for name, options in (("band", BANDS), ("until", ENDS)):
            choice(page, name, STAGES[name], {one: STAGES[one] for one in options}, bare=True)
    stages(said, page["band"], page["until"])
