"""The request microscope: any request of a run as intervals, its tokens and the gaps among them.

A run is a function of scenario, requests and seed, so that a request is looked at by running it
again with a watch on its number; nothing has to be kept for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import floor

import numpy as np
from numpy.typing import NDArray

from .engine.arrivals import Load
from .engine.journey import (
    HANDOFF,
    MAIN,
    MAIN_QUEUE,
    PREFILL,
    RELAY,
    RELAY_QUEUE,
    STRANDED,
    TO_MAIN,
    TO_RELAY,
    Journey,
)
from .engine.recorder import REQUEST_COLUMNS
from .engine.simulation import Simulation
from .engine.watch import Moment, Watch
from .errors import Problem, RunError
from .policy import PB_MD, PIPELINES
from .scenario import Scenario

Times = NDArray[np.float64]

LANES = ("prefill", "RDMA", "line", "relay decode", "handoff", "main decode")
"""Lanes of the picture, from top to bottom."""


@dataclass(frozen=True)
class Interval:
    """A bar of the picture: its lane, what happens, from when to when (s since arrival)."""

    lane: str
    what: str
    from_s: float
    to_s: float

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.to_s - self.from_s


@dataclass(frozen=True)
class Piece:
    """A stretch of decoding at one speed: s since arrival, ITL in s, requests in the batch."""

    where: str
    from_s: float
    to_s: float
    itl_s: float
    batch: int


@dataclass(frozen=True)
class LinePiece:
    """A stretch on the line at one speed: s since arrival, flows that share it, Gbps of each."""

    from_s: float
    to_s: float
    flows: int
    gbps: float


@dataclass(frozen=True)
class Gantt:
    """One request, whole; times in s since its arrival at `arrival_s`.

    `token_s` says when the user sees each token; `gaps_s` what lies between one and the next, and
    `largest_gap_at` the token before the largest. `total_s` is None for one that is not done.
    """

    number: int
    client: int
    pipeline: str
    prompt_tokens: float
    hit_tokens: float
    held_tokens: float
    output_tokens: int
    relay_tokens: int
    nbytes: float
    estimate_s: float
    arrival_s: float
    ttft_s: float | None
    total_s: float | None
    intervals: tuple[Interval, ...]
    pieces: tuple[Piece, ...]
    line_pieces: tuple[LinePiece, ...]
    token_s: Times
    gaps_s: Times
    largest_gap_s: float | None
    largest_gap_at: int | None

    def seconds(self, lane: str, what: str | None = None) -> float:
        """Seconds of a lane, or of one thing in it."""
        return sum(
            i.seconds for i in self.intervals if i.lane == lane and what in (None, i.what)
        )  # fmt: skip


def gantt(scenario: Scenario, number: int, seed: int = 0, load: Load | None = None) -> Gantt:
    """Request `number` (from 0, in order of arrival) of the run that these arguments name.

    RunError when the run has no such request.
    """
    sim = Simulation(scenario, load, seed=seed, total=scenario.run.requests)
    plan = scenario.run
    until = plan.duration_s if load is None else None
    return watched(sim, number, until)


def watched(sim: Simulation, number: int, until_s: float | None = None) -> Gantt:
    """Request `number`, which is still to come in `sim`; that goes on until it is done."""
    watch = Watch(sim, number)
    watch.run(until_s)
    if watch.journey is None or not watch.moments:
        came = sim.pipeline.next_number
        remedy = f"this run has requests 0 to {came - 1}" if came else "this run has no requests"
        raise RunError(Problem("request", str(number), remedy))
    return _gantt(watch, watch.journey)


def _gantt(watch: Watch, j: Journey) -> Gantt:
    tokens = _tokens(watch, j)
    gaps = np.diff(tokens)
    largest = int(gaps.argmax()) if len(gaps) else None
    first = float(tokens[0]) if len(tokens) else None
    return Gantt(
        number=j.number, client=j.client,
        pipeline=PIPELINES[j.pipeline] if j.pipeline >= 0 else "not routed yet",
        prompt_tokens=j.prompt, hit_tokens=j.hit, held_tokens=j.md_hit, output_tokens=j.out,
        relay_tokens=j.relay_made, nbytes=j.nbytes, estimate_s=j.estimate, arrival_s=j.arrival,
        ttft_s=first, total_s=None if watch.last_s is None else watch.last_s - j.arrival,
        intervals=tuple(_merged(sorted(_intervals(watch, j), key=_order))),
        pieces=tuple(_pieces(watch, j)),
        line_pieces=tuple(_line_pieces(watch, j)),
        token_s=tokens, gaps_s=gaps,
        largest_gap_s=None if largest is None else float(gaps[largest]),
        largest_gap_at=None if largest is None else largest + 1,
    )  # fmt: skip


def _order(interval: Interval) -> tuple[int, float]:
    return LANES.index(interval.lane), interval.from_s


def _merged(intervals: list[Interval]) -> Iterator[Interval]:
    """Intervals that follow each other in one lane and say the same, as one."""
    held: Interval | None = None
    for interval in intervals:
        same = held is not None and (held.lane, held.what) == (interval.lane, interval.what)
        if held is not None and same and interval.from_s - held.to_s < 1e-9:
            held = Interval(held.lane, held.what, held.from_s, interval.to_s)
            continue
        if held is not None:
            yield held
        held = interval
    if held is not None:
        yield held


def _stretches(watch: Watch) -> Iterator[tuple[Moment, float]]:
    """Each moment with the end of what holds from it on, while the request is not done."""
    end = watch.sim.now if watch.last_s is None else watch.last_s
    for moment, following in pairwise(watch.moments):
        yield moment, following.at_s
    yield watch.moments[-1], max(end, watch.moments[-1].at_s)


WHAT = {
    TO_RELAY: ("RDMA", "KV to RLD"),
    RELAY_QUEUE: ("relay decode", "wait for a slot"),
    RELAY: ("relay decode", "decode"),
    MAIN_QUEUE: ("main decode", "wait for a slot"),
    MAIN: ("main decode", "decode"),
    STRANDED: ("relay decode", "RLD is lost: wait"),
}
"""Lane and words of each stage that is one bar."""


def _intervals(watch: Watch, j: Journey) -> Iterator[Interval]:
    start = j.arrival
    for moment, end in _stretches(watch):
        for lane, what, since, until in _bars(watch, j, moment, end):
            if until > since:
                yield Interval(lane, what, since - start, until - start)
    yield from _on_line(watch, j)


def _bars(
    watch: Watch, j: Journey, moment: Moment, end: float
) -> Iterator[tuple[str, str, float, float]]:
    """The bars of one stretch: lane, words, from, to (simulated s)."""
    at, stage = moment.at_s, moment.stage
    if stage == PREFILL:
        begun = min(max(moment.prefill_start, at), end)
        yield "prefill", "wait for prefill", at, begun
        yield "prefill", "prefill", begun, end
    elif stage == HANDOFF and not moment.relay_left:
        yield "relay decode", "decode", at, end
        yield "handoff", "batches of ids, RLD decodes on", at, end
    elif stage == HANDOFF:
        yield "handoff", "last batch of ids: the user waits", at, end
    elif stage == TO_MAIN:
        if watch.sim.pipeline.line is None or j.pipeline == PB_MD:
            yield "RDMA", "KV to decode", at, end
    elif stage in WHAT:
        yield (*WHAT[stage], at, end)
    if stage == RELAY and moment.landed and not moment.main_held:
        yield "main decode", "wait for a slot", at, end


def _on_line(watch: Watch, j: Journey) -> Iterator[Interval]:
    sent = next((m.at_s for m in watch.moments if m.sent), None)
    if sent is None:
        return
    now, start = watch.sim.now, j.arrival
    left = now if watch.line_left_s is None else watch.line_left_s
    landed = now if watch.landed_s is None else watch.landed_s
    yield Interval("line", "KV on the line", sent - start, left - start)
    if landed > left:
        yield Interval("line", "last bytes travel", left - start, landed - start)


def _pieces(watch: Watch, j: Journey) -> Iterator[Piece]:
    for moment, end in _stretches(watch):
        if moment.itl_s > 0 and end > moment.at_s:
            where = "main decode" if moment.stage == MAIN else "relay decode"
            yield Piece(where, moment.at_s - j.arrival, end - j.arrival, moment.itl_s, moment.batch)


def _line_pieces(watch: Watch, j: Journey) -> Iterator[LinePiece]:
    held: LinePiece | None = None
    for moment, end in _stretches(watch):
        if not moment.on_line or end <= moment.at_s:
            continue
        piece = LinePiece(
            moment.at_s - j.arrival, end - j.arrival, moment.flows, moment.rate * 8e-9
        )
        if held is not None and (held.flows, held.gbps) == (piece.flows, piece.gbps):
            held = LinePiece(held.from_s, piece.to_s, held.flows, held.gbps)
            continue
        if held is not None:
            yield held
        held = piece
    if held is not None:
        yield held


def _tokens(watch: Watch, j: Journey) -> Times:
    """When the user sees each token, in s since arrival: whole ones, the first as recorded."""
    seen: list[float] = []
    for moment, end in _stretches(watch):
        if moment.itl_s <= 0:
            continue
        reached = moment.progress + (end - moment.at_s) / moment.itl_s
        while len(seen) < min(j.out, floor(reached + 1e-6)):
            number = len(seen) + 1
            wait = max(0.0, number - moment.progress) * moment.itl_s
            seen.append(moment.at_s + wait - j.arrival)
    done = watch.last_s
    if done is not None:
        seen += [done - j.arrival] * (j.out - len(seen))
    if j.first < 0 or not seen:
        return np.empty(0)
    tokens: Times = np.maximum.accumulate(np.maximum(np.array(seen), j.first - j.arrival))
    tokens[0] = j.first - j.arrival
    return tokens


@dataclass(frozen=True)
class Points:
    """All finished requests of a run as arrays, in order of finishing; times in s.

    Uncached tokens against TTFT is the scatter of the page; `number` leads to `gantt`.
    """

    number: NDArray[np.int64]
    arrival_s: Times
    uncached_tokens: Times
    ttft_s: Times
    total_s: Times
    gap_s: Times
    pipeline: NDArray[np.int64]

    def worst(self, by: str = "total_s", count: int = 20) -> list[int]:
        """Numbers of the requests with the largest `ttft_s`, `total_s` or `gap_s`, worst first."""
        if by not in ("ttft_s", "total_s", "gap_s"):
            raise RunError(Problem("worst by", by, "known are ttft_s, total_s and gap_s"))
        order = np.lexsort((self.number, -getattr(self, by)))
        return [int(n) for n in self.number[order[:count]]]

    def thinned(self, most: int = 3_000) -> Points:
        """At most so many: the worst of each kind, and of the rest each n-th."""
        if len(self.number) <= most:
            return self
        worst = {n for by in ("ttft_s", "total_s", "gap_s") for n in self.worst(by, 50)}
        keep = np.isin(self.number, sorted(worst))
        room = max(1, most - int(keep.sum()))
        rest = np.flatnonzero(~keep)
        keep[rest[:: -(-len(rest) // room)]] = True
        return Points(*(getattr(self, name)[keep] for name in self.__dataclass_fields__))


def points(sim: Simulation, from_s: float = 0.0, to_s: float | None = None) -> Points:
    """The finished requests of `sim` that arrived from `from_s` to `to_s`."""
    rows = sim.recorder.arrived_between(from_s, sim.now if to_s is None else to_s)

    def column(name: str) -> Times:
        return rows[:, REQUEST_COLUMNS.index(name)].copy()

    after = np.maximum(column("out") - 1, 1)
    each = (column("total") - column("ttft")) / after
    return Points(
        column("number").astype(np.int64), column("arrival"), column("prompt") - column("hit"),
        column("ttft"), column("total"), np.maximum(column("gap"), each),
        column("pipeline").astype(np.int64),
    )  # fmt: skip


def run_points(scenario: Scenario, seed: int = 0, load: Load | None = None) -> Points:
    """The points of a whole run."""
    sim = Simulation(scenario, load, seed=seed, total=scenario.run.requests)
    sim.advance_to_end()
    return points(sim)


def same_request(scenario: Scenario, other: Scenario, number: int, seed: int = 0) -> int:
    """The number in a run of `other` of the request that is `number` in a run of `scenario`.

    It is the same turn of the same client: equal prompt, hit rate and answer, as both runs are on
    the same draws. RunError when there is no such request; both must ask for equal workloads.
    """
    turn = np.argwhere(_numbers_of_client(scenario, seed) == number)
    if not len(turn):
        raise RunError(Problem("request", str(number), "this run has no such request"))
    client, place = turn[0]
    return int(_numbers_of_client(other, seed)[client, place])


def _numbers_of_client(scenario: Scenario, seed: int) -> NDArray[np.int64]:
    """Numbers of the requests of each client (rows) in the order it asked them; -1 fills up."""
    sim = Simulation(scenario, seed=seed, total=scenario.run.requests)
    sim.advance_to_end()
    rows = sim.recorder.arrived_between(0.0, sim.now)
    clients = rows[:, REQUEST_COLUMNS.index("client")].astype(np.int64)
    numbers = rows[:, REQUEST_COLUMNS.index("number")].astype(np.int64)
    table = np.full((clients.max() + 1, np.bincount(clients).max()), -1, np.int64)
    for client in range(len(table)):
        asked = np.sort(numbers[clients == client])
        table[client, : len(asked)] = asked
    return table
