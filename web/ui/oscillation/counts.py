"""The number of RLD instances by itself: the advice that foresees, and the rule that flaps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import plotly.graph_objects as go

from twin.scaling import can_drop, counts
from twin.scenario import RelayScaling

from ..charts import chart, palette
from ..numbers import DASH, Number, numbers, percent
from ..texts.oscillation import SCALING

LOOKS = 60


def changes(course: Sequence[int]) -> int:
    """How often the number of instances changed."""
    return sum(one != other for one, other in pairwise(course))


def scaling(work: float, threshold: float) -> tuple[list[int], list[int]]:
    """Instances after each look under constant work: with the advice, and without it."""
    rule = RelayScaling(threshold=threshold, least=1, most=8)
    return counts(rule, work, LOOKS), counts(rule, work, LOOKS, foresees=False)


def stairs(advice: Sequence[int], hasty: Sequence[int]) -> None:
    """Draw both courses."""
    colours, figure = palette(), go.Figure()
    shown = ((hasty, SCALING["hasty"], "faint", "dot"), (advice, SCALING["advice"], "rld", "solid"))
    for course, name, role, dash in shown:
        figure.add_scatter(
            x=list(range(len(course))), y=list(course), name=name, mode="lines",
            line={"color": colours[role], "dash": dash, "width": 2, "shape": "hv"},
            hovertemplate=SCALING["hover"].format(name=name),
        )  # fmt: skip
    figure.update_xaxes(title=SCALING["x"])
    figure.update_yaxes(title=SCALING["y"], rangemode="tozero", dtick=1)
    told = SCALING["alt"].format(advice=changes(advice), hasty=changes(hasty))
    chart(figure, "oscillation-stairs", told, height=230, name="rld-instances")


def figures(work: float, threshold: float, advice: Sequence[int], hasty: Sequence[int]) -> None:
    """How often each rule changes its mind, and what the advice says of one instance less."""
    settled = advice[-1]
    said = can_drop(work / settled, settled, threshold)
    after = DASH if said.load_after is None else " ".join(percent(said.load_after, 0))
    note = SCALING["drop_note"].format(load=" ".join(percent(said.load, 0)), after=after)
    numbers(
        "oscillation-counts",
        [
            Number("changes", SCALING["changes"], f"{changes(advice)}", "",
                   SCALING["changes_about"], "computed", SCALING["rule"],
                   note=SCALING["changes_note"].format(hasty=changes(hasty)), role="rld"),
            Number("drop", SCALING["drop"], SCALING["yes" if said.can_drop else "no"], "",
                   SCALING["drop_about"].format(words=said.words), "computed", SCALING["rule"],
                   note=note),
        ],
    )  # fmt: skip


def seen(count: int, switched_on: bool, basis: str) -> Number:
    """How often the number of instances changed in the run."""
    text = f"{count}" if switched_on else DASH
    return Number(
        "seen", SCALING["seen"], text, "", SCALING["seen_about"], "simulated", basis,
        note="" if switched_on else SCALING["seen_off"],
    )  # fmt: skip
