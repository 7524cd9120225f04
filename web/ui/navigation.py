"""Which pages there are, in what order, and where each one's file is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import streamlit as st

from . import views
from .texts import PAGES, SECTIONS

PLAN = {
    "": ("start", "twin_lab", "claims", "compare"),
    "inside": ("oscillation", "handoff", "requests"),
    "plan": ("feasibility", "hardware", "economics", "map"),
}
"""Files in `views/` by section of the menu; each has a title in `texts/pages.py` and a `show()`."""


@cache
def _is_there(name: str) -> bool:
    return find_spec(f"{views.__name__}.{name}") is not None


def _opener(name: str) -> Callable[[], None]:
    def show() -> None:
        import_module(f"{views.__name__}.{name}").show()

    show.__name__ = name
    return show


def address(name: str) -> str:
    """Where a page is found."""
    return name.replace("_", "-")


def pages() -> dict[str, list[Any]]:
    """The pages as Streamlit's menu takes them; a file of one is read when it is opened."""
    return {
        SECTIONS[section]: [
            st.Page(
                _opener(name), title=PAGES[name], url_path=address(name), default=name == "start"
            )
            for name in names
            if _is_there(name)
        ]
        for section, names in PLAN.items()
        if any(map(_is_there, names))
    }
