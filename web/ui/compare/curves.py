"""How long each share of the requests waits for its first token, one curve a deployment."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10
from typing import Any

import plotly.graph_objects as go

from ..charts import DASHES, DEPLOYMENTS, chart, palette
from ..numbers import seconds
from ..texts.compare import CURVES

Said = dict[str, Any]

TOLD = (0.5, 0.9, 0.99)


def curves(answer: Said) -> None:
    """Draw the cumulative curves of TTFT, with P50, P90, P99 and the SLA."""
    colours = palette()
    figure = go.Figure()
    for i, one in enumerate(answer["deployments"]):
        curve = one["ttft_curve"]
        told = [curve["seconds"][curve["levels"].index(level)] for level in TOLD]
        line = {"color": colours[DEPLOYMENTS[i]], "dash": DASHES[i], "width": 2.2}
        figure.add_scatter(
            x=curve["seconds"], y=curve["levels"], name=one["name"], mode="lines", line=line,
            hovertemplate=CURVES["hover"].format(name=one["name"]),
        )  # fmt: skip
        figure.add_scatter(
            x=told, y=TOLD, mode="markers", showlegend=False, hoverinfo="skip",
            marker={"color": line["color"], "size": 7},
        )  # fmt: skip
    _axes(figure, answer["deployments"][0]["values"]["slo"], colours)
    chart(figure, "compare-curves", _alt(answer), height=330, name="ttft-curves")


def _axes(figure: go.Figure, slo: Said, colours: Mapping[str, str]) -> None:
    figure.update_xaxes(type="log", title=CURVES["x"], dtick="D2", ticksuffix=" s")
    figure.update_yaxes(
        range=[0, 1.02], tickvals=[0, 0.25, *TOLD], ticktext=["0", "25 %", "P50", "P90", "P99"]
    )
    limit, words = slo["ttft_s"], CURVES["sla_ttft"]
    if limit is None:
        limit, words = slo["total_s"], CURVES["sla_total"]
    mark(figure, limit, words.format(limit=limit), colours)


def mark(figure: go.Figure, x: float, words: str, colours: Mapping[str, str]) -> None:
    """A dotted line at a value of a logarithmic axis; words on it stand at the logarithm."""
    line = {"color": colours["red"], "dash": "dot", "width": 1.4}
    figure.add_shape(type="line", x0=x, x1=x, y0=0, y1=1, yref="paper", line=line)
    figure.add_annotation(
        x=log10(x), y=0.03, yref="paper", text=words, textangle=-90, showarrow=False,
        xanchor="right", yanchor="bottom", font={"color": colours["soft"], "size": 12},
    )  # fmt: skip


def _alt(answer: Said) -> str:
    told = [
        f"{one['name']} {' '.join(seconds(one['ttft_s']['p50']))}" for one in answer["deployments"]
    ]
    return CURVES["alt"].format(medians=", ".join(told))
