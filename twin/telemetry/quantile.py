"""Quantiles of histograms with fixed buckets: Prometheus's own, and what may be said of them.

A rank above the last finite edge has no value, only a bound: ">5 s", never 5 s. Histograms with
other edges are never added as they stand: cumulative counts are exact only at edges that all have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Buckets = Mapping[float, float]
"""Cumulative counts by upper edge; the last edge is infinity."""


@dataclass(frozen=True)
class Estimate:
    """A quantile: `value`, or the bound `low` below which it cannot be; None is no traffic."""

    value: float | None
    low: float | None = None


@dataclass(frozen=True)
class Merged:
    """Histograms as one; `differ` tells that their edges differ, so that fewer remain."""

    buckets: Buckets
    differ: bool


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


def share_above(limit: float, buckets: Buckets) -> tuple[float, float] | None:
    """Least and most share of observations above `limit`; None without observations."""
    total = max(buckets.values(), default=0.0)
    if not total:
        return None
    below = [count for edge, count in buckets.items() if edge <= limit]
    above = [count for edge, count in buckets.items() if edge >= limit]
    least = 1.0 - (min(above) if above else total) / total
    most = 1.0 - (max(below) if below else 0.0) / total
    return max(0.0, least), min(1.0, most)


def merged(several: Sequence[Buckets]) -> Merged:
    """The sum of histograms over the edges that all of them have; empty ones do not count."""
    known = [one for one in several if one]
    if not known:
        return Merged({}, False)
    common = set(known[0]).intersection(*known[1:])
    differ = any(set(one) != common for one in known)
    return Merged({e: sum(one[e] for one in known) for e in sorted(common)}, differ)
