"""Requests that a test gives one by one, and what the engine's record says of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from twin.engine.clock import Clock
from twin.engine.deployment import ARRIVE
from twin.engine.journey import Journey
from twin.engine.pipeline import Pipeline
from twin.engine.recorder import REQUEST_COLUMNS
from twin.engine.simulation import Simulation
from twin.scenario import Scenario

Row = dict[str, float]


def request(
    prompt: float,
    out: int,
    hit: float = 0.0,
    session: int = 0,
    first_turn: bool = True,
    predicted: float | None = None,
    uniforms: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0),
    blocks: tuple[int, ...] | None = None,
) -> Journey:
    """A request of `prompt` tokens of which `hit` are cached; `predicted` is `out` unless given.

    `uniforms`: the rest of the running step, the phase of a handoff, jitter, timeout.
    """
    told = float(out) if predicted is None else predicted
    return Journey(session, session, first_turn, prompt, hit, out, told, uniforms, blocks)


class ListLoad:
    """The given requests at the given times, numbered in order; nobody waits for an answer."""

    name = "given"
    generated = False
    closed = False

    def __init__(
        self, given: Iterable[tuple[float, Journey]], block_tokens: int | None = None
    ) -> None:
        self.given = list(given)
        self.block_tokens = block_tokens
        self.notes: list[str] = []
        self.first_done_s: float | None = None
        self.came = 0
        self.done: list[tuple[Journey, float]] = []

    def begin(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self.clock: Clock = pipeline.clock
        for index, (when, _) in enumerate(self.given):
            self.clock.at(when, ARRIVE, index)

    def arrive(self, integer: int) -> None:
        self.came += 1
        self.pipeline.start(self.given[integer][1])

    def finished(self, j: Journey, last: float) -> None:
        self.done.append((j, last))

    def adopt(self, scenario: Scenario) -> None:
        pass

    def exhausted(self) -> bool:
        return self.came >= len(self.given)

    def progress(self, finished: int) -> float:
        return finished / len(self.given)


class StreamLoad(ListLoad):
    """Requests made one after the other: `make(n)` gives the gap in s and the n-th request."""

    def __init__(self, make: Callable[[int], tuple[float, Journey]], total: int) -> None:
        super().__init__(())
        self.make = make
        self.total = total

    def begin(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self.clock = pipeline.clock
        self._schedule()

    def _schedule(self) -> None:
        if self.came < self.total:
            gap, self.upcoming = self.make(self.came)
            self.clock.at(self.clock.now + gap, ARRIVE, self.came)

    def arrive(self, integer: int) -> None:
        self.came += 1
        self.pipeline.start(self.upcoming)
        self._schedule()

    def finished(self, j: Journey, last: float) -> None:
        pass

    def exhausted(self) -> bool:
        return self.came >= self.total

    def progress(self, finished: int) -> float:
        return finished / self.total


def simulation(
    scenario: Scenario, given: Iterable[tuple[float, Journey]], block_tokens: int | None = None
) -> Simulation:
    """A simulation of the given (time, request) pairs, at time 0."""
    return Simulation(scenario, ListLoad(given, block_tokens))


def rows(sim: Simulation) -> dict[int, Row]:
    """What is recorded of every finished request, by number."""
    table = sim.recorder.table().tolist()
    named: list[Row] = [dict(zip(REQUEST_COLUMNS, values, strict=True)) for values in table]
    return {int(row["number"]): row for row in named}


def served(
    scenario: Scenario, given: Iterable[tuple[float, Journey]], block_tokens: int | None = None
) -> dict[int, Row]:
    """Run the given requests to the end; what is recorded of each."""
    sim = simulation(scenario, given, block_tokens)
    sim.advance_to_end()
    return rows(sim)


def columns(sim: Simulation, *names: str) -> list[Any]:
    """Columns of the record as arrays, in order of finishing."""
    table = sim.recorder.table()
    return [table[:, REQUEST_COLUMNS.index(name)] for name in names]
