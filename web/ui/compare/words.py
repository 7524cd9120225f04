"""The difference between deployments in sentences: sooner or later, why, and for what money."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..numbers import number, percent, seconds
from ..texts.compare import REASONS, WORDS
from .stages import TO_FIRST

Said = dict[str, Any]

SAME = 0.05
"""Seconds, or a share, below which two figures count as the same in words."""


def sentences(answer: Said, names: Sequence[str]) -> list[str]:
    """One paragraph for each deployment but the baseline."""
    results = answer["results"]
    pairs = zip(results[1:], names[1:], strict=True)
    return [_paragraph(result, results[0], name, names[0]) for result, name in pairs]


def _paragraph(result: Said, baseline: Said, name: str, first: str) -> str:
    told = [_first_token(result, baseline, name, first), _line(result), _sla(result, baseline)]
    return " ".join(one for one in (*told, _cost(result, baseline)) if one)


def _first_token(result: Said, baseline: Said, name: str, first: str) -> str:
    mine, theirs = result["ttft_s"]["p50"], baseline["ttft_s"]["p50"]
    if mine is None or theirs is None:
        return WORDS["no_steady_state"].format(name=name if mine is None else first)
    if abs(mine - theirs) < SAME:
        return WORDS["as_soon"].format(name=name, first=first, mine=_s(mine))
    way = "sooner" if mine < theirs else "later"
    sentence = WORDS[way].format(
        name=name, first=first, by=_s(abs(mine - theirs)), mine=_s(mine), theirs=_s(theirs)
    )
    return f"{sentence}{_reason(result, baseline, mine < theirs)}."


def _reason(result: Said, baseline: Said, less: bool) -> str:
    """The stage whose mean changed most in the direction of the whole."""
    mine, theirs = result["stages_s"], baseline["stages_s"]
    change = {one: (mine[one] or 0.0) - (theirs[one] or 0.0) for one in TO_FIRST}
    stage = min(change, key=lambda one: change[one] if less else -change[one])
    if abs(change[stage]) < SAME or (change[stage] < 0) != less:
        return ""
    way = WORDS["less" if less else "more"]
    reason = REASONS[stage].format(by=_s(abs(change[stage])), way=way)
    return WORDS["because"].format(reason=reason)


def _line(result: Said) -> str:
    sent, waited = result["transfer_s"]["mean"], result["stages_s"]["transfer"]
    if result["line_gbps"] is None or sent is None or waited is None:
        return ""
    hidden = sent - waited
    relayed = (result["relay_request_share"] or 0) > 0 and hidden > SAME
    return WORDS["line_hidden" if relayed else "line"].format(
        sent=_s(sent), waited=_s(waited), hidden=_s(hidden)
    )


def _sla(result: Said, baseline: Said) -> str:
    mine, theirs = result["sla_ok_share"], baseline["sla_ok_share"]
    if mine is None or theirs is None:
        return ""
    return WORDS["sla"].format(mine=_percent(mine), theirs=_percent(theirs))


def _cost(result: Said, baseline: Said) -> str:
    mine, theirs = result["cost_units"], baseline["cost_units"]
    share = mine / theirs - 1
    way = "cheaper" if share < 0 else "dearer"
    return WORDS[way].format(by=_percent(abs(share)), mine=number(mine, 4))


def _s(value: float) -> str:
    return "\u202f".join(seconds(value))


def _percent(share: float) -> str:
    return "\u202f".join(percent(share))
