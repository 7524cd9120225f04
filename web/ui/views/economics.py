"""The economics page: costs, break-even prices, token prices, and revenue against hit rate."""

from __future__ import annotations

import streamlit as st

from ..controls import drag_slider, undo_and_reset
from ..economics.bathtub import bathtub, tub_controls
from ..economics.catalogue import chip_prices, kinds, lines, ratio_of_b
from ..economics.cost import fall, figures, price_list
from ..economics.prices import chosen_prices, state, stored_gain
from ..economics.tokens import billing, tokens
from ..guarded import page_fragment
from ..heads import head, section
from ..state import PageState
from ..texts.economics import CATALOGUE, ECONOMICS, MONEY, TOKENS, TUB


@page_fragment("economics")
def show() -> None:
    """Draw the page; all of it follows its controls."""
    page = state()
    head(ECONOMICS["title"], ECONOMICS["lead"])
    _dragged(page)
    prices, line = chosen_prices(page)
    figures(page, prices, line)
    left, right = st.columns([1, 1])
    with left:
        section(MONEY["title"], MONEY["about"])
        fall(prices, line)
    with right:
        section(MONEY["table"], MONEY["table_about"])
        price_list(prices, line)
    section(CATALOGUE["title"], CATALOGUE["about"])
    kinds(page)
    ratio_of_b(page)
    lines(page, prices)
    with st.expander(CATALOGUE["chips"]):
        chip_prices(page)
    section(TOKENS["title"], TOKENS["about"])
    billing(page)
    with st.container():  # what follows keeps its place when the answer comes
        tokens(page, prices, line)
    section(TUB["title"], TUB["about"])
    tub_controls(page)
    bathtub(page)


def _dragged(page: PageState) -> None:
    places = st.columns([1, 1, 1, 1, 0.8], vertical_alignment="bottom")
    for place, name in zip(places, ("b_low", "b_high"), strict=False):
        with place:
            drag_slider(
                page, name, MONEY[name], 0.1, 3, "A", step=0.01, role="md", about=MONEY["b_about"],
                source=MONEY["own"] if name in page.changed else MONEY["b_source"],
            )  # fmt: skip
    with places[2]:
        drag_slider(
            page, "line", MONEY["line"], 0, 20, "A", step=0.05, role="line",
            about=MONEY["line_about"],
            source=MONEY["own"] if "line" in page.changed else MONEY["line_source"],
        )  # fmt: skip
    with places[3]:
        gain = stored_gain()
        drag_slider(
            page, "gain", MONEY["gain"], -50, 100, "%", step=0.1, role="p",
            about=MONEY["gain_about"],
            source=MONEY["own"] if "gain" in page.changed else f"{gain.basis}. SLA: {gain.sla}",
        )  # fmt: skip
    with places[4]:
        undo_and_reset(page)
