"""Revenue over hit rate: the bathtub, its dips, the valley, and the two ways out of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import plotly.graph_objects as go
import streamlit as st

from twin.physics.chunks import ChunkRule, chunk_cost
from twin.reproduction.bathtub import CHUNK_OVERHEAD_S, PROMPT_TOKENS
from twin.revenue import Revenue, Tariff, revenue, valley, way_out

from ..charts import chart, faded, palette
from ..controls import drag_slider
from ..numbers import Number, number, numbers, percent
from ..state import PageState
from ..texts.economics import TUB
from .prices import BEFORE, deployment


@lru_cache(maxsize=64)
def course(cached: float, merged: float, chunk: int) -> Revenue:
    """R(h) with these prices and this way of cutting chunks; all else as in claim C20."""
    scenario = deployment(BEFORE)
    cost = chunk_cost(scenario.prefill, scenario.model, CHUNK_OVERHEAD_S)
    rule = ChunkRule(longest_tokens=chunk, merged_tail_share=merged)
    return revenue(cost, rule, Tariff(cached=cached), PROMPT_TOKENS)


def tub_controls(page: PageState) -> None:
    """How chunks are cut now and in the shallower tub, and what a larger cache would hit."""
    places = st.columns(4)
    with places[0]:
        drag_slider(
            page, "merged", TUB["merged"], 0, 1, "", step=0.05, about=TUB["merged_about"],
            source="assumed: 0 is claim C20",
        )  # fmt: skip
    with places[1]:
        drag_slider(
            page, "tub_merged", TUB["tub_merged"], 0, 1, "", step=0.05, role="md",
            about=f"{TUB['tub_about']} {TUB['merged_about']}", source="assumed",
        )  # fmt: skip
    with places[2]:
        drag_slider(
            page, "larger", TUB["larger"], 0, 0.99, "", step=0.01, role="line",
            about=TUB["larger_about"], source="assumed",
        )  # fmt: skip
    with places[3]:
        drag_slider(
            page, "chunk", TUB["chunk"], 2_048, 61_440, "tokens", step=1_024,
            about=TUB["chunk_about"], source="assumed",
        )  # fmt: skip


def bathtub(page: PageState) -> None:
    """Advice in words, figures and the curve."""
    chunk = int(page["chunk"])
    now = course(page["cached"], page["merged"], chunk)
    other = course(page["cached"], page["tub_merged"], chunk)
    told = way_out(now, other, page["hit"], page["larger"])
    with st.container(border=True):
        st.text(f"{TUB['away']} {told.words}" if told.inside else told.words)
    _figures(now, told.larger_cache, told.shallower_tub, page["hit"])
    curve(now, other, {"here": page["hit"], "there": page["larger"]}, "economics-tub-curve")


def _source() -> str:
    return TUB["source"].format(prompt=PROMPT_TOKENS, t0=f"{CHUNK_OVERHEAD_S:g}")


def _figures(now: Revenue, cache: float, tub: float, hit: float) -> None:
    low = valley(now)
    ends = TUB["valley_none"] if low is None else f"{low.from_hit * 100:.0f}–{low.to_hit * 100:.0f}"
    deepest = None if low is None else low.deepest
    depth = "" if deepest is None else f"{number(deepest.revenue / now.revenue[0])} × R(0)"
    numbers(
        "economics-tub",
        [
            _one("here", number(now.ratio(hit)), "× R(0)", "here_number", "here_about"),
            _one("valley", ends, "" if low is None else "%", "valley_number", "valley_about"),
            _one(
                "deepest", *percent(deepest and deepest.hit), "deepest", "deepest_about",
                note=" · ".join(x for x in (depth, TUB["number"].format(count=len(now.dips))) if x),
            ),
            _one("cache", *_change(cache), "cache", "cache_about", cache),
            _one("tub", *_change(tub), "tub", "tub_about_number", tub),
            _one("end", number(now.ratio()), "×", "end", "end_about"),
        ],
    )  # fmt: skip


def _change(share: float) -> tuple[str, str]:
    text, unit = percent(share)
    return f"+{text}" if share > 0 else text, unit


def _one(
    name: str, text: str, unit: str, label: str, about: str, good: float = 0.0, note: str = ""
) -> Number:
    trend = "better" if good > 0 else "worse" if good < 0 else ""
    return Number(
        f"tub_{name}", TUB[label], text, unit, TUB[about], "computed", _source(), note, trend=trend
    )


def curve(now: Revenue, other: Revenue, marks: Mapping[str, float], key: str) -> None:
    """Two courses of revenue, the dips and the valley of the first, and marks at hit rates."""
    colours, nothing = palette(), float(now.revenue[0])
    figure = go.Figure()
    low = valley(now)
    if low is not None:
        figure.add_vrect(
            x0=low.from_hit, x1=low.to_hit, fillcolor=faded(colours["red"], 0.08), line_width=0,
            layer="below",
        )  # fmt: skip
        figure.add_annotation(
            x=(low.from_hit + low.to_hit) / 2, y=0.98, yref="paper", text=TUB["valley"],
            showarrow=False, yanchor="top", font={"color": colours["red"], "size": 12},
        )  # fmt: skip
    for course_, name, colour, dash in (
        (now, TUB["now"], "accent", "solid"), (other, TUB["other"], "md", "dash"),
    ):  # fmt: skip
        figure.add_scatter(
            x=course_.hit, y=course_.revenue / nothing, name=name, mode="lines",
            line={"color": colours[colour], "dash": dash, "width": 2.2},
            hovertemplate=TUB["hover"],
        )  # fmt: skip
    figure.add_scatter(
        x=[dip.hit for dip in now.dips], y=[dip.revenue / nothing for dip in now.dips],
        name=TUB["dips"], mode="markers+text", text=[f"{dip.hit:.1%}" for dip in now.dips],
        textposition="bottom center", hovertemplate=TUB["hover_dip"],
        marker={"color": colours["red"], "size": 9, "symbol": "triangle-up"},
    )  # fmt: skip
    for mark, where in marks.items():
        words, colour = TUB[mark], colours["line" if mark == "there" else "ink"]
        line = {"color": colour, "dash": "dot", "width": 1.4}
        figure.add_shape(type="line", x0=where, x1=where, y0=0, y1=1, yref="paper", line=line)
        figure.add_annotation(
            x=where, y=1, yref="paper", text=words, textangle=-90, showarrow=False,
            xanchor="right", yanchor="top", font={"color": colours["soft"], "size": 12},
        )  # fmt: skip
    figure.add_hline(y=1, line={"color": colours["faint"], "width": 1})
    figure.update_xaxes(title=TUB["x"], tickformat=".0%", range=[0, 1])
    figure.update_yaxes(title=TUB["y"])
    alt = TUB["alt"].format(
        here=number(now.ratio(marks["here"])), hit=f"{marks['here']:.0%}",
        dips=", ".join(f"{dip.hit:.1%}" for dip in now.dips) or TUB["no_dips"],
    )  # fmt: skip
    chart(figure, key, alt, height=340, name="revenue-hit-rate")
