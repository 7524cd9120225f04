"""When requests arrive: clients that think between turns, or a Poisson stream of turns."""

from __future__ import annotations

from math import exp
from typing import Protocol

from ..scenario import Scenario
from .clock import Clock
from .deployment import ARRIVE
from .journey import Journey
from .pipeline import Pipeline
from .streams import Columns, Streams

LONGEST_BLOCK = 128
"""Turns in a block; a finite run of up to this many turns a client is one block."""

LIVE_BLOCK = 32
"""Turns in a block of an endless run: short, so that drawing one does not delay a frame."""

SESSIONS_PER_CLIENT = 1 << 24


class Load(Protocol):
    """Where requests come from."""

    @property
    def block_tokens(self) -> int | None: ...
    @property
    def name(self) -> str: ...
    @property
    def generated(self) -> bool: ...
    @property
    def closed(self) -> bool: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def first_done_s(self) -> float | None: ...

    def begin(self, pipeline: Pipeline) -> None: ...
    def arrive(self, integer: int) -> None: ...
    def finished(self, j: Journey, last: float) -> None: ...
    def adopt(self, scenario: Scenario) -> None: ...
    def exhausted(self) -> bool: ...
    def progress(self, finished: int) -> float: ...


class SessionLoad:
    """Semi-open: each client asks, waits for the answer, thinks Exp(think_s), asks again.

    `total` requests in all, split evenly over the clients (None: endless).
    """

    block_tokens: int | None = None
    name = "sessions"
    generated = True
    closed = True

    def __init__(self, scenario: Scenario, seed: int, total: int | None) -> None:
        workload = scenario.workload
        self.workload = workload
        self.sigma = scenario.policy.output_prediction_sigma
        self.total = total
        self.last_turn_s = max(
            (e.at_s + e.over_s for e in scenario.events if e.setting == "workload.clients"),
            default=0.0,
        )
        self.group = workload.clients
        longest = LIVE_BLOCK if total is None else min(-(-total // self.group), LONGEST_BLOCK)
        self.seed = seed
        self.block_turns = longest
        self.rebuild_streams()
        self.turn: list[int] = []
        self.session: list[int] = []
        self.prompt: list[float] = []
        self.think: list[float] = []
        self.idle: set[int] = set()
        self.notes: list[str] = []
        self.singles = 0
        self.arrivals = 0
        self.first_done_s: float | None = None

    def rebuild_streams(self) -> None:
        """Start the random streams of this seed, group and block length."""
        self.streams = Streams(self.workload, self.seed, self.group, self.block_turns)

    def exhausted(self) -> bool:
        """No request will come any more, not of clients that were turned away either."""
        if self.total is None:
            return False
        gone = self.idle if self.clock._now >= self.last_turn_s else ()
        return all(
            turn >= self.quota(client) or client in gone for client, turn in enumerate(self.turn)
        )

    def progress(self, finished: int) -> float:
        """Share of the requests that are finished."""
        return finished / self.total if self.total else 0.0

    def quota(self, client: int) -> float:
        """Requests that `client` makes in all."""
        if self.total is None:
            return float("inf")
        each, more = divmod(self.total, self.group)
        return each + (client < more)

    def begin(self, pipeline: Pipeline) -> None:
        """First arrivals, uniform within `first_arrivals_within_s`."""
        self.pipeline = pipeline
        self.clock: Clock = pipeline.clock
        self._grow(self.workload.clients, 0.0)

    def _grow(self, clients: int, now: float) -> None:
        for client in range(len(self.turn), clients):
            self.turn.append(0)
            self.session.append(client * SESSIONS_PER_CLIENT)
            self.prompt.append(0.0)
            self.think.append(0.0)
            if self.quota(client) > 0:
                wait = self.streams.first_arrival(client) * self.workload.first_arrivals_within_s
                self.clock.at(now + wait, ARRIVE, client)

    def arrive(self, integer: int) -> None:
        """Client `integer` asks."""
        client = integer
        if client >= self.workload.clients:
            self.idle.add(client)  # the load was turned down meanwhile
            return
        self.pipeline.start(self._next(client))

    def _next(self, client: int) -> Journey:
        turn = self.turn[client]
        self.turn[client] = turn + 1
        group, row = divmod(client, self.group)
        number, column = divmod(turn, self.block_turns)
        block = self.streams.block(group, number)
        i = row * self.block_turns + column
        self.think[client] = block.think[i]
        if block.singular[i]:
            return self._single(client, block, i)
        first = block.first[i] == 1
        if first:
            self.pipeline.session_ended(self.session[client])
            self.session[client] += 1
            self.prompt[client] = block.prompt[i]
        prompt = self.prompt[client]
        return self._journey(client, self.session[client], first, prompt, block, i)

    def _single(self, client: int, block: Columns, i: int) -> Journey:
        """A one-off session beside the client's own."""
        self.singles += 1
        return self._journey(client, -self.singles, True, block.prompt[i], block, i)

    def _journey(
        self, client: int, session: int, first: bool, prompt: float, block: Columns, i: int
    ) -> Journey:
        out = block.output[i]
        predicted = out * exp(self.sigma * block.prediction[i])
        uniforms = block.first_step[i], block.phase[i], block.jitter[i], block.timeout[i]
        hit = block.hit_share[i] * prompt
        return Journey(client, session, first, prompt, hit, out, predicted, uniforms)

    def finished(self, j: Journey, last: float) -> None:
        """The client thinks and asks again, unless it has made its requests."""
        client = j.client
        if j.session < 0:
            self.pipeline.session_ended(j.session)
        if self.turn[client] < self.quota(client):
            self.clock.at(last + self.think[client] * self.workload.think_s, ARRIVE, client)
        elif self.first_done_s is None:
            self.first_done_s = last

    def adopt(self, scenario: Scenario) -> None:
        """Take a turned workload: fewer clients stop after their answer, more begin anew."""
        before, now = self.workload, self.clock._now
        self.sigma = scenario.policy.output_prediction_sigma
        self.workload = scenario.workload
        if scenario.workload != before:
            self.streams.turn(scenario.workload)
        if scenario.workload.clients > before.clients:
            for client in sorted(self.idle):
                if client < scenario.workload.clients:
                    self.idle.discard(client)
                    self.clock.at(now + self.think[client] * self.workload.think_s, ARRIVE, client)
            self._grow(scenario.workload.clients, now)


class PoissonLoad(SessionLoad):
    """Open loop: turns arrive as a Poisson stream and go round over the sessions of the clients."""

    name = "poisson"
    closed = False

    def begin(self, pipeline: Pipeline) -> None:
        """The first turn arrives after one exponential gap."""
        self.pipeline = pipeline
        self.clock = pipeline.clock
        for client in range(self.workload.clients):
            self.turn.append(0)
            self.session.append(client * SESSIONS_PER_CLIENT)
            self.prompt.append(0.0)
            self.think.append(0.0)
        self._schedule()

    def _schedule(self) -> None:
        if self.total is not None and self.arrivals >= self.total:
            self.first_done_s = self.clock._now
            return
        client, turn = self.arrivals % self.group, self.arrivals // self.group
        number, column = divmod(turn, self.block_turns)
        gap = self.streams.block(0, number).gap[client * self.block_turns + column]
        self.clock.at(self.clock._now + gap / self.workload.rate_rps, ARRIVE, client)

    def arrive(self, integer: int) -> None:
        """The next turn arrives, of client `integer`."""
        self.arrivals += 1
        self.pipeline.start(self._next(integer))
        self._schedule()

    def finished(self, j: Journey, last: float) -> None:
        """Nobody waits for the answer."""
        if j.session < 0:
            self.pipeline.session_ended(j.session)

    def exhausted(self) -> bool:
        """No request will come any more."""
        return self.total is not None and self.arrivals >= self.total

    def adopt(self, scenario: Scenario) -> None:
        """Take a turned workload; the number of sessions stays as it was."""
        self.sigma = scenario.policy.output_prediction_sigma
        if scenario.workload != self.workload:
            self.streams.turn(scenario.workload)
        self.workload = scenario.workload


def make_load(scenario: Scenario, seed: int, total: int | None) -> SessionLoad:
    """The generated load that a workload describes."""
    kind = SessionLoad if scenario.workload.arrivals == "sessions" else PoissonLoad
    return kind(scenario, seed, total)
