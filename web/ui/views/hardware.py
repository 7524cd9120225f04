"""The page of chips and models: one's own chip, the fit to measurements, the catalogue."""

from __future__ import annotations

import streamlit as st

from ..guarded import page_fragment
from ..hardware import catalogue_tables
from ..hardware.fit import fit
from ..hardware.own import own, state
from ..heads import head, section
from ..studies import study
from ..texts.hardware import CATALOGUE, HARDWARE


@page_fragment("hardware")
def show() -> None:
    """Draw the page."""
    page = state()
    head(HARDWARE["title"], HARDWARE["lead"])
    answer = study("hardware_fit", {}, held=page.held)
    own(page, answer.result)
    if answer.result is not None:
        with answer.area():
            fit(answer.result)
    section(CATALOGUE["title"])
    parts = (catalogue_tables.chips, catalogue_tables.models, catalogue_tables.kv)
    for place, draw in zip(st.tabs(CATALOGUE["tabs"]), parts, strict=True):
        with place:
            draw()
