"""Every page begins here: its frame, the menu, and then the page that the address names."""

from __future__ import annotations

import streamlit as st

from .components.live import ASSETS
from .navigation import address, pages
from .texts import PAGES
from .views import twin_lab

LOGO = str(ASSETS / "logo.svg")


def main() -> None:
    """Run the page that the address names."""
    st.set_page_config(page_title=PAGES["product"], page_icon=LOGO, layout="wide")
    st.logo(LOGO, size="small")
    sections = pages()
    lab = address("twin_lab")
    every = [page for found in sections.values() for page in found]
    st.session_state[twin_lab.PAGE] = next(page for page in every if page.url_path == lab)
    st.navigation(sections, position="top").run()
