"""The start page: the published deployment, already running."""

from __future__ import annotations

import streamlit as st

from ..components.live import live
from . import twin_lab


def show() -> None:
    """Draw the page; a card leads into the lab with what it is about."""
    said = live("start")
    if said.go:
        st.switch_page(st.session_state[twin_lab.PAGE], query_params=said.go)
