"""How much each deployment can serve within the SLA, and its benefit per cost by that."""

from __future__ import annotations

from typing import Any

from ..numbers import DASH, MINUS, Number, number, numbers, spread
from ..studies import basis_of
from ..texts.compare import CAPACITY

Said = dict[str, Any]


def capacities(answer: Said) -> None:
    """Capacity, load and BCR of each deployment."""
    first, *others = answer["deployments"]
    aim = CAPACITY["aim"].format(share=answer["share"] * 100, total=answer["total_s"])
    basis = basis_of(answer)
    figures = [_capacity(first, first, f"{aim} {basis}.")]
    for one in others:
        figures += [_capacity(one, first, f"{aim} {basis}."), _bcr(one, first["name"], basis)]
    numbers("compare-capacity", figures)


def _capacity(one: Said, first: Said, source: str) -> Number:
    rps, usual = one["capacity_rps"], first["capacity_rps"]
    notes = [spread(one["sd"]), CAPACITY["load"].format(load=number(one["load"], 0))]
    if one is not first and rps and usual:
        share = rps / usual - 1
        notes.append(f"{'+' if share > 0 else MINUS}{abs(share) * 100:.0f}\u202f%")
    return Number(
        f"capacity {one['name']}", CAPACITY["capacity"].format(name=one["name"]), number(rps),
        "requests/s", CAPACITY["capacity_about"], "simulated", one["why"] or source,
        note=" · ".join(note for note in notes if note),
    )  # fmt: skip


def _bcr(one: Said, first: str, basis: str) -> Number:
    value, low = one["bcr"], one["bcr_high_price"]
    text = number(value) if low is None or value is None else f"{number(low)}–{number(value)}"
    trend = "" if value is None else "better" if (low or value) > 1 else "worse"
    return Number(
        f"bcr {one['name']}", CAPACITY["bcr"].format(name=one["name"]), text,
        "" if text == DASH else "×", CAPACITY["bcr_about"].format(first=first), "simulated", basis,
        note=CAPACITY["interval"] if low is not None else "", trend=trend,
    )  # fmt: skip
