"""What the deployments cost: a waterfall from the baseline to each of the others."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from twin.cost_table import Hardware, prices_in, waterfall
from twin.scenario import Scenario

from ..charts import chart, palette
from ..numbers import number
from ..texts.compare import MONEY

Said = dict[str, Any]

ROOM = 14
"""Letters of a label that fit below a bar."""


def waterfalls(answer: Said) -> None:
    """One waterfall for each deployment but the baseline, one below the other."""
    first, *others = [Scenario.model_validate(one["values"]) for one in answer["deployments"]]
    for i, other in enumerate(others):
        _waterfall(first, other, first.name, other.name, f"compare-cost-{i}")


def _waterfall(before: Scenario, after: Scenario, first: str, last: str, key: str) -> None:
    (prices, line), (more, other_line) = prices_in(before), prices_in(after)
    if after.line is not None:
        line = other_line
    falls = waterfall(Hardware.of(before), Hardware.of(after), {**more, **prices}, line)
    colours = palette()
    labels = [first, *(fall.label for fall in falls[1:]), last]
    ends = falls[-1]
    figure = go.Figure(
        go.Waterfall(
            x=labels,
            measure=["absolute", *["relative"] * (len(falls) - 1), "total"],
            y=[falls[0].reached_low, *(fall.change_low for fall in falls[1:]), 0],
            text=[
                number(falls[0].reached_low, 4),
                *(_change(fall.change_low) for fall in falls[1:]),
                number(ends.reached_low, 4),
            ],
            textposition="outside", cliponaxis=False,
            increasing={"marker": {"color": colours["rld"]}},
            decreasing={"marker": {"color": colours["md"]}},
            totals={"marker": {"color": colours["faint"]}},
            connector={"line": {"color": colours["edge"]}},
            hovertemplate="%{x}: %{text} " + MONEY["unit"] + "<extra></extra>",
        )
    )  # fmt: skip
    top = max(fall.reached_low for fall in falls) * 1.15
    figure.update_yaxes(title=MONEY["unit"], range=[0, top])
    figure.update_xaxes(tickangle=0, tickvals=labels, ticktext=[_lines(one) for one in labels])
    alt = MONEY["alt"].format(
        first=first, last=last, before=number(falls[0].reached_low, 4),
        after=number(ends.reached_low, 4),
    )  # fmt: skip
    chart(figure, key, alt, height=220, name=f"cost-{after.name}")
    if ends.reached_high != ends.reached_low:
        high = number(ends.reached_high, 4)
        st.caption(MONEY["high"].format(name=last, high=high))


def _lines(label: str) -> str:
    """A label broken where its words and the parts of a scenario's name end."""
    lines = wrap(label.replace("_", "_ "), ROOM, break_long_words=False)
    return "<br>".join(line.replace("_ ", "_") for line in lines)


def _change(value: float) -> str:
    return f"+{number(value, 3)}" if value > 0 else number(value, 3)
