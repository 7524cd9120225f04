"""The page on which a running twin is turned: its settings, topology, numbers and courses."""

from __future__ import annotations

from ..components.live import live

URL_PATH = "twin-lab"
PAGE = "twin_lab_page"
"""Where the session keeps the page itself, for those who lead to it."""


def show() -> None:
    """Draw the page; everything that moves is the component's."""
    live("lab")
