"""What one target gives of a quantity: sums that add up with those of others, or why it is none."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .quantile import Buckets
from .rates import Increase, Span
from .series import SeriesId
from .targets import NOT_A_LINK, Moment, Target, Targets, says_unknown
from .vocabulary import Alternative

State = Literal["value", "absent", "stale", "censored", "error"]

MEAN = "mean"


@dataclass(frozen=True)
class Within:
    """Asks for the share of observations that are at most `limit`, in the quantity's unit."""

    limit: float


Asked = float | str | Within
"""Of a histogram: a quantile from 0 to 1, MEAN, or a share."""

DOWN = "target down"


@dataclass
class Part:
    """One target's share. `state` "value": it gives something, `fresh` tells whether still now.

    `gauges`: values of its replicas. `above` and `below`: increases, divided later. `spans`: times
    (ms) that its increases cover. `layouts`: increases of buckets, a replica each.
    """

    way: Alternative
    state: State = "value"
    reason: str = ""
    newest_ms: int | None = None
    fresh: bool = True
    gauges: list[float] = field(default_factory=list)
    above: float = 0.0
    below: float = 0.0
    spans: list[Span] = field(default_factory=list)
    layouts: list[Buckets] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)

    def failed(self, state: State, reason: str) -> Part:
        """The same, but it gives nothing."""
        self.state, self.reason = state, reason
        return self


def part_of(
    way: Alternative, target: Target, role: Targets, moment: Moment, q: Asked
) -> Part | None:
    """One target read in one way; None when it does not print what that way needs."""
    reader = _Reader(way, target, role, moment)
    if not reader.is_there():
        return None
    refused = reader.refused()
    return refused if refused is not None else reader.part(q)


class _Reader:
    def __init__(self, way: Alternative, target: Target, role: Targets, moment: Moment) -> None:
        self.way, self.target, self.role, self.moment = way, target, role, moment
        self.made = Part(way)
        self.made.marks += [way.mark] if way.mark else []
        self.where = dict(way.where)
        if way.device:
            self.where["device"] = role.device or NOT_A_LINK
            self.made.marks += [] if role.device else ["all devices"]

    def first_name(self) -> str:
        name = self.way.names[0]
        if self.way.how != "histogram":
            return name
        count = f"{name}_count"
        return count if self.target.has(count) else f"{name}_bucket"

    def is_there(self) -> bool:
        return bool(self.target.picked(self.first_name(), self.where))

    def refused(self) -> Part | None:
        """A part that gives nothing, whatever the samples are."""
        way, name = self.way, self.first_name()
        if way.how == "unreliable":
            made = self.gauge()
            told = made.state in ("stale", "absent")
            return made if told else made.failed("error", f"unreliable ({way.mark})")
        if way.needs is not None:
            counters = self.target.picked(name, {**self.where, **way.needs})
            if not any((one.value > 0).any() for one in counters):
                return self.made.failed("absent", f"{name} has never counted anything")
        family = self.role.announced(name)
        if not way.how.startswith("gauge") and family is not None and family.kind == "gauge":
            return self.made.failed("error", f"{family.name} is announced as a gauge: no rate")
        return None

    def part(self, q: Asked) -> Part:
        how = self.way.how
        if how == "gauge":
            return self.gauge()
        if how == "gauge_ratio":
            return self.gauge_ratio()
        if how == "rate":
            return self.rate()
        if how == "histogram":
            return self.sums() if q == MEAN else self.buckets()
        if q != MEAN and how == "ratio":
            return self.made.failed("absent", "only its mean is told")
        return self.ratio()

    # --- gauges

    def gauge(self) -> Part:
        made, down = self.made, self.target.down_since(self.moment.at_ms)
        values: dict[SeriesId, float] = {}
        troubles: set[tuple[State, str]] = set()
        for one in self.target.picked(self.way.names[0], self.where):
            sample = self.target.newest(one, self.moment.at_ms)
            if sample is None:
                continue
            made.newest_ms = max(made.newest_ms or 0, sample.at_ms)
            if down is not None:
                troubles.add(("stale", f"{DOWN}: up is 0"))
            elif sample.ended or not self.target.is_fresh(one, sample.at_ms, self.moment):
                troubles.add(("stale", "no sample since then"))
            elif trouble := self.wrong(sample.value):
                troubles.add(trouble)
            else:
                values[one.id] = sample.value * self.way.scale
        made.gauges = list(self.target.once(values).values())
        if made.gauges:
            return made
        if not troubles:
            return made.failed("absent", "no sample yet")
        order = ("error", "absent", "stale")
        return made.failed(*min(troubles, key=lambda one: order.index(one[0])))

    def wrong(self, value: float) -> tuple[State, str] | None:
        if math.isnan(value):
            return "absent", "no traffic: it says NaN"
        if math.isinf(value):
            return "error", "unbounded: it says Inf"
        if says_unknown(value):
            return "absent", "it says that it does not know"
        most = self.way.most
        if most is not None and value * self.way.scale > most * 1.001:
            return "error", f"{value:g} is out of range"
        return None

    def gauge_ratio(self) -> Part:
        made = self.gauge()
        wholes = {
            sample.value
            for one in self.target.picked(self.way.names[1], self.way.below)
            if (sample := self.target.newest(one, self.moment.at_ms)) and sample.value > 0
        }
        if made.state == "value" and len(wholes) != 1:
            return made.failed("absent", f"{len(wholes)} values of {self.way.names[1]}")
        made.gauges = [value / next(iter(wholes)) for value in made.gauges]
        return made

    # --- counters

    def grown(self, name: str, where: Mapping[str, str]) -> dict[SeriesId, Increase]:
        """Increases of a counter's series; also what this tells of times, resets and gaps."""
        made, found, fresh = self.made, dict[SeriesId, Increase](), False
        for one in self.target.picked(name, where):
            counter = self.target.unwound(one)
            newest = counter.newest(self.moment.at_ms)
            if newest is None:
                continue
            made.newest_ms = max(made.newest_ms or 0, newest)
            fresh = fresh or self.target.is_fresh(one, newest, self.moment)
            told = counter.increase(self.moment.from_ms, self.moment.at_ms)
            made.marks += ["reset"] if told.resets else []
            made.marks += ["gap"] if told.gaps else []
            if told.value is not None:
                made.spans.append((told.start_ms, told.end_ms))
                found[one.id] = told
        made.fresh = made.fresh and fresh and self.target.down_since(self.moment.at_ms) is None
        return found

    def total(self, name: str, where: Mapping[str, str]) -> float | None:
        """The increase over all replicas, TP ranks once; None where no sample tells it."""
        grown = self.grown(name, where)
        if not grown:
            return None
        return sum(self.target.once({k: one.value or 0.0 for k, one in grown.items()}).values())

    def too_few(self) -> Part:
        made = self.made
        if made.newest_ms is not None and not made.fresh:
            since = f"{DOWN}: up is 0" if self.is_down() else "no sample since then"
            return made.failed("stale", since)
        series = self.target.picked(self.first_name(), self.where)
        usual = max((self.target.usual_ms(one) or 0.0 for one in series), default=0.0)
        if not usual:
            return made.failed("absent", "too few samples in the window")
        told = f"scraped every {usual / 1000:g} s, ask for {4 * usual / 1000:g} s"
        return made.failed("absent", f"too few samples in the window: {told}")

    def is_down(self) -> bool:
        return self.target.down_since(self.moment.at_ms) is not None

    def rate(self) -> Part:
        total = self.total(self.way.names[0], self.where)
        if total is None:
            return self.too_few()
        self.made.above = total * self.way.scale
        return self.made

    def ratio(self) -> Part:
        first, *second = self.way.names
        above = self.total(first, self.where)
        if second:
            below = self.total(second[0], self.way.below)
        elif self.way.plus is not None:
            rest = self.total(self.way.plus, {})
            below = None if above is None or rest is None else above + rest
        else:
            below = self.total(first, self.way.of or {})
        if above is None or below is None:
            return self.too_few()
        if self.way.how == "moved":
            if self.role.kv_bytes_per_token is None:
                return self.made.failed("absent", "it needs the model's KV bytes per token")
            whole = below * self.role.kv_bytes_per_token
            above, below = below - below * above * self.way.scale / whole if whole else 0.0, below
            self.made.above, self.made.below = above, below
            return self.made
        self.made.above, self.made.below = above * self.way.scale, below
        return self.made

    # --- histograms

    def sums(self) -> Part:
        name = self.way.names[0]
        count = self.total(f"{name}_count", self.where)
        total = self.total(f"{name}_sum", self.where)
        if count is None or total is None:
            return self.too_few()
        self.made.above, self.made.below = total * self.way.scale, count
        return self.made

    def buckets(self) -> Part:
        name = f"{self.way.names[0]}_bucket"
        grown = self.grown(name, self.where)
        if not grown:
            there = self.target.has(name)
            return self.too_few() if there else self.made.failed("absent", "it has no buckets")
        edges = self.target.once({k: one.value or 0.0 for k, one in grown.items()})
        found: dict[SeriesId, dict[float, float]] = defaultdict(lambda: defaultdict(float))
        for series, value in edges.items():
            edge = float(series.label("le") or "nan")
            found[series.without("le")][edge * self.way.scale] += value
        self.made.layouts = [dict(one) for one in found.values()]
        return self.made
