"""Which pages there are, and how one reaches them."""

from __future__ import annotations

import streamlit as st

from .components.live import ASSETS
from .texts import PAGES
from .views import start, twin_lab

LOGO = str(ASSETS / "logo.svg")


def main() -> None:
    """Run the page that the address names."""
    st.set_page_config(page_title=PAGES["product"], page_icon=LOGO, layout="wide")
    st.logo(LOGO, size="small")
    pages = [
        st.Page(start.show, title=PAGES["start"], url_path="start", default=True),
        st.Page(twin_lab.show, title=PAGES["lab"], url_path=twin_lab.URL_PATH),
    ]
    st.session_state[twin_lab.PAGE] = pages[1]
    st.navigation(pages, position="top").run()
