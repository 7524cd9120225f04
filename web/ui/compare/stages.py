"""Where the time of a request goes: the mean of each stage, stacked, one bar a deployment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from ..charts import chart, faded, palette
from ..numbers import seconds
from ..texts.compare import STAGE_NAMES, STAGES

Said = dict[str, Any]

LOOKS = {
    "queue_p": ("p", 0.35), "prefill": ("p", 1.0), "transfer": ("line", 1.0),
    "queue_slot": ("faint", 0.6), "first_step": ("faint", 1.0), "output_overhead": ("soft", 1.0),
    "relay": ("rld", 1.0), "handoff": ("rld", 0.4), "main": ("md", 1.0),
}  # fmt: skip
"""Role and strength of the colour of each stage, in order."""

TO_FIRST = ("queue_p", "prefill", "transfer", "queue_slot", "first_step", "output_overhead")


def stages(answer: Said, names: Sequence[str], until: str) -> None:
    """Draw the stages until the first token, or all of them."""
    shown = [one for one in LOOKS if until == "last" or one in TO_FIRST]
    colours, results = palette(), answer["results"]
    figure = go.Figure()
    for stage in shown:
        values = [result["stages_s"][stage] for result in results]
        if not any(values):
            continue
        role, strength = LOOKS[stage]
        figure.add_bar(
            y=list(names), x=values, orientation="h", name=STAGE_NAMES[stage][0],
            marker={"color": faded(colours[role], strength), "line": {"width": 0}},
            hovertemplate=STAGES["hover"].format(
                name=STAGE_NAMES[stage][0], about=STAGE_NAMES[stage][1]
            ),
        )  # fmt: skip
    for name, result in zip(names, results, strict=True):
        _total(figure, name, result["stages_s"], shown)
    figure.update_layout(barmode="stack", legend={"traceorder": "normal"})
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(title=STAGES[f"x_{until}"], ticksuffix=" s", rangemode="tozero")
    chart(figure, "compare-stages", _alt(results, names, shown), height=330, name="stages")


def _total(figure: go.Figure, name: str, said: Mapping[str, Any], shown: Sequence[str]) -> None:
    values = [said[stage] or 0.0 for stage in shown]
    figure.add_annotation(
        x=sum(values), y=name, text=" ".join(seconds(sum(values))), showarrow=False,
        xanchor="left", xshift=6,
    )  # fmt: skip


def _alt(results: Sequence[Said], names: Sequence[str], shown: Sequence[str]) -> str:
    told = []
    for name, result in zip(names, results, strict=True):
        said = {stage: result["stages_s"][stage] or 0.0 for stage in shown}
        most = max(said, key=lambda stage: said[stage])
        told.append(
            STAGES["alt_one"].format(
                name=name, total=" ".join(seconds(sum(said.values()))),
                stage=STAGE_NAMES[most][0], most=" ".join(seconds(said[most])),
            )
        )  # fmt: skip
    return STAGES["alt"].format(told="; ".join(told))
