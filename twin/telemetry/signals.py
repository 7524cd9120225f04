"""What the series of a role say of each quantity at a moment, and in which state they say it.

Value, absent, stale, censored and failed are five different things: a missing metric is not 0, a
ratio without traffic is none, and a quantile above the last bucket is a bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .quantile import Buckets, merged, quantile
from .quantities import QUANTITIES, Quantity
from .rates import Increase, increase
from .series import Series, SeriesId, is_stale
from .vocabulary import Alternative, alternatives, fits

State = Literal["value", "absent", "stale", "censored", "error"]

FEWEST = 5.0
"""Requests or observations below which a mean or a ratio says nothing (fault H4)."""

FRESH_INTERVALS = 3.0
"""A gauge older than so many scrape intervals is stale."""

SENTINELS = frozenset(
    {9223372036854775794.0, 140737488355328.0, 4294967295.0, -125000.0, -1.0}
)  # fmt: skip
"""Numbers by which DCGM, a virtual network card and vLLM 0.6 say that they do not know."""

RANKS = ("tp_rank", "pp_rank", "moe_ep_rank")
"""Ranks of one replica say the same thing: the largest counts once. DP ranks are replicas."""

MEAN = "mean"


@dataclass(frozen=True)
class Reading:
    """One quantity of one role at one moment.

    `value` only with state "value"; `low` is the bound of a censored one. `evidence` are the
    requests or observations behind it; `reason` says why there is no value, `source` what was read.
    """

    role: str
    quantity: str
    unit: str
    state: State
    value: float | None = None
    low: float | None = None
    at_ms: int | None = None
    since_ms: int | None = None
    evidence: float = 0.0
    source: str = ""
    reason: str = ""
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Moment:
    """When is asked: the window before `at_ms`, and how often samples come."""

    at_ms: int
    window_ms: int
    every_ms: int = 5_000

    @property
    def from_ms(self) -> int:
        """Where the window begins."""
        return self.at_ms - self.window_ms


def reading(
    role: str, quantity: str, series: Sequence[Series], moment: Moment, q: float | str = MEAN
) -> Reading:
    """What a role's series say; of a histogram the quantile `q`, or its mean."""
    about = QUANTITIES[quantity]
    named: dict[str, list[Series]] = defaultdict(list)
    for one in series:
        named[one.id.name].append(one)
    tried: list[str] = []
    for way in alternatives(quantity):
        tried += way.names
        found = _Read(role, about, way, named, moment)
        if found.there():
            return found.reading(q)
    unknown = "no engine says it" if not tried else f"none of {', '.join(dict.fromkeys(tried))}"
    return Reading(role, quantity, about.unit, "absent", reason=unknown)


class _Read:
    """One alternative, read from the series of a role."""

    def __init__(
        self, role: str, about: Quantity, way: Alternative,
        named: Mapping[str, list[Series]], moment: Moment,
    ) -> None:  # fmt: skip
        self.role, self.about, self.way, self.named, self.moment = role, about, way, named, moment
        self.marks: list[str] = []

    def there(self) -> bool:
        name = self.way.names[0]
        if self.way.needs:
            counted = self.picked(name, self.way.needs)
            return any(len(one.value) and np.nanmax(one.value) > 0 for one in counted)
        if self.way.how == "histogram":
            return bool(self.named.get(f"{name}_count") or self.named.get(f"{name}_bucket"))
        return bool(self.named.get(name))

    def reading(self, q: float | str) -> Reading:
        how = self.way.how
        if how in ("gauge", "last_batch"):
            return self.gauge()
        if how == "rate":
            return self.rate()
        if how == "histogram":
            return self.mean() if q == MEAN else self.quantile(float(q))
        return self.ratio()

    def said(self, state: State, **more: object) -> Reading:
        return Reading(
            self.role, self.about.name, self.about.unit, state, source=", ".join(self.way.names),
            marks=tuple(dict.fromkeys(self.marks)), **more,  # type: ignore[arg-type]
        )  # fmt: skip

    # --- gauges

    def gauge(self) -> Reading:
        if self.way.how == "last_batch":
            self.marks.append("last batch")
            return self.said("error", reason="a gauge that only knows the last batch: unreliable")
        latest: dict[SeriesId, tuple[int, float]] = {}
        newest: int | None = None
        for one in self.picked(self.way.names[0], self.way.where):
            at = int(np.searchsorted(one.time_ms, self.moment.at_ms, side="right")) - 1
            if at < 0:
                continue
            time_ms, value = int(one.time_ms[at]), float(one.value[at])
            newest = time_ms if newest is None else max(newest, time_ms)
            if self.fresh(time_ms) and self.known(one.value[at : at + 1], value):
                latest[one.id] = time_ms, value * self.way.scale
        if not latest:
            return self.no_gauge(newest)
        values = list(_once({k: v for k, (_, v) in latest.items()}).values())
        total = sum(values) / (len(values) if self.about.merge == "mean" else 1)
        at_ms = max(time_ms for time_ms, _ in latest.values())
        return self.said("value", value=total, at_ms=at_ms, evidence=float(len(values)))

    def no_gauge(self, newest: int | None) -> Reading:
        if newest is None or self.fresh(newest):
            return self.said("absent", at_ms=newest, reason="it says that it does not know")
        return self.said("stale", since_ms=newest, reason="no sample since then")

    def fresh(self, time_ms: int) -> bool:
        return self.moment.at_ms - time_ms <= FRESH_INTERVALS * self.moment.every_ms

    def known(self, bits: np.ndarray, value: float) -> bool:
        too_much = self.way.most is not None and value > self.way.most
        return not (is_stale(bits)[0] or np.isnan(value) or value in SENTINELS or too_much)

    # --- counters

    def picked(self, name: str, where: Mapping[str, str]) -> list[Series]:
        return [one for one in self.named.get(name, ()) if fits(one.id, where)]

    def grown(self, name: str, where: Mapping[str, str]) -> dict[SeriesId, Increase]:
        found = {}
        for one in self.picked(name, where):
            told = increase(one, self.moment.from_ms, self.moment.at_ms)
            if told.value is None:
                continue
            self.marks += ["reset"] if told.resets else []
            self.marks += ["gap"] if told.gaps else []
            found[one.id] = told
        return found

    def total(self, name: str, where: Mapping[str, str]) -> float | None:
        """The increase over all replicas, TP ranks once; None where no sample tells it."""
        grown = self.grown(name, where)
        if not grown:
            return None
        return sum(_once({k: one.value or 0.0 for k, one in grown.items()}).values())

    def rate(self) -> Reading:
        grown = self.grown(self.way.names[0], self.way.where)
        rates = {k: one.per_s for k, one in grown.items() if one.per_s is not None}
        if not rates:
            return self.no_samples(self.way.names[0])
        total = sum(_once(rates).values()) * self.way.scale
        evidence = sum(one.value or 0.0 for one in grown.values())
        return self.said("value", value=total, at_ms=self.moment.at_ms, evidence=evidence)

    def no_samples(self, name: str) -> Reading:
        times = [int(one.time_ms[-1]) for one in self.named.get(name, ()) if len(one.time_ms)]
        newest = max(times, default=None)
        if newest is None or newest > self.moment.from_ms:
            return self.said("absent", at_ms=newest, reason="too few samples in the window")
        return self.said("stale", since_ms=newest, reason="no sample since then")

    def ratio(self) -> Reading:
        first, *second = self.way.names
        above = self.total(first, self.way.where)
        if second:
            below = self.total(second[0], self.way.below)
        elif self.way.plus is not None:
            rest = self.total(self.way.plus, {})
            below = None if above is None or rest is None else above + rest
        else:
            below = self.total(first, self.way.of or {})
        if above is None or below is None:
            return self.no_samples(first)
        if below < FEWEST:
            return self.said("absent", reason="no traffic in the window", evidence=below)
        return self.said(
            "value", value=above / below * self.way.scale, at_ms=self.moment.at_ms, evidence=below
        )

    # --- histograms

    def mean(self) -> Reading:
        name = self.way.names[0]
        count, total = self.total(f"{name}_count", {}), self.total(f"{name}_sum", {})
        if count is None or total is None:
            return self.no_samples(f"{name}_count")
        if count < FEWEST:
            return self.said("absent", reason="too_few_requests", evidence=count)
        value = total / count * self.way.scale
        return self.said("value", value=value, at_ms=self.moment.at_ms, evidence=count)

    def quantile(self, q: float) -> Reading:
        name = self.way.names[0]
        grown = self.grown(f"{name}_bucket", {})
        if not grown:
            return self.no_samples(f"{name}_bucket")
        both = merged(list(_histograms(grown).values()))
        if both.differ:
            self.marks.append("layouts differ")
        count = max(both.buckets.values(), default=0.0)
        if count < FEWEST:
            return self.said("absent", reason="too_few_requests", evidence=count)
        found = quantile(q, both.buckets)
        if found.low is not None:
            return self.said("censored", low=found.low * self.way.scale, evidence=count,
                             at_ms=self.moment.at_ms, reason="above the last bucket")  # fmt: skip
        if found.value is None:
            return self.said("absent", reason="no edges in common", evidence=count)
        return self.said(
            "value", value=found.value * self.way.scale, at_ms=self.moment.at_ms, evidence=count
        )


def _once(values: Mapping[SeriesId, float]) -> dict[SeriesId, float]:
    """TP, PP and EP ranks of one replica counted once, at the largest."""
    found: dict[SeriesId, float] = {}
    for series, value in values.items():
        replica = series.without(*RANKS)
        found[replica] = max(value, found.get(replica, value))
    return found


def _histograms(grown: Mapping[SeriesId, Increase]) -> dict[SeriesId, Buckets]:
    """Buckets of each replica by edge."""
    found: dict[SeriesId, dict[float, float]] = defaultdict(dict)
    for series, told in grown.items():
        edge = float(series.label("le") or "nan")
        found[series.without("le")][edge] = told.value or 0.0
    return dict(found)


def of_role(series: Iterable[Series], match: Mapping[str, str]) -> list[Series]:
    """The series whose labels fit a role."""
    return [one for one in series if fits(one.id, match)]
