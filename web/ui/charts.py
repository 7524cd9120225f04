"""Charts on a page: one look, fixed colour roles, described in words, to be saved as pictures.

Only for charts that are drawn anew after an action: what moves by itself is the live area's.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from .theme import DARK, LIGHT

ROLES = {
    "p": "blueColor", "rld": "orangeColor", "md": "greenColor", "line": "violetColor",
    "amber": "yellowColor", "red": "redColor", "soft": "grayTextColor", "faint": "grayColor",
    "ink": "textColor", "edge": "borderColor", "page": "backgroundColor",
    "ground": "secondaryBackgroundColor", "accent": "primaryColor",
}  # fmt: skip

DEPLOYMENTS = ("soft", "amber", "accent", "md")
"""Colours of up to four deployments; each has a dash as well, so that colour is not alone."""

DASHES = ("dot", "dash", "solid", "dashdot")

FONT = "Source Sans, system-ui, sans-serif"


def dark() -> bool:
    """Whether the page is dark."""
    return st.context.theme.type == "dark"


def palette() -> Mapping[str, str]:
    """The colours by role, of the theme that the visitor sees."""
    colours = DARK if dark() else LIGHT
    return {role: colours[name] for role, name in ROLES.items()}


def faded(colour: str, alpha: float) -> str:
    """A colour #rrggbb with an alpha."""
    r, g, b = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({r}, {g}, {b}, {alpha:g})"


@cache
def _template(is_dark: bool) -> go.layout.Template:
    colours = DARK if is_dark else LIGHT
    ink, soft, edge = colours["textColor"], colours["grayTextColor"], colours["borderColor"]
    page = colours["backgroundColor"]
    axis = {
        "gridcolor": edge, "linecolor": edge, "zerolinecolor": edge, "tickcolor": edge,
        "tickfont": {"color": soft, "size": 12}, "title": {"font": {"color": soft, "size": 12}},
        "automargin": True,
    }  # fmt: skip
    layout = go.Layout(
        font={"family": FONT, "size": 13, "color": ink}, paper_bgcolor=page, plot_bgcolor=page,
        colorway=[colours[ROLES[role]] for role in ("accent", "md", "rld", "p", "line", "amber")],
        margin={"l": 8, "r": 12, "t": 8, "b": 8}, xaxis=axis, yaxis=axis, dragmode=False,
        hoverlabel={"bgcolor": ink, "font": {"color": page, "family": FONT, "size": 12.5}},
        legend={
            "orientation": "h", "yanchor": "bottom", "y": 1.0, "xanchor": "left", "x": 0,
            "font": {"size": 12, "color": ink}, "title": {"text": ""},
        },
        bargap=0.35,
    )  # fmt: skip
    return go.layout.Template(layout=layout)


def chart(
    figure: go.Figure, key: str, alt: str, *, height: int = 320, name: str = "", **more: Any
) -> Any:
    """Draw a figure in the look of the pages.

    `alt` says in a sentence what it shows, with its main figures. `name` is the name of the
    picture it is saved as. `more` goes to `st.plotly_chart`, such as `on_select`.
    """
    figure.update_layout(template=_template(dark()), height=height)
    config = {
        "displaylogo": False, "displayModeBar": "hover", "scrollZoom": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "png", "filename": name or key, "scale": 2},
    }  # fmt: skip
    return st.plotly_chart(figure, key=key, theme=None, config=config, alt=alt, **more)
