"""The three modes in whole runs: what users and pools see of the handoff."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from ..charts import chart, palette
from ..numbers import number, seconds
from ..studies import basis_of
from ..tables import Cell, Column, Row, table
from ..texts.handoff import MODES, MODES_ABOUT, RUN
from .story import LOOKS

Said = dict[str, Any]

FIGURES = {
    "handoffs": (("handoffs",), 1), "gap_p50": (("gap_s", "p50"), 1e3),
    "gap_p99": (("gap_s", "p99"), 1e3), "gap_max": (("gap_s", "max"), 1e3),
    "relay": (("relay_s",), 1), "slots": (("relay_slots",), 100),
    "tokens": (("rld_token_share",), 100), "itl_p50": (("itl_s", "p50"), 1e3),
    "itl_p99": (("itl_s", "p99"), 1e3), "sla": (("sla_ok_share",), 100),
}  # fmt: skip
"""Where each figure stands in the answer, and its factor."""


def side_by_side(said: Said) -> None:
    """The table of the modes, and the cumulative curves of their gaps."""
    columns = [Column(RUN["mode"], align="left")]
    columns += [Column(RUN[name][0], RUN[name][2], RUN[name][1]) for name in FIGURES]
    basis = basis_of(said)
    rows = [
        Row(mode, [Cell(MODES[mode], lines=[MODES_ABOUT[mode]]), *_cells(told, basis)])
        for mode, told in said["modes"].items()
    ]
    table("handoff-modes", RUN["title"], columns, rows, file="handoff-modes")
    _curves(said)


def _cells(told: Said, basis: str) -> list[Cell]:
    cells = []
    for name, (path, factor) in FIGURES.items():
        value = told
        for step in path:
            value = value[step]
        scaled = None if value is None else value * factor  # type: ignore[operator]
        text = f"{scaled:,}" if name == "handoffs" else number(scaled)
        cells.append(Cell(text, scaled, lines=[RUN[name][2], basis]))
    return cells


def _curves(said: Said) -> None:
    figure, colours = go.Figure(), palette()
    for mode, told in said["modes"].items():
        role, dash = LOOKS[mode]
        figure.add_scatter(
            x=[1e3 * gap for gap in told["curve"]["gap_s"]], y=told["curve"]["share"],
            name=MODES[mode], mode="lines", hovertemplate=RUN["hover"].format(mode=MODES[mode]),
            line={"color": colours[role], "dash": dash, "width": 3 if mode == "auto" else 2},
        )  # fmt: skip
    figure.update_xaxes(title=RUN["x"], type="log", dtick="D2")
    figure.update_yaxes(title=RUN["y"], range=[0, 1.02], tickformat=".0%")
    told = ", ".join(
        f"{MODES[mode]} {' '.join(seconds(one['gap_s']['p99']))}"
        for mode, one in said["modes"].items()
    )
    chart(figure, "handoff-gaps", RUN["alt"].format(told=told), height=300, name="handoff-gaps")
