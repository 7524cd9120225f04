"""Quantiles of histograms with fixed buckets: Prometheus's own, and what may be said of them.

A rank above the last finite edge has no value, only a bound: ">5 s", never 5 s. Histograms with
other edges are never added as they stand: Prometheus does, and a median of 4 comes from 0.55 and
1.25 (`tests/twin/telemetry/test_quantile.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Buckets = Mapping[float, float]
"""Cumulative counts by upper edge; the last edge is infinity."""


@dataclass(frozen=True)
class Estimate:
    """A quantile: its value, or only bounds, or neither when nothing was observed.

    Without a value `low` is what it cannot lie below (the last finite edge) and `high`, where
    known, what it cannot lie above. With a value they are the answers of the layouts that differ.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


def prometheus_quantile(q: float, buckets: Sequence[tuple[float, float]]) -> float:
    """histogram_quantile of Prometheus 2.42 over (edge, cumulative count); NaN without an answer.

    By its documentation: linear within a bucket, the first one from 0, the last finite edge for
    what lies above it, counts made monotone, equal edges summed.
    """
    if math.isnan(q):
        return math.nan
    if q < 0 or q > 1:
        return -math.inf if q < 0 else math.inf
    edges, counts = _monotone(buckets)
    if len(edges) < 2 or edges[-1] != math.inf or not counts[-1]:
        return math.nan
    rank = q * counts[-1]
    at = next((i for i, count in enumerate(counts[:-1]) if count >= rank), len(counts) - 1)
    if at == len(edges) - 1:
        return edges[-2]
    if at == 0 and edges[0] <= 0:
        return edges[0]
    start, below = (edges[at - 1], counts[at - 1]) if at else (0.0, 0.0)
    within = counts[at] - below
    return start + (edges[at] - start) * ((rank - below) / within) if within else math.nan


def _monotone(buckets: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    summed: dict[float, float] = {}
    for edge, count in sorted(buckets):
        summed[edge] = summed.get(edge, 0.0) + count
    edges, counts, most = [], [], -math.inf
    for edge, count in summed.items():
        most = max(most, count)
        edges.append(edge)
        counts.append(most)
    return edges, counts


def quantile(q: float, buckets: Buckets) -> Estimate:
    """A quantile as it may be shown: None without observations, a bound above the last edge."""
    finite = [edge for edge in buckets if edge != math.inf]
    total = max(buckets.values(), default=0.0)
    if not total or not finite:
        return Estimate(None)
    last = max(finite)
    if q * total > buckets[last]:
        return Estimate(None, low=last)
    value = prometheus_quantile(q, list(buckets.items()))
    return Estimate(None if math.isnan(value) else value)


def by_layout(several: Iterable[Buckets]) -> list[Buckets]:
    """The sums of histograms with the same edges, one for each layout that has observations."""
    sums: dict[tuple[float, ...], dict[float, float]] = {}
    for one in several:
        if max(one.values(), default=0.0) > 0:
            into = sums.setdefault(tuple(sorted(one)), dict.fromkeys(sorted(one), 0.0))
            for edge, count in one.items():
                into[edge] += count
    return list(sums.values())


def pooled(q: float, several: Iterable[Buckets]) -> Estimate:
    """The quantile of all observations together, whatever the edges of each histogram.

    With one layout this is `quantile` of the sum. Layouts that differ are never added edge by
    edge: each keeps its own line from edge to edge, as Prometheus draws it, and the answer is where
    the sum of these lines reaches the rank. It lies between the answers of the layouts alone, which
    are its `low` and, unless one of them is above its last edge, its `high`. Where the rank may
    fall above a layout's last edge only bounds remain.
    """
    layouts = by_layout(several)
    if len(layouts) < 2:
        return quantile(q, layouts[0]) if layouts else Estimate(None)
    lines = [_line(one) for one in layouts]
    rank = q * sum(total for _, _, total in lines)
    low, high = _reached(rank, lines, True), _reached(rank, lines, False)
    if low is None or high is None or high > min(edges[-1] for edges, _, _ in lines):
        return Estimate(None, low, high)
    alone = [quantile(q, one) for one in layouts]
    known = [one.value for one in alone if one.value is not None]
    return Estimate(low, min(known, default=low), max(known) if len(known) == len(alone) else None)


_Line = tuple[NDArray[np.float64], NDArray[np.float64], float]


def _line(buckets: Buckets) -> _Line:
    edges, counts = _monotone(list(buckets.items()))
    finite = [(edge, count) for edge, count in zip(edges, counts, strict=True) if edge != math.inf]
    if not finite or finite[0][0] > 0:
        finite.insert(0, (0.0, 0.0))
    at, below = zip(*finite, strict=True)
    return np.array(at), np.array(below), counts[-1]


def _reached(rank: float, lines: Sequence[_Line], early: bool) -> float | None:
    """Where the sum of the lines reaches a rank; `early`: what lies above an edge lies at it."""
    edges = np.unique(np.concatenate([at for at, _, _ in lines]))
    before, reached = np.zeros(len(edges)), np.zeros(len(edges))
    for at, below, whole in lines:
        above = whole - below[-1] if early else 0.0
        line = np.interp(edges, at, below, left=0.0)
        before += line + np.where(edges > at[-1], above, 0.0)
        reached += line + np.where(edges >= at[-1], above, 0.0)
    index = int(np.searchsorted(reached, rank * (1 - 1e-12)))
    if index == len(edges):
        return None
    if index == 0 or before[index] <= rank or before[index] <= reached[index - 1]:
        return float(edges[index])
    share = (rank - reached[index - 1]) / (before[index] - reached[index - 1])
    return float(edges[index - 1] + max(0.0, share) * (edges[index] - edges[index - 1]))


def share_within(limit: float, several: Iterable[Buckets]) -> Estimate:
    """The share of all observations that are at most `limit`, and its bounds `low` and `high`.

    The value follows each layout's line, the bounds are the counts of the edges around the limit.
    Above a layout's last finite edge there are only bounds; without observations nothing.
    """
    layouts = by_layout(several)
    total = sum(max(one.values()) for one in layouts)
    if not total:
        return Estimate(None)
    low = high = value = 0.0
    known = True
    for one in layouts:
        at, below, whole = _line(one)
        known = known and limit <= at[-1]
        value += float(np.interp(limit, at, below, left=0.0))
        low += float(max(below[at <= limit], default=0.0))
        high += float(min(below[at >= limit], default=whole))
    return Estimate(value / total if known else None, low / total, high / total)
