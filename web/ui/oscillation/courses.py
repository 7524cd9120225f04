"""The courses of one run on one time axis: RLD's batch, the line's flows, P hit and MD hit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..charts import chart, faded, palette
from ..numbers import number
from ..texts.oscillation import COURSES

Said = dict[str, Any]


def tops(results: Sequence[Said]) -> tuple[float, float]:
    """The greatest batch and number of flows, so that both sides have the same axes."""
    batch = max(max(one["courses"]["relay_batch"]) for one in results)
    flows = max(max(one["courses"]["line_flows"]) for one in results)
    return max(batch, 1.0) * 1.08, max(flows, 1.0) * 1.08


def courses(said: Said, key: str, high: tuple[float, float], start: int, counted: bool) -> None:
    """Draw the courses of a run; with `counted` the number of RLD instances too, from `start`."""
    rows = 4 if counted else 3
    heights = [0.3, 0.3, 0.28, 0.12] if counted else [0.34, 0.32, 0.34]
    figure = make_subplots(rows, 1, shared_xaxes=True, vertical_spacing=0.06, row_heights=heights)
    colours, told = palette(), said["courses"]
    minutes = [one / 60 for one in told["time_s"]]
    for row, name, role in ((1, "relay_batch", "rld"), (2, "line_flows", "line")):
        figure.add_scatter(
            x=minutes, y=told[name], mode="lines", line={"color": colours[role], "width": 1.3},
            fill="tozeroy", fillcolor=faded(colours[role], 0.14), showlegend=False,
            hovertemplate=COURSES["hover_batch" if row == 1 else "hover_flows"], row=row, col=1,
        )  # fmt: skip
        figure.update_yaxes(range=[0, high[row - 1]], row=row, col=1)
    _hits(figure, told, colours)
    if counted:
        _count(figure, said, start, colours)
    titles = [COURSES["batch"], COURSES["flows"], "hit", COURSES["count"]]
    for row in range(rows):
        figure.update_yaxes(title=titles[row], row=row + 1, col=1, nticks=4, title_standoff=6)
    figure.update_xaxes(title=COURSES["x"], row=rows, col=1)
    figure.update_layout(legend={"y": -0.16, "yanchor": "top"}, hovermode="closest")
    chart(figure, key, _alt(said), height=470 if counted else 410, name=key)


def _hits(figure: go.Figure, told: Said, colours: Any) -> None:
    minutes = [one / 60 for one in told["block_s"]]
    for name, role, dash in (("p_hit", "p", "solid"), ("md_hit", "md", "dash")):
        if told[name] is None:
            continue
        figure.add_scatter(
            x=minutes, y=told[name], mode="lines", name=COURSES[name], row=3, col=1,
            line={"color": colours[role], "width": 2.2, "dash": dash},
            hovertemplate=COURSES["hover_hit"].format(name=COURSES[name]),
        )  # fmt: skip
    figure.update_yaxes(range=[0, 1], tickformat=".0%", row=3, col=1)


def _count(figure: go.Figure, said: Said, start: int, colours: Any) -> None:
    changes = [(said["from_s"], start), *((at, to) for at, to, _ in said["relay_changes"])]
    changes.append((said["to_s"], changes[-1][1]))
    figure.add_scatter(
        x=[at / 60 for at, _ in changes], y=[to for _, to in changes], mode="lines", row=4, col=1,
        line={"color": colours["rld"], "width": 1.8, "shape": "hv"}, showlegend=False,
        hovertemplate=COURSES["hover_count"],
    )  # fmt: skip
    figure.update_yaxes(rangemode="tozero", row=4, col=1)


def _alt(said: Said) -> str:
    lag = said["drift"]["lag_late"]
    return COURSES["alt"].format(
        low=number(said["swing"]["lower"]), high=number(said["swing"]["upper"]),
        correlation=number(said["swing"]["correlation"], 2),
        lag=number(None if lag is None else 100 * lag, 2),
    )  # fmt: skip
