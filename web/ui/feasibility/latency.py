"""The second answer: what each stage takes on each pipeline, against the SLA."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from twin.policy import P_MD, P_RLD, P_RLD_MD
from twin.scenario import Scenario
from twin.stage_times import Asked, Latency, latency

from ..charts import chart, faded, palette
from ..numbers import DASH, Number, number, numbers, percent, seconds
from ..tables import Cell, Column, Row, table
from ..texts.feasibility import LATENCY, STAGES

LOOKS = {
    "prefill": ("p", 1.0), "transfer": ("line", 1.0), "first_step": ("faint", 1.0),
    "output_overhead": ("soft", 1.0), "relay": ("rld", 1.0), "handoff": ("red", 1.0),
    "main": ("md", 1.0),
}  # fmt: skip
"""Role and strength of the colour of each stage, in order."""

COMPARED = (P_MD, P_RLD_MD, P_RLD)


def verdict(told: Latency) -> None:
    """The answer in a word."""
    name, colour, sign = LATENCY["holds" if told.total_holds else "fails"]
    st.badge(name, color=colour, icon=sign)  # type: ignore[arg-type]


def bars(scenario: Scenario, asked: Asked, chosen: Latency, until: str) -> None:
    """The stages of each pipeline, stacked, and the SLA as a line."""
    every: dict[str, Latency] = {}
    for pipeline in COMPARED:
        told = latency(scenario, asked, pipeline)
        every.setdefault(told.pipeline, told)
    every[chosen.pipeline] = chosen
    figure, colours = go.Figure(), palette()
    names = {
        one: LATENCY["chosen"].format(name=one) if one == chosen.pipeline else one for one in every
    }
    for stage in LOOKS:
        _stage(figure, stage, every, names, until, colours)
    for pipeline, told in every.items():
        total = told.ttft_s if until == "first" else told.total_s
        figure.add_annotation(
            x=total, y=names[pipeline], text=" ".join(seconds(total)), showarrow=False,
            xanchor="left", xshift=6,
        )  # fmt: skip
    if until == "last":
        _sla(figure, scenario.slo.total_s, colours["red"])
    figure.update_layout(barmode="stack", legend={"traceorder": "normal"})
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(title=LATENCY[f"x_{until}"], ticksuffix=" s", rangemode="tozero")
    words = "; ".join(f"{name} {' '.join(seconds(one.total_s))}" for name, one in every.items())
    told_alt = LATENCY["alt"].format(told=words, chosen=chosen.pipeline)
    chart(figure, "feasibility-stages", told_alt, height=290, name="stages")


def _stage(
    figure: go.Figure, stage: str, every: Mapping[str, Latency], names: Mapping[str, str],
    until: str, colours: Mapping[str, str],
) -> None:  # fmt: skip
    values, hows = [], []
    for told in every.values():
        found = [s for s in told.stages if s.stage == stage]
        found = [s for s in found if until == "last" or s.counts == "TTFT"]
        values.append(sum(s.seconds for s in found))
        hows.append(found[0].how if found else "")
    if not any(values):
        return
    role, strength = LOOKS[stage]
    figure.add_bar(
        y=[names[one] for one in every], x=values, orientation="h", name=STAGES[stage],
        customdata=hows, marker={"color": faded(colours[role], strength), "line": {"width": 0}},
        hovertemplate=LATENCY["hover"].format(name=STAGES[stage], how="%{customdata}"),
    )  # fmt: skip


def _sla(figure: go.Figure, limit: float, colour: str) -> None:
    line = {"color": colour, "dash": "dot", "width": 1.8}
    figure.add_shape(type="line", x0=limit, x1=limit, y0=0, y1=1, yref="paper", line=line)
    figure.add_annotation(
        x=limit, y=0.02, yref="paper", text=LATENCY["sla"].format(sla=limit), showarrow=False,
        xanchor="right", xshift=-5, yanchor="bottom", font={"color": colour, "size": 12.5},
    )  # fmt: skip


def figures(told: Latency, asked: Asked, scenario: Scenario) -> None:
    """TTFT, total, time on the line, what the relay hides, the gap, and its tokens."""
    one = partial(Number, kind="computed", source=LATENCY["source"].format(name=scenario.name))
    estimate = " ".join(seconds(told.estimate_s))
    hidden = seconds(told.hidden_s) if told.hidden_s else (LATENCY["none"], "")
    numbers(
        "feasibility-latency",
        [
            one("ttft", LATENCY["ttft"], *seconds(told.ttft_s), LATENCY["ttft_about"], role="p"),
            one("total", LATENCY["total"], *seconds(told.total_s), LATENCY["total_about"],
                trend="" if told.total_holds else "worse",
                note=LATENCY["total_note"].format(sla=scenario.slo.total_s)),
            one("transfer", LATENCY["transfer"], *seconds(told.transfer_s),
                LATENCY["transfer_about"].format(estimate=estimate), role="line"),
            one("hidden", LATENCY["hidden"], *hidden, LATENCY["hidden_about"], role="rld"),
            one("gap", LATENCY["gap"], *seconds(told.gap_s), LATENCY["gap_about"], role="red"),
            one("relay_tokens", LATENCY["relay"], f"{told.relay_tokens:,}", "",
                LATENCY["relay_about"], role="rld",
                note=LATENCY["relay_note"].format(output=f"{asked.output_tokens:,}")),
        ],
    )  # fmt: skip


def stages(told: Latency) -> None:
    """The stages of the chosen pipeline with their formulas."""
    columns = [
        Column(LATENCY["stage"], align="left"),
        Column(LATENCY["seconds"], LATENCY["seconds_about"]),
        Column(LATENCY["share"], LATENCY["share_about"], "%"),
        Column(LATENCY["how"], LATENCY["how_about"], align="left"),
    ]
    rows = []
    for one in told.stages:
        text, unit = seconds(one.seconds)
        share = one.seconds / told.total_s if told.total_s else None
        rows.append(
            Row(
                one.stage,
                [
                    Cell(STAGES.get(one.stage, one.stage), lines=[one.how]),
                    Cell(text, one.seconds, unit, lines=[LATENCY["seconds_about"], one.how]),
                    Cell(percent(share)[0] if share else DASH, share,
                         lines=[LATENCY["share_about"], number(one.seconds) + " s"]),
                    Cell(one.how, lines=[one.counts]),
                ],
            )
        )  # fmt: skip
    table(
        "feasibility-table", LATENCY["stages"].format(pipeline=told.pipeline), columns, rows,
        file="stages",
    )  # fmt: skip
