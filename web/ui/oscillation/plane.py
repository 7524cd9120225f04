"""The phase portrait: RLD's batch against the line's flows, or against the lag of MD's hits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..charts import chart, faded, palette
from ..numbers import number
from ..texts.oscillation import PLANE

Said = dict[str, Any]


def plane(results: Sequence[Said], names: Sequence[str], against: str) -> None:
    """Draw both runs on one plane; `against` is "flows" or "lag"."""
    figure, colours = go.Figure(), palette()
    looks = (("rld", "circle"), ("md", "diamond"))
    for said, name, (role, sign) in zip(results, names, looks, strict=True):
        colour, faint = faded(colours[role], 0.6), faded(colours[role], 0.22)
        batch, other = points(said, against)
        figure.add_scatter(
            x=batch, y=other, mode="lines+markers", name=name,
            line={"color": faint, "width": 0.8},
            marker={"color": colour, "size": 5, "symbol": sign},
            hovertemplate=PLANE["hover"].format(name=name, unit=PLANE[f"unit_{against}"]),
        )  # fmt: skip
    figure.update_xaxes(title=PLANE["x"], rangemode="tozero")
    figure.update_yaxes(title=PLANE[f"y_{against}"], rangemode="tozero")
    chart(figure, "oscillation-plane", _alt(results, against), height=330, name="phase-portrait")


def points(said: Said, against: str) -> tuple[list[float], list[float]]:
    """RLD's batch, and at the same moments the flows, or the lag in points between block ends."""
    told = said["courses"]
    if against == "flows":
        return told["relay_batch"], told["line_flows"]
    if told["md_hit"] is None:
        return [], []
    lag = 100 * (np.array(told["p_hit"]) - np.array(told["md_hit"]))
    return told["relay_batch"], np.interp(told["time_s"], told["block_s"], lag).tolist()


def _alt(results: Sequence[Said], against: str) -> str:
    now, other = (one["courses"]["relay_batch"] for one in results)
    return PLANE["alt"].format(
        what=PLANE[against], moments=len(now), x_low=number(min(now)), x_high=number(max(now)),
        o_low=number(min(other)), o_high=number(max(other)),
    )  # fmt: skip
