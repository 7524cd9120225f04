"""A fixed piece of work like the engine's, so that figures of different machines compare."""

from __future__ import annotations

import time
from collections.abc import Callable
from heapq import heappop, heappush

STEPS = 300_000
HEAP = 200


class Counter:
    """Something with an attribute to read and write."""

    __slots__ = ("count", "time")

    def __init__(self) -> None:
        self.count = 0
        self.time = 0.0


def steps(number: int) -> float:
    """`number` steps, each an entry from a heap, a little arithmetic, and an entry into it."""
    queue: list[tuple[float, int]] = []
    for i in range(HEAP):
        heappush(queue, (i * 0.37 % 1.0, i))
    counter = Counter()
    for i in range(number):
        time_s, integer = heappop(queue)
        counter.time = time_s
        counter.count += 1
        heappush(queue, (time_s + 0.5 + integer * 0.001, (integer + i) % HEAP))
    return counter.time


def steps_per_s(clock: Callable[[], float] = time.process_time, repeat: int = 5) -> float:
    """Steps in a CPU second: the best of some trials, for others only slow a machine down."""
    return STEPS / min(cpu_seconds(lambda: steps(STEPS), clock) for _ in range(repeat))


def cpu_seconds(
    work: Callable[[], object], clock: Callable[[], float] = time.process_time
) -> float:
    """CPU seconds that `work` takes, once."""
    began = clock()
    work()
    return clock() - began
