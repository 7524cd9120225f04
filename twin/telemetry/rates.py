"""Increases of counters: over resets and gaps, and as Prometheus would extrapolate them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .series import Series, is_stale

MISSED = 2.5
"""So many usual intervals without a sample are a gap."""

LOOKBACK_MS = 300_000
"""A sample older than this is no base for what comes after it."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Increase:
    """By how much a counter grew within a window, and from which part of it that is known.

    `value` is None without two samples. From `start_ms` to `end_ms` are the samples it rests on;
    `resets` and `gaps` are times (ms) at which the counter began anew and pauses before a sample.
    """

    value: float | None
    start_ms: int = 0
    end_ms: int = 0
    resets: tuple[int, ...] = ()
    gaps: tuple[Span, ...] = ()

    @property
    def covered_ms(self) -> int:
        """The time between its first and its last sample."""
        return self.end_ms - self.start_ms

    @property
    def per_s(self) -> float | None:
        """The rate over the time that is covered; None where nothing is."""
        if self.value is None or self.covered_ms <= 0:
            return None
        return self.value / (self.covered_ms / 1000)


class Unwound:
    """A counter as if it had never begun anew, so that any window is a difference of two values.

    A counter that falls has begun anew at zero, so what it then says is its increase. Stale
    markers, NaN and infinities are no samples of it.
    """

    def __init__(self, series: Series) -> None:
        good = np.isfinite(series.value)
        self.times, values = series.time_ms[good], series.value[good]
        fell = np.diff(values) < 0
        lost = np.where(fell, values[:-1], 0.0)
        self.total = values + np.concatenate([[0.0], np.cumsum(lost)])[: len(values)]
        self.resets = self.times[1:][fell]
        self.gaps = pauses(self.times)

    def newest(self, at_ms: int) -> int | None:
        """Time of the last sample at or before a moment."""
        last = int(np.searchsorted(self.times, at_ms, side="right"))
        return int(self.times[last - 1]) if last else None

    def increase(self, from_ms: int, to_ms: int) -> Increase:
        """The increase over from_ms < time <= to_ms, from the last sample at or before `from_ms`.

        Windows that touch therefore add up. The first sample of a series that was not there before
        adds nothing: where it began is not known. Nor does one after a hole of five minutes.
        """
        first, last = (int(i) for i in np.searchsorted(self.times, (from_ms, to_ms), side="right"))
        hole: tuple[Span, ...] = ()
        if first and first < last:
            if self.times[first] - self.times[first - 1] <= LOOKBACK_MS:
                first -= 1  # the base
            else:
                hole = ((int(self.times[first - 1]), int(self.times[first])),)
        if last - first < 2:
            return Increase(None, gaps=hole)
        start, end = int(self.times[first]), int(self.times[last - 1])
        return Increase(
            float(self.total[last - 1] - self.total[first]), start, end,
            tuple(int(at) for at in self.resets if start < at <= end),
            hole + tuple(one for one in self.gaps if one[0] >= start and one[1] <= end),
        )  # fmt: skip


def increase(series: Series, from_ms: int, to_ms: int) -> Increase:
    """The increase of a counter in a window, as `Unwound.increase` has it."""
    return Unwound(series).increase(from_ms, to_ms)


def pauses(times: NDArray[np.int64]) -> tuple[Span, ...]:
    """Pauses between samples that are longer than usual ones."""
    steps = np.diff(times)
    if len(steps) < 2:
        return ()
    long = np.flatnonzero(steps > MISSED * float(np.median(steps)))
    return tuple((int(times[i]), int(times[i + 1])) for i in long)


def interval_ms(times: NDArray[np.int64]) -> float | None:
    """The usual time between samples; None with fewer than three of them."""
    return float(np.median(np.diff(times))) if len(times) > 2 else None


def united_ms(spans: Iterable[Span]) -> int:
    """The time (ms) that at least one of several spans covers."""
    total, reached = 0, None
    for start, end in sorted(spans):
        begin = start if reached is None else max(start, reached)
        total += max(0, end - begin)
        reached = end if reached is None else max(reached, end)
    return total


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
