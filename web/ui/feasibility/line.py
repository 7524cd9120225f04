"""The first answer: whether the line carries the KV cache, in figures and as bars."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go
import streamlit as st

from twin.feasibility import Demand, KvSize, LineNeed, line_need, most_new_kv, seconds_for
from twin.scenario import Line, Scenario
from twin.scenario_file import source_of

from ..charts import chart, faded, palette
from ..numbers import DASH, Number, number, numbers, percent, seconds
from ..state import PageState
from ..texts.feasibility import FEASIBILITY, LINE
from .choices import OF_C11, OWN, models

COLOURS = {"carries": "md", "tight": "amber", "does not carry": "red"}


def verdict(need: LineNeed) -> None:
    """The answer in a word and in a sentence."""
    name, colour, sign = LINE[need.verdict]
    st.badge(name, color=colour, icon=sign)  # type: ignore[arg-type]
    st.text(need.words)


def size(nbytes: float) -> str:
    """Bytes with a unit that suits them (K = 1000)."""
    for scale, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if nbytes >= scale:
            return f"{number(nbytes / scale)} {unit}"
    return f"{number(nbytes)} B"


def source_of_kv(page: PageState) -> str:
    """Where the KV of the chosen model comes from."""
    if page["model"] == OWN:
        return FEASIBILITY["assumed"]
    if page["model"] == OF_C11:
        return FEASIBILITY["claim_c11"]
    return models()[page["model"]].sources.get("kv_bytes_per_token", FEASIBILITY["assumed"])


def figures(page: PageState, kv: KvSize, asked: Demand, need: LineNeed, base: Scenario) -> None:
    """Gbps needed and carried, the use, what DRC saves, KV of a request, time to cross."""
    told = LINE["source_kv"].format(source=source_of_kv(page))
    share = base.line.goodput_share if base.line else 1.0
    saved = need.saved_by_drc if page["drc"] else None
    nbytes = need.bytes_sent * page["requests"]
    fixed = LINE["each_fixed"].format(size=size(kv.fixed_bytes)) if kv.fixed_bytes else ""
    one = partial(Number, kind="computed")
    words = LINE["needed_about"].format(rps=number(asked.rps), sent=size(need.bytes_sent))
    each = LINE["each_about"].format(per_token=size(kv.bytes_per_token), fixed=fixed)
    whole, _, unit = size(need.bytes_whole).partition(" ")
    crosses = seconds_for(nbytes, need.carries_gbps or 0.0)
    numbers(
        "feasibility-line",
        [
            one("needed", LINE["needed"], gbps(need.gbps_sent), "Gbps", words, source=told,
                role="line", trend="worse" if need.verdict == "does not carry" else "",
                note=LINE["needed_note"].format(raw=gbps(need.gbps_raw), share=100 * share)),
            one("carried", LINE["capacity"], gbps(need.carries_gbps), "Gbps",
                LINE["capacity_about"], role="line", source=LINE["capacity_source"].format(
                    source=source_of(base, "line.goodput_share"))),
            one("load", LINE["load"], *percent(need.load, 0), LINE["load_about"]),
            one("saved", LINE["saved"], DASH if saved is None else number(saved),
                "" if saved is None else "×", LINE["saved_about"],
                note="" if page["drc"] else LINE["saved_off"]),
            one("each", LINE["each"], whole, unit, each, source=told,
                note=LINE["each_note"].format(sent=size(need.bytes_sent))),
            one("drain", LINE["drain"], *seconds(crosses),
                LINE["drain_about"].format(requests=number(page["requests"]))),
        ],
    )  # fmt: skip


def gbps(value: float | None) -> str:
    """Gbps with a digit behind the point even where it is large."""
    return number(value) if value is None or value < 100 else f"{value:,.1f}"


def bars(page: PageState, kv: KvSize, asked: Demand, line: Line, base: Scenario) -> None:
    """Whole KV, with DRC, and the most that prefill makes, against what the line carries."""
    with_drc = line_need(kv, asked, line)
    colours, figure = palette(), go.Figure()
    verdicts = line_need(kv, asked, line, drc=False).verdict, with_drc.verdict
    shown = [
        (LINE["whole"], with_drc.gbps_whole, COLOURS[verdicts[0]], LINE["whole_about"],
         not page["drc"]),
        (LINE["with_drc"], with_drc.gbps_sent, COLOURS[verdicts[1]], LINE["with_about"],
         page["drc"]),
    ]  # fmt: skip
    if page["model"] == base.model.name:
        most = most_new_kv(base).gbps
        shown.append((LINE["most"], most, "p", LINE["most_about"], False))
    for name, value, role, about, is_set in shown:
        figure.add_bar(
            y=[name], x=[value], orientation="h", showlegend=False,
            marker={"color": faded(colours[role], 1.0 if is_set else 0.4)},
            hovertemplate=LINE["hover"].format(name=name, about="<br>".join(_broken(about))),
        )  # fmt: skip
        figure.add_annotation(  # on a ground of its own: the mark of the line may cross it
            x=value, y=name, text=gbps(value), showarrow=False, xanchor="left", xshift=3,
            font={"color": colours["ink"], "size": 12}, bgcolor=colours["page"], borderpad=1,
        )  # fmt: skip
    capacity = with_drc.carries_gbps
    if capacity is not None:
        _mark(figure, capacity, colours["line"])
    figure.update_yaxes(autorange="reversed")
    top = max(capacity or 0.0, *(value for _, value, *_ in shown)) * 1.16
    figure.update_xaxes(title=LINE["x"], range=[0, top])
    told = LINE["alt"].format(
        capacity=gbps(capacity), whole=gbps(with_drc.gbps_whole), sent=gbps(with_drc.gbps_sent)
    )
    figure.update_layout(margin={"t": 30})
    chart(figure, "feasibility-bars", told, height=230, name="gbps-needed")


def _broken(words: str, most: int = 60) -> list[str]:
    lines = [""]
    for word in words.split():
        if len(lines[-1]) + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _mark(figure: go.Figure, capacity: float, colour: str) -> None:
    line = {"color": colour, "dash": "dash", "width": 2.4}
    figure.add_shape(type="line", x0=capacity, x1=capacity, y0=0, y1=1, yref="paper", line=line)
    figure.add_annotation(
        x=capacity, y=1.0, yref="paper", text=LINE["mark"].format(gbps=gbps(capacity)),
        showarrow=False, xanchor="left", xshift=-20, yanchor="bottom",
        font={"color": colour, "size": 12.5},
    )  # fmt: skip
