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


def stages(answer: Said, band: str, until: str) -> None:
    """Draw the stages of a band of the requests, until the first token or all of them."""
    shown = [one for one in LOOKS if until == "last" or one in TO_FIRST]
    stacks = {one["name"]: one["stacks"][band] for one in answer["deployments"]}
    colours = palette()
    figure = go.Figure()
    for stage in shown:
        values = [stack[stage] for stack in stacks.values()]
        if not any(values):
            continue
        role, strength = LOOKS[stage]
        name, about = STAGE_NAMES[stage]
        figure.add_bar(
            y=list(stacks), x=values, orientation="h", name=name,
            marker={"color": faded(colours[role], strength), "line": {"width": 0}},
            hovertemplate=STAGES["hover"].format(name=name, about=about),
        )  # fmt: skip
    for name, stack in stacks.items():
        total = sum(stack[stage] for stage in shown)
        figure.add_annotation(
            x=total, y=name, text=" ".join(seconds(total)), showarrow=False, xanchor="left",
            xshift=6,
        )  # fmt: skip
    figure.update_layout(barmode="stack", legend={"traceorder": "normal"})
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(title=STAGES[f"x_{until}"], ticksuffix=" s", rangemode="tozero")
    chart(figure, "compare-stages", _alt(stacks, shown), height=330, name="stages")


def _alt(stacks: Mapping[str, Mapping[str, float]], shown: Sequence[str]) -> str:
    told = []
    for name, stack in stacks.items():
        most = max(shown, key=lambda stage: stack[stage])
        total = sum(stack[stage] for stage in shown)
        told.append(
            STAGES["alt_one"].format(
                name=name, total=" ".join(seconds(total)), stage=STAGE_NAMES[most][0],
                most=" ".join(seconds(stack[most])),
            )
        )  # fmt: skip
    return STAGES["alt"].format(told="; ".join(told))
