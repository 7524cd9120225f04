"""The request microscope: any request of a run, and where its time goes."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ..controls import choice
from ..guarded import page_fragment
from ..heads import head, section
from ..microscope import chosen, every, one
from ..state import PageState
from ..studies import basis_of, study
from ..texts.requests import GANTT, REQUESTS


@page_fragment("requests")
def show() -> None:
    """Draw the page; all of it follows its controls."""
    page = chosen.state()
    head(REQUESTS["title"], REQUESTS["lead"])
    chosen.controls(page)
    run = study("request_points", chosen.run_asked(page), slot="run", held=page.held)
    if run.result is None:
        return
    number = every.number_of(page, run.result)
    with run.area():
        left, right = st.columns([3, 2])
        with left:
            every.points(page, run.result, number)
        with right:
            every.worst(page, run.result, number)
    with st.container(key="request-one"):
        _one(page, number)


def _one(page: PageState, number: int) -> None:
    left, middle, right = st.columns([2.4, 1, 2], vertical_alignment="bottom")
    with left:
        section(GANTT["title"], GANTT["about"])
    with middle:
        chosen.request_field(page)
    answer = study(
        "one_request", chosen.request_asked(page, number), slot="request", held=page.held
    )
    if answer.result is None:
        return
    told = answer.result["told"]
    with right:
        choice(page, "view", GANTT["view"], one.views(told[0]), bare=True)
    with answer.area():
        _drawn(page, answer.result, told)


def _drawn(page: PageState, said: dict[str, Any], told: list[dict[str, Any]]) -> None:
    spans = [one.window(each, page["view"]) for each in told]
    span = min(first for first, _ in spans), max(last for _, last in spans)
    for i, each in enumerate(told):
        if len(told) > 1:
            st.text(one.title(each))
        one.figures(each, basis_of(said), f"{i}")
        one.gantt(each, said["lanes"], span, f"{i}")
    left, right = st.columns(2)
    with left:
        one.gaps(told[0])
    with right:
        one.intervals(told[0], basis_of(said))
