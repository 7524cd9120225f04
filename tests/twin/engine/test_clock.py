"""The clock: order at equal times, stale timers, SimPy's own events, state as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from twin.engine.clock import FIRST, LAST, NORMAL, Clock


def recording(kinds: int = 1) -> tuple[Clock, list[tuple[float, int, int]]]:
    """A clock that notes (time, kind, integer) of all that happens."""
    clock = Clock()
    seen: list[tuple[float, int, int]] = []
    clock.handlers = [
        lambda integer, kind=kind: seen.append((clock.now, kind, integer)) for kind in range(kinds)
    ]
    return clock, seen


def test_the_simpy_it_is_written_for() -> None:
    """`clock.py` reads SimPy's private queue."""
    assert simpy.__version__ == "4.1.2"
    assert list(Clock()._queue) == []


def test_time_then_priority_then_order_of_asking() -> None:
    clock, seen = recording()
    for integer, (time, priority) in enumerate(
        [(2.0, NORMAL), (1.0, LAST), (1.0, NORMAL), (1.0, FIRST), (1.0, NORMAL)]
    ):
        clock.at(time, 0, integer, priority)
    clock.advance(5.0)
    assert [integer for _, _, integer in seen] == [3, 2, 4, 1, 0]
    assert clock.now == 5.0
    assert clock.events == 5


def test_up_to_and_including() -> None:
    clock, seen = recording()
    clock.at(1.0, 0, 1)
    clock.at(1.0 + 1e-12, 0, 2)
    clock.advance(1.0)
    assert [integer for _, _, integer in seen] == [1]
    assert clock.next_time() == 1.0 + 1e-12


def test_it_never_goes_back() -> None:
    clock, _ = recording()
    clock.advance(3.0)
    clock.advance(1.0)
    assert clock.now == 3.0
    assert clock.next_time() is None


def test_what_a_handler_asks_for_happens_in_the_same_advance() -> None:
    clock = Clock()
    seen: list[float] = []

    def again(integer: int) -> None:
        seen.append(clock.now)
        if integer:
            clock.at(clock.now + 1, 0, integer - 1)

    clock.handlers = [again]
    clock.at(0.5, 0, 3)
    clock.advance(3.0)
    assert seen == [0.5, 1.5, 2.5]
    clock.advance(3.5)
    assert seen[-1] == 3.5


def test_beside_a_simpy_process() -> None:
    clock, seen = recording()

    def process() -> Iterator[Any]:
        yield clock.timeout(1.0)
        seen.append((clock.now, -1, -1))
        yield clock.timeout(1.0)
        seen.append((clock.now, -1, -1))

    clock.process(process())  # type: ignore[arg-type]
    clock.at(1.5, 0, 7)
    with pytest.raises(TypeError, match="waiting SimPy process"):
        clock.state()
    clock.advance(5.0)
    assert seen == [(1.0, -1, -1), (1.5, 0, 7), (2.0, -1, -1)]


def test_run_of_simpy_itself_takes_lean_events() -> None:
    clock, seen = recording()
    clock.at(1.5, 0, 7)
    clock.run(until=2.0)
    assert seen == [(1.5, 0, 7)]
    assert clock.events == 1


@given(
    st.lists(st.tuples(st.floats(0, 9), st.integers(0, 2), st.integers(0, 2)), max_size=30),
    st.floats(0, 9),
)
def test_a_copy_goes_on_as_the_original(asked: list[tuple[float, int, int]], split: float) -> None:
    clock, seen = recording(3)
    for integer, (time, kind, priority) in enumerate(asked):
        clock.at(time, kind, integer, priority)
    clock.advance(split)
    copy, copied = recording(3)
    copy.restore(clock.state())
    before = len(seen)
    for one in (clock, copy):
        one.at(9.0, 0, 99)
        one.advance(10.0)
    assert copied == seen[before:]
    assert [time for time, _, _ in seen] == sorted(time for time, _, _ in seen)
    assert copy.state() == clock.state()
