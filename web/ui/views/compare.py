"""The comparison page: two to four deployments on the same requests, side by side."""

from __future__ import annotations

import streamlit as st

from ..compare import choices
from ..compare.cards import cards
from ..compare.side_by_side import side_by_side
from ..controls import choice, drag_slider, select, undo_and_reset
from ..state import PageState
from ..studies import study
from ..texts.compare import COMPARE, LOADS


@st.fragment
def show() -> None:
    """Draw the page; all of it follows its controls."""
    page = choices.state()
    st.title(COMPARE["title"])
    st.caption(COMPARE["lead"])
    _load(page)
    titles = choices.known()
    deployments = choices.chosen(page)
    cards(page, deployments, titles)
    answer = study("compare", choices.arguments(page, deployments), held=page.held)
    if answer.result is None:
        return
    with answer.area():
        side_by_side(answer.result, [one["scenario"] for one in answer.result["results"]])


def _load(page: PageState) -> None:
    left, middle, right, far = st.columns([2, 3, 2, 2])
    with left:
        choice(page, "load", COMPARE["load"], LOADS, about=COMPARE["load_about"])
    with middle:
        drag_slider(page, "clients", COMPARE["clients"], 20, 400, "", step=1)
    with right:
        options = [choices.NONE, *choices.hit_rates()]
        select(
            page, "hits", COMPARE["traffic"], options, about=COMPARE["traffic_about"],
            words=lambda name: COMPARE["own"] if name == choices.NONE else name,
        )  # fmt: skip
    with far:
        undo_and_reset(page)
