"""Statistics over runs and their courses: means and spreads of several seeds, correlation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .result import Result

TOLD_APART = ("series", "troubles", "saturated", "seed")
"""What is no mean of numbers."""


def averaged(results: Sequence[Result]) -> dict[str, Any]:
    """The runs as plain data: the keys of a run, and `seeds`, `sd` and `runs` beside them.

    Each number is the mean over the runs (a quantile of each seed, then averaged), null where one
    of them cannot say; `sd` has the standard deviations under the same keys. `seed` is null for
    several, `troubles` are those of any run, `saturated` is true if any run was.
    """
    runs = [result.model_dump(mode="json") for result in results]
    seeds = [result.seed for result in results]
    told = {
        "seed": seeds[0] if len(seeds) == 1 else None,
        "saturated": any(result.saturated for result in results),
        "troubles": list(dict.fromkeys(t for result in results for t in result.troubles)),
        "series": runs[0]["series"] if len(runs) == 1 else None,
    }
    parts = [{k: v for k, v in run.items() if k not in TOLD_APART} for run in runs]
    means, spreads = _merged(parts, mean_of), _merged(parts, sd_of)
    ordered = {key: told.get(key, means.get(key)) for key in runs[0]}
    return {**ordered, "seeds": seeds, "sd": spreads, "runs": runs}


def mean_of(values: Sequence[float | None]) -> float | None:
    """The mean, or None where one is unknown: a mean of the rest would be of something else."""
    known = [v for v in values if v is not None]
    if not known or len(known) < len(values):
        return None
    return known[0] if all(v == known[0] for v in known) else fmean(known)


def sd_of(values: Sequence[float | None]) -> float | None:
    """The standard deviation over seeds; None for fewer than two, or where one is unknown."""
    known = [v for v in values if v is not None]
    return stdev(known) if len(known) > 1 and len(known) == len(values) else None


def correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    """The correlation of two courses of equal length, or None where one of them never changes."""
    if len(one) < 2 or not one.std() or not other.std():
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _merged(
    parts: Sequence[dict[str, Any]], merge: Callable[[Sequence[float | None]], float | None]
) -> dict[str, Any]:
    """One mapping of several with equal keys: numbers merged, texts as in the first for means."""
    out: dict[str, Any] = {}
    for key in parts[0]:
        values = [part.get(key) for part in parts]
        if isinstance(values[0], dict):
            out[key] = _merged([value or {} for value in values], merge)
        elif not isinstance(values[0], str):
            out[key] = merge(values)
        elif merge is mean_of:
            out[key] = values[0]
    return out
