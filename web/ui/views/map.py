"""The map page: BCR over the line's bandwidth and the hit rate, and the bathtub below it."""

from __future__ import annotations

import streamlit as st

from ..controls import drag_slider, number_field, switch, undo_and_reset
from ..economics.bathtub import course, curve
from ..guarded import page_fragment
from ..heads import head, section
from ..heatmap.cells import Priced, arguments, priced, state
from ..heatmap.chosen import chosen
from ..heatmap.picture import picture
from ..numbers import Role
from ..state import PageState
from ..studies import Answer, study
from ..texts.bcr_map import BCR_MAP
from ..texts.economics import TOKENS, TUB

CHUNK = 16_384


@page_fragment("map")
def show() -> None:
    """Draw the page; all of it follows its controls."""
    page = state()
    head(BCR_MAP["title"], BCR_MAP["lead"])
    _prices(page)
    _load(page)
    coarse = study("bcr_map", arguments(page, fine=False), slot="coarse", held=page.held)
    fine = study(
        "bcr_map", arguments(page, fine=True), slot="fine", offer=BCR_MAP["fine"], held=page.held
    )
    answer = fine if fine.result is not None and not fine.stale else coarse
    if answer.result is not None:
        with answer.area():
            _map(page, answer)
    section(BCR_MAP["layer"], BCR_MAP["layer_about"])
    if switch(page, "layer", BCR_MAP["show"]):
        _bathtub(page)


def _prices(page: PageState) -> None:
    places = st.columns([1, 1, 1, 1, 0.9], vertical_alignment="bottom")
    dragged: list[tuple[str, float, float, Role]] = [
        ("b", 0.1, 3, "md"), ("line", 0, 20, "line"), ("per_gbps", 0, 1, "line")
    ]  # fmt: skip
    for place, (name, low, high, role) in zip(places, dragged, strict=False):
        usual = BCR_MAP.get(f"{name}_source", "assumed: more bandwidth costs no more")
        source = BCR_MAP["own"] if name in page.changed else usual
        with place:
            drag_slider(
                page, name, BCR_MAP[name], low, high, "A", step=0.01, role=role,
                about=BCR_MAP[f"{name}_about"], source=source,
            )  # fmt: skip
    with places[4]:
        undo_and_reset(page)


def _load(page: PageState) -> None:
    places = st.columns([1, 1, 1, 1, 0.9], vertical_alignment="bottom")
    with places[0]:
        drag_slider(
            page, "total_s", BCR_MAP["total"], 5, 120, "s", step=1,
            about=BCR_MAP["total_about"],
            source=BCR_MAP["own"] if "total_s" in page.changed else BCR_MAP["total_source"],
        )  # fmt: skip
    with places[1]:
        drag_slider(
            page, "share", BCR_MAP["share"], 50, 99, "%", step=1, about=BCR_MAP["share_about"],
            source=BCR_MAP["own"] if "share" in page.changed else "assumed",
        )  # fmt: skip
    with places[2]:
        number_field(
            page, "requests", BCR_MAP["requests"], 1_000, 20_000, 1_000,
            about=BCR_MAP["requests_about"],
        )  # fmt: skip
    with places[3]:
        number_field(page, "seeds", BCR_MAP["seeds"], 1, 6, 1, about=BCR_MAP["seeds_about"])


def _map(page: PageState, answer: Answer) -> None:
    assert answer.result is not None
    known: Priced = priced(page, answer.result)
    cell = known.nearest(page["gbps"], page["hit"])
    left, right = st.columns([2.2, 1])
    with left:
        section(BCR_MAP["map"], BCR_MAP["map_about"])
        clicked = picture(page, known, cell)
        cpu = f"{answer.result['cpu_s']:.0f}"
        st.caption(BCR_MAP["cpu"].format(cells=len(known.cells), cpu=cpu))
    with right:
        chosen(page, known, cell, answer.result)
    if clicked is not None:
        page.put_all({"gbps": clicked[0], "hit": clicked[1]})
        st.rerun(scope="fragment")


def _bathtub(page: PageState) -> None:
    places = st.columns([1, 1, 2])
    with places[0]:
        drag_slider(
            page, "cached", BCR_MAP["cached"], 0, 1, "× input", step=0.01,
            about=TOKENS["cached_about"], source=TOKENS["cached_source"],
        )  # fmt: skip
    with places[1]:
        drag_slider(
            page, "merged", BCR_MAP["merged"], 0, 1, "", step=0.05, about=TUB["merged_about"],
            source="assumed: 0 is claim C20",
        )  # fmt: skip
    now = course(page["cached"], page["merged"], CHUNK)
    curve(now, course(page["cached"], 1.0, CHUNK), {"here": page["hit"]}, "map-tub-curve")
