"""Counters of a page: sums by name and label value, and histograms that take weighted values."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import inf


class Histogram:
    """Observations by upper bound; a weight stands for that many equal observations."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0.0] * (len(self.bounds) + 1)
        self.sum = 0.0

    def add(self, value: float, weight: float = 1.0) -> None:
        """`weight` observations of `value`; a bucket holds what is at most its bound."""
        self.counts[bisect_left(self.bounds, value)] += weight
        self.sum += value * weight

    @property
    def count(self) -> float:
        """All observations."""
        return sum(self.counts)

    def cumulative(self) -> list[tuple[float, int]]:
        """(bound, whole observations up to it), the last bound being infinite.

        Parts of observations are not shown until they are whole, so that no count ever falls.
        """
        totals = accumulate(self.counts)
        return [(b, int(t + 1e-6)) for b, t in zip((*self.bounds, inf), totals, strict=True)]


class Counters:
    """Sums by family and, where a family has a label, by its value; and histograms by family."""

    def __init__(self, bounds: Mapping[str, Sequence[float]]) -> None:
        self.sums: dict[tuple[str, str], float] = {}
        self.histograms = {name: Histogram(of) for name, of in bounds.items()}

    def add(self, name: str, amount: float, label: str = "") -> None:
        """Add to a sum."""
        key = (name, label)
        self.sums[key] = self.sums.get(key, 0.0) + amount

    def get(self, name: str, label: str = "") -> float:
        """A sum; 0 when nothing was added."""
        return self.sums.get((name, label), 0.0)

    def observe(self, name: str, value: float, weight: float = 1.0) -> None:
        """Add to a histogram."""
        self.histograms[name].add(value, weight)
