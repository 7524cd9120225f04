"""The parts of several targets as one reading: sums added, ratios of sums, quantiles of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .parts import DOWN, MEAN, Asked, Part, State, Within
from .quantile import by_layout, pooled, share_within
from .quantities import Quantity
from .rates import united_ms

FEWEST = 5.0
"""Requests or observations below which a mean or a ratio says nothing (fault H4)."""

OVER = 0.05
"""By so much a share may be beyond 0 or 1, for its two counters are not counted at one moment."""

KINDS = {
    "gauge": "gauge", "gauge_ratio": "gauges", "histogram": "histogram", "unreliable": "gauge",
}  # fmt: skip
"""What a way of reading reads; all others read counters."""


@dataclass
class Found:
    """A reading without its name."""

    state: State
    value: float | None = None
    low: float | None = None
    high: float | None = None
    at_ms: int | None = None
    since_ms: int | None = None
    evidence: float = 0.0
    source: str = ""
    reason: str = ""
    marks: tuple[str, ...] = ()

    def told(self) -> dict[str, Any]:
        """Its fields, as a reading takes them."""
        return dict(vars(self))


def merged(parts: Sequence[Part], about: Quantity, q: Asked) -> Found:
    """One reading of the targets that are read in the same way, and what was left out of it."""
    good = [one for one in parts if one.state == "value"]
    if not good:
        return _signed(_worst(parts), parts)
    if not any(one.fresh for one in good):
        down = any(_is_down(one) for one in parts)
        reason = f"{DOWN}: up is 0" if down else "no sample since then"
        return _signed(Found("stale", since_ms=_newest(good), reason=reason), good)
    found = _of(good, about, q)
    found.at_ms = _newest(good)
    signed = _signed(found, good)
    left_out = [one.reason for one in parts if one.state != "value"]
    left_out += ["stale target" for one in good if not one.fresh]
    if left_out:
        told = (DOWN if one.startswith(DOWN) else one for one in left_out)
        signed.marks = tuple(dict.fromkeys((*signed.marks, *told)))
    return signed


def _is_down(part: Part) -> bool:
    return part.reason.startswith(DOWN) or DOWN in part.marks


def _worst(parts: Sequence[Part]) -> Found:
    """Failed before stale before absent: what can be mended is told first."""
    order = ("error", "stale", "absent")
    worst = min(parts, key=lambda one: order.index(one.state))
    newest = _newest(parts)
    since = newest if worst.state == "stale" else None
    return Found(worst.state, at_ms=newest, since_ms=since, reason=worst.reason)


def _signed(found: Found, parts: Sequence[Part]) -> Found:
    names = dict.fromkeys(name for one in parts for name in one.way.names)
    kind = KINDS.get(parts[0].way.how, "counters")
    found.source = f"{kind}: {', '.join(names)}"
    marks = dict.fromkeys(mark for one in parts for mark in one.marks)
    found.marks = tuple(dict.fromkeys((*found.marks, *marks)))
    return found


def _newest(parts: Sequence[Part]) -> int | None:
    return max((one.newest_ms for one in parts if one.newest_ms is not None), default=None)


def _of(parts: Sequence[Part], about: Quantity, q: Asked) -> Found:
    how = parts[0].way.how
    if how in ("gauge", "gauge_ratio"):
        found = _gauges(parts, about)
    elif how == "rate":
        found = _rate(parts)
    elif how == "histogram" and q != MEAN:
        return _buckets(parts, q)
    else:
        found = _ratio(parts, "too_few_requests" if how == "histogram" else "")
    return _share(found) if about.is_share and found.value is not None else found


def _gauges(parts: Sequence[Part], about: Quantity) -> Found:
    values = [value for one in parts for value in one.gauges]
    total = sum(values) / (1 if about.merge == "sum" else len(values))
    return Found("value", total, evidence=float(len(values)))


def _rate(parts: Sequence[Part]) -> Found:
    """Over the time that any of them covers: one that follows another does not count twice."""
    covered = united_ms(span for one in parts for span in one.spans)
    total = sum(one.above for one in parts)
    if not covered:
        return Found("absent", reason="too few samples in the window")
    return Found("value", total / (covered / 1000), evidence=_counted(parts))


def _counted(parts: Sequence[Part]) -> float:
    return sum(one.above / one.way.scale for one in parts)


def _ratio(parts: Sequence[Part], too_few: str) -> Found:
    above, below = sum(one.above for one in parts), sum(one.below for one in parts)
    if below < FEWEST:
        none = too_few or ("too_few_requests" if below > 0 else "no traffic in the window")
        return Found("absent", reason=none, evidence=below)
    return Found("value", above / below, evidence=below)


def _share(found: Found) -> Found:
    value = found.value or 0.0
    if not -OVER <= value <= 1 + OVER:
        reason = f"{value:.4g} is no share: its parts do not belong together"
        return Found("error", reason=reason, evidence=found.evidence)
    if not 0 <= value <= 1:
        found.marks = (*found.marks, "beyond its range")
    found.value = min(1.0, max(0.0, value))
    return found


def _buckets(parts: Sequence[Part], q: Asked) -> Found:
    layouts = by_layout(buckets for one in parts for buckets in one.layouts)
    count = sum(max(one.values()) for one in layouts)
    marks = ("layouts differ",) if len(layouts) > 1 else ()
    if count < FEWEST:
        return Found("absent", reason="too_few_requests", evidence=count)
    found = share_within(q.limit, layouts) if isinstance(q, Within) else pooled(float(q), layouts)
    if found.value is not None:
        return Found("value", found.value, found.low, found.high, evidence=count, marks=marks)
    if found.low is None:  # +Inf is the only bucket
        return Found("absent", reason="no edges", evidence=count, marks=marks)
    return Found(
        "censored", low=found.low, high=found.high, evidence=count, marks=marks,
        reason="above the last bucket",
    )  # fmt: skip
