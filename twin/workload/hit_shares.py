"""A mean hit rate as shares of the seven buckets: those nearest to the given ones with that mean.

Of all shares with the wanted mean, the ones of least relative entropy to the given shares are the
given ones times exp(theta x), x the middle of a bucket. Each share moves the less, the nearer the
mean; the given mean brings back the given shares.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..errors import Problem, RunError, shown
from ..traffic import HIT_EDGES, Workload

MIDDLES = tuple((low + high) / 2 for low, high in pairwise(HIT_EDGES))
"""Mean hit rate inside each bucket, where it is uniform."""

STEEPEST = 1e4
"""A tilt beyond which shares no longer change."""


def mean_hit(workload: Workload) -> float:
    """The mean hit rate over all requests: first turns, later turns, one-off requests."""
    fixed, later_share = _fixed(workload)
    return fixed + later_share * _mean(np.array(workload.hit_shares))


def mean_hits_possible(workload: Workload) -> tuple[float, float]:
    """The lowest and the highest mean that shares of the later turns can bring about."""
    fixed, later_share = _fixed(workload)
    held = [m for m, s in zip(MIDDLES, workload.hit_shares, strict=True) if s > 0]
    return fixed + later_share * min(held), fixed + later_share * max(held)


def shares_with_mean(workload: Workload, mean: float) -> tuple[float, ...]:
    """Shares of the later turns with which all requests together have the mean hit rate `mean`.

    RunError when the first turns and the buckets cannot have it.
    """
    low, high = mean_hits_possible(workload)
    if not low < mean < high:
        remedy = f"with these buckets and first turns it lies between {low:.3f} and {high:.3f}"
        raise RunError(Problem("mean hit rate", shown(mean), remedy))
    given = np.array(workload.hit_shares) / sum(workload.hit_shares)
    fixed, later_share = _fixed(workload)
    wanted = (mean - fixed) / later_share
    left, right = -STEEPEST, STEEPEST
    for _ in range(200):
        middle = (left + right) / 2
        if _mean(_tilted(given, middle)) < wanted:
            left = middle
        else:
            right = middle
    return tuple(float(share) for share in _tilted(given, (left + right) / 2))


def _tilted(shares: NDArray[np.float64], theta: float) -> NDArray[np.float64]:
    exponents = theta * np.array(MIDDLES)
    weights = shares * np.exp(exponents - exponents[shares > 0].max())
    return weights / weights.sum()


def _mean(shares: NDArray[np.float64]) -> float:
    return float(shares @ np.array(MIDDLES) / shares.sum())


def _fixed(workload: Workload) -> tuple[float, float]:
    """What first turns and one-off requests add to the mean, and the share of later turns."""
    singular = workload.singular
    single = 0.0 if singular is None else singular.share
    first = (1 - single) / workload.turns_per_session
    fixed = first * workload.first_turn_hit_max / 2
    if singular is not None:
        fixed += single * singular.hit_max / 2
    return fixed, 1 - single - first
