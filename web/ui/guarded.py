"""A page as a fragment that does not break: an error is told in words, with a way back."""

from __future__ import annotations

import logging
from collections.abc import Callable

import streamlit as st

from .state import forget
from .texts.studies import CONTROLS

log = logging.getLogger(__name__)


def page_fragment(page: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Makes `show` the fragment of a page; an error in it leaves a sentence and a button."""

    def made(show: Callable[[], None]) -> Callable[[], None]:
        def safely() -> None:
            try:
                show()
            except Exception:
                log.exception("the page %s", page)
                st.error(CONTROLS["broken"])
                st.button(CONTROLS["afresh"], on_click=forget, args=(page,), key=f"afresh {page}")

        safely.__name__ = safely.__qualname__ = f"{show.__module__}.{show.__qualname__}"
        return st.fragment(safely)

    return made
