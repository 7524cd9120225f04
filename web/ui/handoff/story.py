"""One handoff drawn batch by batch, and the gap against the tokens streamed for each mode."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import plotly.graph_objects as go

from twin.handoff_lab import Setting, Story, extended_step_s, stories
from twin.scenario import Scenario

from ..charts import chart, faded, palette
from ..numbers import Number, number, numbers, seconds
from ..texts.handoff import CURVE, MODES, STORY

LOOKS = {"one_shot": ("red", "dash"), "catch_up": ("md", "solid"), "auto": ("accent", "dot")}
"""Colour and dash of each mode."""

MOST_EAGER = 600

TICKS_MS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000]


def drawn(told: Story) -> None:
    """Batches as bars, the relay's time below, and the tokens as the user sees them."""
    figure, colours = go.Figure(), palette()
    rows = [STORY["batch"].format(n=i + 1) for i in range(len(told.batches))]
    for i, (batch, row) in enumerate(zip(told.batches, rows, strict=True)):
        last = i == len(rows) - 1
        words = {"n": i + 1, "ids": batch.ids, "start": batch.from_s * 1e3, "end": batch.to_s * 1e3}
        figure.add_bar(
            y=[row], x=[(batch.to_s - batch.from_s) * 1e3], base=batch.from_s * 1e3,
            orientation="h", showlegend=False, hovertemplate=STORY["hover_batch"].format(**words),
            marker={"color": colours["red"] if last else faded(colours["md"], 0.75)},
            text=STORY["ids"].format(ids=batch.ids), textposition="auto", insidetextanchor="start",
            textfont={"color": colours["ink"]},
        )  # fmt: skip
    figure.add_bar(
        y=[STORY["on_relay"]], x=[told.relay_s * 1e3], orientation="h", showlegend=False,
        marker={"color": colours["rld"]},
        hovertemplate=STORY["hover_relay"].format(end=told.relay_s * 1e3),
    )  # fmt: skip
    times = told.token_s * 1e3
    figure.add_scatter(
        x=times, y=[STORY["user"]] * len(times), mode="markers", showlegend=False,
        hovertemplate=STORY["hover_token"],
        marker={"symbol": "line-ns-open", "size": 13, "color": colours["ink"]},
    )  # fmt: skip
    middle = (told.relay_s + told.gap_s / 2) * 1e3
    figure.add_annotation(
        x=middle, y=STORY["user"], text=STORY["gap_mark"].format(gap=told.gap_s * 1e3), yshift=19,
        showarrow=False, font={"color": colours["red"], "size": 12.5},
    )  # fmt: skip
    order = [*rows, STORY["on_relay"], STORY["user"]]
    figure.update_yaxes(categoryorder="array", categoryarray=order[::-1])
    figure.update_xaxes(title=STORY["x"], rangemode="tozero")
    chart(figure, "handoff-story", _alt(told), height=150 + 34 * len(order), name="one-handoff")


def _alt(told: Story) -> str:
    return STORY["alt"].format(
        eager=told.eager, mode=MODES[told.mode], rounds=len(told.batches),
        relay=told.relay_s * 1e3, gap=told.gap_s * 1e3,
    )  # fmt: skip


def figures(told: Story, setting: Setting, scenario: Scenario, batch: int) -> None:
    """Gap, the relay's time, steps of main decode and how long they take."""
    pool, model = scenario.main_decode, scenario.model
    longer = extended_step_s(pool, model, batch, setting.ids_per_step)
    plain = setting.main_step_s
    itl = plain / setting.tokens_per_step
    one = partial(Number, kind="computed")
    numbers(
        "handoff-story-numbers",
        [
            one("gap", STORY["gap"], *seconds(told.gap_s), STORY["gap_about"], role="red",
                note=STORY["gap_note"].format(times=number(told.gap_s / itl, 2))),
            one("relay", STORY["relay"], *seconds(told.relay_s), STORY["relay_about"], role="rld",
                note=STORY["relay_note"].format(made=told.made_by_relay)),
            one("steps", STORY["steps"], f"{told.main_steps}", "", STORY["steps_about"], role="md",
                note=STORY["steps_note"].format(rounds=len(told.batches))),
            one("step", STORY["step"], number(longer * 1e3), "ms",
                STORY["step_about"].format(ids=setting.ids_per_step), role="md",
                trend="worse" if longer > 1.01 * plain else "",
                note=STORY["step_note"].format(plain=number(plain * 1e3))),
        ],
    )  # fmt: skip


def curve(setting: Setting, eager: int) -> None:
    """The gap against the tokens streamed, for each mode; the present number is marked."""
    most = max(MOST_EAGER, round(eager * 1.1))
    around = [setting.auto_tokens, setting.auto_tokens + 1]
    counts = np.unique(np.r_[np.linspace(1, most, 90).round(), around])
    told = stories([int(n) for n in counts], setting)
    figure, colours = go.Figure(), palette()
    for mode, each in told.items():
        role, dash = LOOKS[mode]
        figure.add_scatter(
            x=counts, y=[one.gap_s * 1e3 for one in each], name=MODES[mode], mode="lines",
            line={"color": colours[role], "dash": dash, "width": 3 if mode == "auto" else 2},
            hovertemplate=CURVE["hover"].format(mode=MODES[mode]),
        )  # fmt: skip
    _marks(figure, setting.auto_tokens, eager, colours)
    figure.update_xaxes(title=CURVE["x"], range=[0, most])
    figure.update_yaxes(title=CURVE["y"], type="log", tickvals=TICKS_MS)
    ends = {mode: each[-1].gap_s * 1e3 for mode, each in told.items()}
    told_alt = CURVE["alt"].format(most=most, **ends)
    chart(figure, "handoff-curve", told_alt, height=330, name="gap-by-tokens")


def _marks(figure: go.Figure, threshold: int, eager: int, colours: Mapping[str, str]) -> None:
    for x, role, words in (
        (threshold, "accent", CURVE["threshold"].format(tokens=threshold)), (eager, "faint", "")
    ):  # fmt: skip
        line = {"color": colours[role], "dash": "dot", "width": 1.3}
        figure.add_shape(type="line", x0=x, x1=x, y0=0, y1=1, yref="paper", line=line)
        figure.add_annotation(
            x=x, y=0.98, yref="paper", text=words, showarrow=False, xanchor="left", xshift=4,
            yanchor="top", font={"color": colours["soft"], "size": 12},
        )  # fmt: skip
