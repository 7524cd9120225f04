"""Simulated time: lean events, plain numbers, on SimPy's queue.

`Clock` is a SimPy environment whose queue also takes entries (time, priority, sequence, kind,
integer): two numbers instead of an event object with callbacks, so a copy of the queue is data.
Ties fall by (time, priority, sequence). This is the only file that touches SimPy's private queue;
it relies on `_queue`, `_eid` and `_now` of simpy 4.1.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, NamedTuple

import simpy

FIRST, NORMAL, LAST = 0, 1, 2
"""Priorities at equal times: scripts before the model, samplers after it."""

LEAN_LENGTH = 5

Handler = Callable[[int], None]


class ClockState(NamedTuple):
    """A clock as data."""

    now: float
    next_sequence: int
    entries: list[tuple[float, int, int, int, int]]


class Clock(simpy.Environment):
    """SimPy's environment with lean events; `handlers[kind](integer)` is called at their time."""

    def __init__(self, handlers: Sequence[Handler] = ()) -> None:
        super().__init__(0.0)
        self.handlers: Sequence[Handler] = handlers
        self.events = 0

    def at(self, time: float, kind: int, integer: int, priority: int = NORMAL) -> None:
        """Call `handlers[kind](integer)` at simulated `time` (s), not before now."""
        queue: list[Any] = self._queue
        heappush(queue, (time, priority, next(self._eid), kind, integer))

    def step(self) -> None:
        """Process the next entry, lean or SimPy's own."""
        queue: list[Any] = self._queue
        if queue and len(queue[0]) == LEAN_LENGTH:
            entry = heappop(queue)
            self._now = entry[0]
            self.events += 1
            self.handlers[entry[3]](entry[4])
        else:
            super().step()

    def advance(self, until: float) -> None:
        """Process everything up to and including `until` (s); the clock then stands there."""
        queue: list[Any] = self._queue
        handlers, pop, done = self.handlers, heappop, 0
        while queue and queue[0][0] <= until:
            if len(queue[0]) != LEAN_LENGTH:
                super().step()
                continue
            entry = pop(queue)
            self._now = entry[0]
            done += 1
            handlers[entry[3]](entry[4])
        self.events += done
        if until > self._now:
            self._now = until

    def next_time(self) -> float | None:
        """Time of the next entry, or None when nothing is left."""
        queue: list[Any] = self._queue
        return queue[0][0] if queue else None

    def state(self) -> ClockState:
        """The clock as data; fails while a SimPy process is waiting, which is no data."""
        if any(len(entry) != LEAN_LENGTH for entry in self._queue):
            raise TypeError("a clock with a waiting SimPy process cannot be copied")
        upcoming = next(self._eid)
        self._eid = count(upcoming)
        entries: list[Any] = sorted(self._queue)
        return ClockState(self._now, upcoming, entries)

    def restore(self, state: ClockState) -> None:
        """Stand where `state` stands."""
        queue: list[Any] = [tuple(entry) for entry in state.entries]
        heapify(queue)
        self._queue = queue
        self._now = state.now
        self._eid = count(state.next_sequence)
