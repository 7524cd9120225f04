"""What sets one deployment apart from another, in sentences that a person would say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .economics import bcr
from .side_by_side import Side

STAGE_WORDS = {
    "queue_p": "the queue at prefill",
    "prefill": "prefill itself",
    "transfer": "the transfer before the first token",
    "queue_slot": "the wait for a decode slot",
    "first_step": "the first decode step",
    "output_overhead": "output processing",
}

NOTICED_S = 0.05
"""Smaller changes are not told, in seconds."""

NOTICED_SHARE = 0.1
"""Nor is a stage that makes up less of all changes."""

FACTS_OF_SLA = 0.01

FACTS_OF_RATE = 0.005
"""A relative change in throughput that would be told as 0 %."""


@dataclass(frozen=True)
class Difference:
    """One deployment against the baseline; changes in seconds, at the median band of each.

    `by_stage` sums to `ttft_median_s` but for the width of the band.
    """

    baseline: str
    scenario: str
    ttft_p50_s: float
    ttft_p90_s: float
    ttft_median_s: float
    by_stage: dict[str, float]
    sentences: tuple[str, ...]


def differences(
    sides: Sequence[Side], capacities: Mapping[str, float | None] | None = None, sla_s: float = 30.0
) -> list[Difference]:
    """Each of the others against the first; `capacities` (requests/s) by name, where known."""
    return [_difference(sides[0], side, capacities or {}, sla_s) for side in sides[1:]]


def _difference(
    base: Side, side: Side, capacities: Mapping[str, float | None], sla_s: float
) -> Difference:
    before, after = base.stacks["median"], side.stacks["median"]
    by_stage = {name: after.stages[name] - before.stages[name] for name in STAGE_WORDS}
    sentences = [
        _ttft(base, side), _stages(by_stage), *_lines(base, side), _sla(base, side, sla_s),
        _rate(base, side), _cost(base, side), _benefit(base, side, capacities),
    ]  # fmt: skip
    return Difference(
        base.scenario, side.scenario,
        side.ttft_at(0.5) - base.ttft_at(0.5), side.ttft_at(0.9) - base.ttft_at(0.9),
        after.ttft_s - before.ttft_s, by_stage, tuple(s for s in sentences if s),
    )  # fmt: skip


def _ttft(base: Side, side: Side) -> str:
    told = []
    for level, words in ((0.5, "at the median"), (0.9, "at P90")):
        one, other = base.ttft_at(level), side.ttft_at(level)
        change = other - one
        if abs(change) < NOTICED_S:
            told.append(f"the same {words} ({other:.1f} s)")
        else:
            kind = "longer" if change > 0 else "shorter"
            told.append(f"{abs(change):.1f} s {kind} {words} ({one:.1f} to {other:.1f} s)")
    return f"TTFT is {' and '.join(told)}."


def _stages(by_stage: Mapping[str, float]) -> str:
    """What the change at the median is made of, the largest first."""
    moved = sum(abs(change) for change in by_stage.values())
    told = [
        f"{STAGE_WORDS[name]} {'adds' if change > 0 else 'takes away'} {abs(change):.1f} s"
        for name, change in sorted(by_stage.items(), key=lambda item: -abs(item[1]))
        if abs(change) >= NOTICED_S and abs(change) >= NOTICED_SHARE * moved
    ]
    return f"At the median {', '.join(told)}." if told else ""


def _lines(base: Side, side: Side) -> list[str]:
    """The line of each deployment that has one, the other's first."""
    return [text for one in (side, base) if (text := line_words(one))]


def line_words(side: Side) -> str:
    """What the line costs a deployment, and what of it the relay hides; empty without a line."""
    line = side.line
    if line.line_s is None:
        return ""
    if line.relayed_line_s is None or line.hidden_s is None:
        if line.line_s < NOTICED_S:  # KV that is sent while it is computed
            return (
                f"{side.scenario}: KV that crosses the line lands {1e3 * line.line_s:.0f} ms after "
                "prefill at the median."
            )
        return (
            f"{side.scenario}: the line costs {line.line_s:.1f} s at the median; nothing hides it."
        )
    return (
        f"{side.scenario}: for the {line.relayed:.0%} that are relayed the line costs "
        f"{line.relayed_line_s:.1f} s at the median; the relay hides {line.hidden_s:.1f} s of it. "
        f"Over all that cross it is {line.line_s:.1f} s."
    )


def _sla(base: Side, side: Side, sla_s: float) -> str:
    one, other = base.sla_ok_share, side.sla_ok_share
    if one is None or other is None:
        return ""
    if abs(other - one) < FACTS_OF_SLA:
        return f"As many are served within {sla_s:g} s ({other:.0%})."
    kind = "More" if other > one else "Fewer"
    return f"{kind} are served within {sla_s:g} s: {other:.0%} instead of {one:.0%}."


def _rate(base: Side, side: Side) -> str:
    one, other = base.throughput_rps, side.throughput_rps
    if not one or other is None:
        return ""
    if base.clients is not None and base.clients != side.clients:
        return (
            f"It has {side.clients} clients instead of {base.clients}, so that both serve "
            f"{other:.2f} requests/s."
        )
    clients = "" if side.clients is None else f"With {side.clients} clients each "
    changed = f"it serves {other:.2f} instead of {one:.2f} requests/s ({other / one - 1:+.0%})."
    same = abs(other / one - 1) < FACTS_OF_RATE
    words = f"it serves as many requests/s ({other:.2f})." if same else changed
    return clients + words if clients else words[0].upper() + words[1:]


def _cost(base: Side, side: Side) -> str:
    low = side.cost / base.cost - 1
    high = None if side.cost_high is None else side.cost_high / base.cost - 1
    upto = "" if high is None else f" to {high:+.1%}"
    return f"It costs {side.cost:.2f} chips A instead of {base.cost:.2f} ({low:+.1%}{upto})."


def _benefit(base: Side, side: Side, capacities: Mapping[str, float | None]) -> str:
    one, other = capacities.get(base.scenario), capacities.get(side.scenario)
    ratio = bcr(other, side.cost, one, base.cost)
    if ratio is None or not one or not other:
        return ""
    return (
        f"Its capacity is {other:.2f} requests/s, {other / one - 1:+.1%}, so that a chip's worth "
        f"brings {ratio - 1:+.1%} (BCR {ratio:.2f})."
    )
