"""The series of a role by target, made ready once: picked, unwound, fresh or not, known or not."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from .rates import Unwound, interval_ms
from .series import Family, Series, SeriesId, family_of, is_stale
from .vocabulary import fits

FRESH_INTERVALS = 3.0
"""What is older than so many scrape intervals is stale."""

RANKS = ("tp_rank", "pp_rank", "moe_ep_rank")
"""Ranks of one replica say the same thing: the largest counts once. DP ranks are replicas."""

BLANKS = (140737488355328.0, 2147483632.0)
"""DCGM's blank doubles and 32-bit integers; the three numbers after each are blank too."""

BLANK_64 = 9.223372036854774e18
"""From here on lie DCGM's blank 64-bit integers, which a float cannot tell apart."""

UNKNOWN = 4294967295.0
"""What some exporters make of a -1 without a sign."""

NOT_A_LINK = "!~lo|veth.*|docker.*|br-.*|virbr.*|cali.*|cni.*|flannel.*|tun.*|dummy.*|ifb.*"
"""Network devices that lead nowhere, or count what another one counts too."""


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


@dataclass(frozen=True)
class Sample:
    """The newest sample of a series; `ended` when a stale marker came after it."""

    at_ms: int
    value: float
    ended: bool


def says_unknown(value: float) -> bool:
    """Whether a number means that it is not known: none of our quantities is below zero.

    So say DCGM (blank values), node_exporter of a virtual card (-125000) and vLLM 0.6 (-1).
    """
    blank = value >= BLANK_64 or value == UNKNOWN or any(0 <= value - one <= 3 for one in BLANKS)
    return math.isfinite(value) and (value < 0 or blank)


class Target:
    """The series of one page."""

    def __init__(self, series: Iterable[Series]) -> None:
        self._named: dict[str, list[Series]] = defaultdict(list)
        for one in series:
            if len(one.time_ms):
                self._named[one.id.name].append(one)
        self._picked: dict[tuple[str, frozenset[tuple[str, str]]], list[Series]] = {}
        self._unwound: dict[SeriesId, Unwound] = {}
        self._usual: dict[SeriesId, float | None] = {}
        self._replica: dict[SeriesId, SeriesId] = {}

    def has(self, name: str) -> bool:
        """Whether there is any such sample."""
        return name in self._named

    def names(self) -> Iterable[str]:
        """All sample names."""
        return self._named

    def picked(self, name: str, where: Mapping[str, str]) -> list[Series]:
        """Series of a sample name whose labels fit."""
        key = name, frozenset(where.items())
        if key not in self._picked:
            found = [one for one in self._named.get(name, ()) if fits(one.id, where)]
            self._picked[key] = found
        return self._picked[key]

    def unwound(self, series: Series) -> Unwound:
        """A counter without its resets, made once."""
        if series.id not in self._unwound:
            self._unwound[series.id] = Unwound(series)
        return self._unwound[series.id]

    def replica(self, series: SeriesId) -> SeriesId:
        """The series less the ranks that count once."""
        if series not in self._replica:
            self._replica[series] = series.without(*RANKS)
        return self._replica[series]

    def once(self, values: Mapping[SeriesId, float]) -> dict[SeriesId, float]:
        """Values of replicas: TP, PP and EP ranks of one counted once, at the largest."""
        found: dict[SeriesId, float] = {}
        for series, value in values.items():
            replica = self.replica(series)
            found[replica] = max(value, found.get(replica, value))
        return found

    def newest(self, series: Series, at_ms: int) -> Sample | None:
        """The last sample of a gauge at or before a moment."""
        at = int(np.searchsorted(series.time_ms, at_ms, side="right")) - 1
        ended = False
        while at >= 0 and is_stale(series.value[at : at + 1])[0]:
            at, ended = at - 1, True
        if at < 0:
            return None
        return Sample(int(series.time_ms[at]), float(series.value[at]), ended)

    def usual_ms(self, series: Series) -> float | None:
        """How often a series is sampled; None where too few samples tell it."""
        if series.id not in self._usual:
            self._usual[series.id] = interval_ms(series.time_ms)
        return self._usual[series.id]

    def is_fresh(self, series: Series, newest_ms: int, moment: Moment) -> bool:
        """Whether a sample is young enough, by the intervals at which its series comes."""
        usual = max(moment.every_ms, self.usual_ms(series) or 0.0)
        return moment.at_ms - newest_ms <= FRESH_INTERVALS * usual

    def down_since(self, at_ms: int) -> int | None:
        """Since when `up` says that the target does not answer; None when it does or is silent."""
        since = None
        for one in self._named.get("up", ()):
            upto = int(np.searchsorted(one.time_ms, at_ms, side="right"))
            good = ~is_stale(one.value[:upto])
            times, values = one.time_ms[:upto][good], one.value[:upto][good]
            if len(values) and values[-1] == 0:
                ups = np.flatnonzero(values != 0)
                first = int(ups[-1]) + 1 if len(ups) else 0
                since = max(since or 0, int(times[first]))
        return since


class Targets:
    """All targets of a role, by `job` and `instance`."""

    def __init__(
        self,
        series: Iterable[Series],
        families: Mapping[str, Family] | None = None,
        device: str | None = None,
        kv_bytes_per_token: float | None = None,
    ) -> None:
        by_target: dict[tuple[str, str], list[Series]] = defaultdict(list)
        for one in series:
            by_target[one.id.label("job") or "", one.id.label("instance") or ""].append(one)
        self.all = tuple(Target(by_target[key]) for key in sorted(by_target))
        self.families = families or {}
        self.device = device
        self.kv_bytes_per_token = kv_bytes_per_token

    def announced(self, name: str) -> Family | None:
        """The family of a sample, where its page announced one."""
        return family_of(name, self.families)
