"""One request: its figures, its intervals as bars and as numbers, and the gaps of its tokens."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from ..charts import chart, faded, palette
from ..heads import section
from ..numbers import DASH, Number, number, numbers, seconds
from ..tables import Cell, Column, Row, table
from ..texts.requests import FIGURES, GANTT, GAPS, INTERVALS, NOTES, VIEWS

Said = dict[str, Any]

ROLES = {
    "prefill": "p", "RDMA": "accent", "line": "line", "relay decode": "rld", "handoff": "amber",
    "main decode": "md",
}  # fmt: skip
WAITING = ("wait", "last bytes", "lost")
NAMED_FROM = 0.09
"""A bar is named in the picture if it takes at least this share of its width."""

ROOM = 0.06
HANDOFF_ROOM_S = 0.6


def figures(one: Said, basis: str, key: str) -> None:
    """The row of figures of a request."""
    ttft, total, gap = (seconds(one[k]) for k in ("ttft_s", "total_s", "largest_gap_s"))
    line_s = sum(i["to_s"] - i["from_s"] for i in one["intervals"] if i["lane"] == "line")
    cached = number(100 * one["hit_tokens"] / max(one["prompt_tokens"], 1), 3)
    on_line = seconds(line_s) if line_s else (DASH, "")
    estimate = NOTES["estimate"].format(seconds=number(one["estimate_s"], 2))
    told: dict[str, tuple[str, str, str]] = {
        "pipeline": (one["pipeline"], "", NOTES["arrival"].format(
            number=one["number"], time=f"{one['arrival_s']:,.1f}")),
        "ttft": (ttft[0], ttft[1], ""),
        "total": (total[0], total[1], "" if one["total_s"] is not None else NOTES["not_done"]),
        "prompt": (f"{one['prompt_tokens']:,.0f}", "tokens", NOTES["hit"].format(share=cached)),
        "output": (
            f"{one['output_tokens']:,}", "tokens",
            NOTES["relayed"].format(count=f"{one['relay_tokens']:,}"),
        ),
        "kv": (number(one["nbytes"] / 1e6, 3), "MB", "" if line_s else NOTES["no_line"]),
        "line_time": (on_line[0], on_line[1], estimate if line_s else ""),
        "gap": (gap[0], gap[1], "" if one["largest_gap_at"] is None else NOTES["after"].format(
            number=f"{one['largest_gap_at']:,}")),
    }  # fmt: skip
    numbers(f"request-figures-{key}", [_figure(name, key, told[name], basis) for name in FIGURES])


def _figure(name: str, key: str, told: tuple[str, str, str], basis: str) -> Number:
    label, about = FIGURES[name]
    text, unit, note = told
    role = "line" if name in ("kv", "line_time") else "soft"
    named = name if key == "0" else f"{name}-{key}"
    return Number(named, label, text, unit, about, "simulated", basis, note, role)


def window(one: Said, view: str) -> tuple[float, float]:
    """From when to when (s) a view shows; all of it where there is no such moment."""
    end = max([i["to_s"] for i in one["intervals"]], default=1.0)
    handoffs = [i for i in one["intervals"] if i["lane"] == "handoff"]
    if view == "first" and one["ttft_s"]:
        return 0.0, one["ttft_s"] * (1 + 2 * ROOM)
    if view == "handoff" and handoffs:
        first, last = handoffs[0]["from_s"], handoffs[-1]["to_s"]
        return max(0.0, first - HANDOFF_ROOM_S), last + HANDOFF_ROOM_S
    return 0.0, end * (1 + ROOM)


def gantt(one: Said, lanes: list[str], span: tuple[float, float], key: str) -> None:
    """The intervals as bars, by lane."""
    colours = palette()
    figure = go.Figure()
    for i, bar in enumerate(one["intervals"]):
        _bar(figure, one, i, bar, span, colours[ROLES[bar["lane"]]])
    for at, words in ((one["ttft_s"], GANTT["first"]), (one["total_s"], GANTT["last"])):
        if at is not None and span[0] <= at <= span[1]:
            _moment(figure, at, words, span, colours)
    figure.update_layout(
        barmode="overlay", showlegend=False, bargap=0.3,
        uniformtext={"minsize": 10, "mode": "hide"},  # on a phone a short bar has no room for words
    )  # fmt: skip
    figure.update_xaxes(title=GANTT["x"], range=list(span), ticksuffix="")
    figure.update_yaxes(
        categoryorder="array", categoryarray=lanes[::-1], type="category", range=[-0.6, 6.1],
        showgrid=False,
    )  # fmt: skip
    figure.add_scatter(
        x=[None] * len(lanes), y=lanes, mode="markers", hoverinfo="skip"
    )  # every lane is there, used or not
    told = ", ".join(
        f"{bar['what']} {' '.join(seconds(bar['to_s'] - bar['from_s']))}"
        for bar in one["intervals"]
    )
    alt = GANTT["alt"].format(number=one["number"], name=one["scenario"], told=told)
    chart(figure, f"request-gantt-{key}", alt, height=300, name=f"request-{one['number']}")


def _bar(figure, one, i, bar, span, colour) -> None:  # noqa: ANN001
    length = bar["to_s"] - bar["from_s"]
    waits = any(word in bar["what"] for word in WAITING)
    share = length / (span[1] - span[0])
    after = [b for b in one["intervals"][i + 1 :] if b["lane"] == bar["lane"]]
    words = f"{bar['what']} {' '.join(seconds(length))}"
    inside = share > max(NAMED_FROM, 0.0062 * len(words))
    ink = palette()["ink" if waits else "page"]
    figure.add_bar(
        x=[length], y=[bar["lane"]], base=[bar["from_s"]], orientation="h",
        marker={
            "color": faded(colour, 0.22) if waits else colour,
            "line": {"color": colour, "width": 1},
        },
        text=words if inside or (not after and bar["to_s"] < span[1] * 0.75) else "",
        textposition="inside" if inside else "outside", insidetextanchor="middle",
        textangle=0, cliponaxis=True, insidetextfont={"color": ink, "size": 12},
        outsidetextfont={"color": palette()["ink"], "size": 12},
        hovertemplate=GANTT["hover"].format(
            what=bar["what"], lane=bar["lane"], start=f"{bar['from_s']:.3f}",
            end=f"{bar['to_s']:.3f}", length=" ".join(seconds(length)),
        ),
    )  # fmt: skip


def _moment(figure, at, words, span, colours) -> None:  # noqa: ANN001
    line = {"color": colours["ink"], "dash": "dot", "width": 1.3}
    figure.add_shape(type="line", x0=at, x1=at, y0=0, y1=1, yref="paper", line=line)
    late = at > span[0] + 0.85 * (span[1] - span[0])
    figure.add_annotation(
        x=at, y=1, yref="paper", text=f"{words} {at:.2f} s", showarrow=False, yanchor="top",
        xanchor="right" if late else "left", xshift=-4 if late else 4,
        font={"color": colours["soft"], "size": 12},
    )  # fmt: skip


def gaps(one: Said) -> None:
    """Time between each token and the next; where relay decode hands over is marked."""
    section(GAPS["title"], GAPS["about"])
    told = one["gaps_s"]
    if not told:
        st.caption(GAPS["none"])
        return
    colours = palette()
    made = one["relay_tokens"]
    figure = go.Figure()
    figure.add_scatter(
        x=list(range(2, len(told) + 2)), y=[1e3 * gap for gap in told], mode="lines",
        line={"color": colours["accent"], "width": 1.4, "shape": "hvh"},
        hovertemplate=GAPS["hover"],
    )  # fmt: skip
    if 0 < made < one["output_tokens"]:
        figure.add_vline(x=made + 1, line={"color": colours["rld"], "dash": "dot", "width": 1.3})
        figure.add_annotation(
            x=made + 1, y=1, yref="paper", text=GAPS["relay"], showarrow=False, yanchor="top",
            xanchor="left", xshift=4, font={"color": colours["soft"], "size": 12},
        )  # fmt: skip
    figure.update_xaxes(title=GAPS["x"])
    wide = max(told) > 5 * min(told) > 0
    figure.update_yaxes(title=GAPS["y"], **({"type": "log", "dtick": 1} if wide else {}))
    longest, at = number(1e3 * (one["largest_gap_s"] or 0), 3), one["largest_gap_at"]
    alt = GAPS["alt"].format(count=len(told) + 1, longest=longest, at=at)
    chart(figure, "request-gaps", alt, height=300, name=f"request-{one['number']}-gaps")


def intervals(one: Said, basis: str) -> None:
    """The bars as a table."""
    section(INTERVALS["title"], INTERVALS["about"])
    columns = [
        Column(name, about, unit, align="left" if key in ("lane", "what") else "right")
        for key, (name, unit, about) in INTERVALS["columns"].items()
    ]
    rows = []
    for i, bar in enumerate(one["intervals"]):
        told = {**bar, "seconds": bar["to_s"] - bar["from_s"]}
        cells = [
            Cell(told[key], lines=[about])
            if key in ("lane", "what")
            else Cell(f"{told[key]:.3f}", told[key], lines=[about, basis])
            for key, (_, _, about) in INTERVALS["columns"].items()
        ]
        rows.append(Row(f"{bar['lane']} {bar['what']} {i}", cells))
    table("request-intervals", INTERVALS["title"], columns, rows, file=f"request-{one['number']}")


def views(one: Said) -> dict[str, str]:
    """The views that a request has: one without a handoff has none of it."""
    has = any(i["lane"] == "handoff" for i in one["intervals"])
    return {name: words for name, words in VIEWS.items() if has or name != "handoff"}


def title(one: Said) -> str:
    """A request and its deployment in words."""
    return GANTT["named"].format(name=one["title"] or one["scenario"], number=one["number"])
