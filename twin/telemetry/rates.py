"""Increases of counters: over resets and gaps, and as Prometheus would extrapolate them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .series import Series, is_stale

MISSED = 2.5
"""So many usual intervals without a sample are a gap."""

LOOKBACK_MS = 300_000
"""A sample older than this is no base for what comes after it."""


@dataclass(frozen=True)
class Increase:
    """By how much a counter grew within a window, and from which part of it that is known.

    `value` is None without two samples. `covered_ms` is the time between the samples it rests on;
    `resets` and `gaps` are times (ms) at which the counter began anew and pauses before a sample.
    """

    value: float | None
    covered_ms: int
    resets: tuple[int, ...] = ()
    gaps: tuple[tuple[int, int], ...] = ()

    @property
    def per_s(self) -> float | None:
        """The rate over the time that is covered; None where nothing is."""
        if self.value is None or self.covered_ms <= 0:
            return None
        return self.value / (self.covered_ms / 1000)


def increase(series: Series, from_ms: int, to_ms: int) -> Increase:
    """The increase over from_ms < time <= to_ms, from the last sample at or before `from_ms` on.

    A counter that falls has begun anew at zero, so what it then says is its increase. The first
    sample of a series that was not there before adds nothing: where it began is not known.
    """
    good = ~is_stale(series.value) & ~np.isnan(series.value)
    times, values = series.time_ms[good], series.value[good]
    first = int(np.searchsorted(times, from_ms, side="right"))
    last = int(np.searchsorted(times, to_ms, side="right"))
    if first and first < last and times[first] - times[first - 1] <= LOOKBACK_MS:
        first -= 1  # the base
    times, values = times[first:last], values[first:last]
    if len(times) < 2:
        return Increase(None, 0)
    steps = np.diff(values)
    fell = steps < 0
    grown = float(np.where(fell, values[1:], steps).sum())
    resets = tuple(int(at) for at in times[1:][fell])
    return Increase(grown, int(times[-1] - times[0]), resets, pauses(times))


def pauses(times: NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    """Pauses between samples that are longer than usual ones."""
    steps = np.diff(times)
    if len(steps) < 2:
        return ()
    long = np.flatnonzero(steps > MISSED * float(np.median(steps)))
    return tuple((int(times[i]), int(times[i + 1])) for i in long)


def prometheus_rate(
    series: Series, at_ms: int, range_ms: int, counter: bool = True, per_second: bool = True
) -> float | None:
    """rate() or increase() of Prometheus 2.42 at `at_ms`, extrapolated; None: no answer."""
    good = ~is_stale(series.value)
    times, values = series.time_ms[good], series.value[good]
    start, end = at_ms - range_ms, at_ms
    inside = (times >= start) & (times <= end)
    times, values = times[inside], values[inside]
    if len(times) < 2:
        return None
    grown = float(values[-1] - values[0])
    if counter:
        fell = np.flatnonzero(np.diff(values) < 0)
        grown += float(values[fell].sum())
    to_start, to_end = int(times[0] - start) / 1000.0, int(end - times[-1]) / 1000.0
    sampled = int(times[-1] - times[0]) / 1000.0
    usual = sampled / (len(times) - 1)
    if counter and grown > 0 and values[0] >= 0:
        to_start = min(to_start, sampled * float(values[0]) / grown)
    reach = sampled
    reach += to_start if to_start < 1.1 * usual else usual / 2
    reach += to_end if to_end < 1.1 * usual else usual / 2
    factor = reach / sampled
    return grown * (factor / (range_ms / 1000.0) if per_second else factor)
