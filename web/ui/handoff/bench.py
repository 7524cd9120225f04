"""The microbenchmark: times of handoffs by KV and by ids, beside what is published of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from twin.handoff_lab import Distribution, Microbenchmark

from ..charts import chart, faded, palette
from ..numbers import Number, number, numbers
from ..texts.handoff import BENCH, CLAIMS, PUBLISHED

WAYS = (("kv", "line"), ("ids", "md"))
BINS = 70


def histogram(found: Microbenchmark) -> None:
    """Both distributions on one axis, their longest marked."""
    figure, colours = go.Figure(), palette()
    top = max(found.kv.max_s, found.ids.max_s) * 1.04
    low = min(found.kv.times_s.min(), found.ids.times_s.min()) * 0.96
    edges = np.linspace(low, top, BINS + 1)
    for way, role in WAYS:
        told: Distribution = getattr(found, way)
        counts, _ = np.histogram(told.times_s, edges)
        figure.add_bar(
            x=(edges[1:] + edges[:-1]) * 500, y=counts, name=BENCH[way],
            marker={"color": faded(colours[role], 0.75), "line": {"width": 0}},
            hovertemplate=BENCH["hover"].format(way=BENCH[way]),
        )  # fmt: skip
        _longest(figure, told.max_s, colours[role], way == "kv")
    figure.update_layout(barmode="overlay", bargap=0)
    figure.update_xaxes(title=BENCH["x"])
    figure.update_yaxes(title=BENCH["y"], type="log", dtick=1, range=[-0.3, 4.4])
    chart(figure, "handoff-bench", _alt(found), height=300, name="handoff-microbenchmark")


def _longest(figure: go.Figure, value: float, colour: str, low: bool) -> None:
    line = {"color": colour, "dash": "dot", "width": 1.4}
    x = value * 1e3
    figure.add_shape(type="line", x0=x, x1=x, y0=0, y1=1, yref="paper", line=line)
    figure.add_annotation(
        x=x, y=0.98 if low else 0.82, yref="paper", text=BENCH["longest"].format(value=x),
        showarrow=False, xanchor="right" if low else "left", xshift=-4 if low else 4,
        font={"color": colour, "size": 12},
    )  # fmt: skip


def _alt(found: Microbenchmark) -> str:
    return BENCH["alt"].format(
        tokens=found.tokens, kv_mean=found.kv.mean_s * 1e3, kv_max=found.kv.max_s * 1e3,
        ids_mean=found.ids.mean_s * 1e3, ids_max=found.ids.max_s * 1e3,
    )  # fmt: skip


def figures(found: Microbenchmark, as_published: bool) -> None:
    """Mean, spread and longest of both; the published figure beside each where it applies."""
    told = [
        _one(found, way, what, as_published) for way, _ in WAYS for what in ("mean", "sd", "max")
    ]
    about = BENCH["bytes_about"].format(kv=size(found.kv.nbytes), ids=size(found.ids.nbytes))
    saved = Number("bytes", BENCH["bytes"], number(found.times_fewer_bytes), "×", about, "computed")
    numbers("handoff-bench-numbers", [*told, saved])


def _one(found: Microbenchmark, way: str, what: str, as_published: bool) -> Number:
    value = 1e3 * getattr(getattr(found, way), f"{what}_s")
    about = BENCH[f"{what}_about_{way}" if what == "mean" else f"{what}_about"].format(
        size=size(found.kv.nbytes), copy=found.copy_s * 1e3, step=found.step_s * 1e3
    )
    public: Any = PUBLISHED[way].get(what) if as_published else None
    words = BENCH["published_source"].format(said=BENCH[f"said_{way}"], claim=CLAIMS[way])
    return Number(
        f"{way}_{what}", BENCH[what].format(way=BENCH[way]), number(value), "ms", about,
        "fit" if public is not None else "simulated",
        words if as_published else BENCH["other"],
        note="" if public is None else BENCH["published"].format(mean=f"{public:g}", unit="ms"),
        role="line" if way == "kv" else "md",
    )  # fmt: skip


def size(nbytes: float) -> str:
    """Bytes in KB or MB."""
    return f"{number(nbytes / 1e6)} MB" if nbytes >= 1e6 else f"{number(nbytes / 1e3)} KB"
