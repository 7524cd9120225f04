"""Pacing a simulation against the wall clock: where it should be, and in what strides it goes."""

from __future__ import annotations

MOST_BEHIND_S = 1.0
"""A twin that is further behind (wall s) drops its debt instead of racing to make up for it."""

MEASURED_OVER_S = 1.0
"""The real pace is measured over at least so much wall time."""

FIRST_STRIDE_S = 0.05
LONGEST_STRIDE_S = 600.0
QUICK_S = 0.004
SLOW_S = 0.010
"""Strides (simulated s) are doubled while one takes less than QUICK_S of wall time, and halved when
one takes more than SLOW_S, so that a turn never waits long behind one."""


class Pacer:
    """The simulated time that is due at a moment of the wall clock; all moments are handed in."""

    def __init__(self, pace: float, paused: bool, at_s: float, wall_s: float) -> None:
        self.pace = pace
        self.paused = paused
        self.real_pace = 0.0 if paused else pace
        self._begin(at_s, wall_s)
        self._mark = (at_s, wall_s)

    def _begin(self, at_s: float, wall_s: float) -> None:
        self._from = (at_s, wall_s)

    def due(self, wall_s: float) -> float:
        """Simulated time that should be reached by now."""
        at_s, since = self._from
        return at_s if self.paused else at_s + (wall_s - since) * self.pace

    def turn(self, pace: float, paused: bool, at_s: float, wall_s: float) -> None:
        """Go on from `at_s` at another pace, or stand."""
        self.pace, self.paused = pace, paused
        self.real_pace = 0.0 if paused else pace
        self._begin(at_s, wall_s)
        self._mark = (at_s, wall_s)

    def reached(self, at_s: float, wall_s: float) -> None:
        """Note where the twin is: drops a debt that is too large, and measures the real pace."""
        if self.paused:
            return
        if self.due(wall_s) - at_s > self.pace * MOST_BEHIND_S:
            self._begin(at_s, wall_s)
        marked_s, since = self._mark
        if wall_s - since >= MEASURED_OVER_S:
            self.real_pace = (at_s - marked_s) / (wall_s - since)
            self._mark = (at_s, wall_s)


class Stride:
    """How far to advance at once, learned from how long the last stride took."""

    def __init__(self) -> None:
        self.length_s = FIRST_STRIDE_S

    def restart(self) -> None:
        """Begin small again: after a change nobody knows what a simulated second costs."""
        self.length_s = FIRST_STRIDE_S

    def took(self, wall_s: float) -> None:
        """Learn from the last stride."""
        if wall_s < QUICK_S:
            self.length_s = min(self.length_s * 2, LONGEST_STRIDE_S)
        elif wall_s > SLOW_S:
            self.length_s = max(self.length_s / 2, FIRST_STRIDE_S / 8)
