"""How much each deployment can serve within the SLA, and its benefit per cost by that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..numbers import DASH, MINUS, Number, number, numbers, spread
from ..studies import basis_of
from ..texts.compare import CAPACITY

Said = dict[str, Any]


def capacities(answer: Said, names: Sequence[str]) -> None:
    """Capacity, load and BCR of each deployment."""
    results = answer["results"]
    slo = results[0]["scenario_data"]["slo"]
    aim = CAPACITY["aim"].format(share=slo["share"] * 100, total=slo["total_s"])
    figures: list[Number] = []
    for i, (result, name) in enumerate(zip(results, names, strict=True)):
        figures.append(_capacity(result, results[0], name, f"{aim} {basis_of(answer)}."))
        if i:
            figures.append(_bcr(result, name, names[0], basis_of(answer)))
    numbers("compare-capacity", figures)


def _capacity(result: Said, baseline: Said, name: str, source: str) -> Number:
    rps, usual = result["capacity_rps"], baseline["capacity_rps"]
    notes = [
        spread((result["capacity_spread"] or {}).get("sd")),
        CAPACITY["load"].format(load=number(result["capacity_load"], 0)),
    ]
    if result is not baseline and rps and usual:
        share = rps / usual - 1
        notes.append(f"{'+' if share > 0 else MINUS}{abs(share) * 100:.0f} %")
    return Number(
        f"capacity_{name}", CAPACITY["capacity"].format(name=name), number(rps), "requests/s",
        CAPACITY["capacity_about"], "simulated", result["capacity_why"] or source,
        note=" · ".join(note for note in notes if note),
    )  # fmt: skip


def _bcr(result: Said, name: str, first: str, basis: str) -> Number:
    value, low = result["bcr"], result["bcr_high_price"]
    text = number(value) if low is None or value is None else f"{number(low)}–{number(value)}"
    trend = "" if value is None else "better" if (low or value) > 1 else "worse"
    return Number(
        f"bcr_{name}", CAPACITY["bcr"].format(name=name), text, "" if text == DASH else "×",
        CAPACITY["bcr_about"].format(first=first), "simulated", basis,
        note=CAPACITY["interval"] if low is not None else "", trend=trend,
    )  # fmt: skip
