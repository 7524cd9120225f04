"""Judging a mean at four standard errors: over seeds, or over batches of one long run."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

SIGMAS = 4.0


class Estimate(NamedTuple):
    """A mean and its standard error."""

    mean: float
    error: float

    def agrees_with(self, value: float) -> bool:
        """Whether `value` lies within four standard errors."""
        return abs(self.mean - value) <= SIGMAS * self.error

    def above(self, value: float) -> bool:
        """Whether the mean lies above `value` by more than four standard errors."""
        return self.mean - value > SIGMAS * self.error

    def below(self, value: float) -> bool:
        """Whether the mean lies below `value` by more than four standard errors."""
        return value - self.mean > SIGMAS * self.error


def over_seeds(values: Sequence[float]) -> Estimate:
    """Independent values, one a seed."""
    numbers = np.asarray(values, dtype=float)
    return Estimate(float(numbers.mean()), float(numbers.std(ddof=1) / sqrt(len(numbers))))


def over_batches(values: Sequence[float] | np.ndarray, batches: int = 50) -> Estimate:
    """One long correlated course, cut into `batches` whose means hardly know each other."""
    numbers = np.asarray(values, dtype=float)
    means = [piece.mean() for piece in np.array_split(numbers, batches)]
    return over_seeds(means)
