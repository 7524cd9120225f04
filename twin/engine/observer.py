"""An observer of a simulation: tells a listener what each instance does, event by event.

The simulation is only read: an observed run is the same run, event for event, and one that nobody
observes pays nothing. What an instance decodes is told as stretches during which neither its batch
nor its ITL changed, so that a listener can count tokens by weight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ..policy import PB_MD
from .deployment import (
    ARRIVE,
    LANDED,
    MAIN_JOINS,
    MAIN_TIMER,
    PREFILLED,
    RDMA_DONE,
    RELAY_LEAVES,
    RELAY_TIMER,
    SAMPLE,
    SCRIPT,
)
from .journey import DONE, HANDOFF, MAIN, NOWHERE, RELAY, TO_MAIN, TO_RELAY, Journey
from .line import Flow
from .pipeline import Pipeline
from .pools import LOST, DecodeInstance, DecodePool
from .simulation import Simulation

Handler = Callable[[int], None]

P, PB, RLD, MD = "prefill", "prefill_b", "relay_decode", "main_decode"
"""Pools by their setting names."""


class Listener(Protocol):
    """What is told, in order; times in s, lengths in tokens. Journeys are not to be changed."""

    def arrived(self, j: Journey, /) -> None: ...

    def prefilled(self, pool: str, j: Journey, /) -> None: ...

    def kv_came(
        self, pool: str, j: Journey | None, held: float, nbytes: float, seconds: float, /
    ) -> None:
        """KV of `nbytes` is beside a decode pool that held `held` tokens of the prompt before.

        The request itself may be over by then. It is None when the observer came after it.
        """
        ...

    def joined(self, pool: str, index: int, j: Journey, /) -> None: ...

    def decoded(self, pool: str, index: int, batch: int, each: float, itl_s: float, /) -> None:
        """Each of `batch` requests gained `each` tokens, one every `itl_s`."""
        ...

    def left(self, pool: str, index: int, j: Journey, made: int, virtual: float, /) -> None:
        """`made` whole tokens were made there, of `virtual` that the batch went on meanwhile."""
        ...

    def lost(self, pool: str, index: int, /) -> None: ...

    def came_back(self, pool: str, index: int, /) -> None: ...

    def finished(self, j: Journey, last: float, /) -> None: ...


def virtual_now(instance: DecodeInstance, now: float) -> float:
    """Virtual tokens of an instance up to `now`; the instance stays as it was settled."""
    if not instance.batch or instance.itl <= 0:
        return instance.virtual
    return instance.virtual + (now - instance.at) / instance.itl


def tokens_made(p: Pipeline, j: Journey, now: float) -> int:
    """Whole tokens that a live request has streamed by `now`."""
    relay = p.relay
    if j.stage == MAIN:
        instance = p.main.instances[j.m_instance]
    elif j.stage in (RELAY, HANDOFF) and relay is not None and j.r_instance != NOWHERE:
        instance = relay.instances[j.r_instance]
    else:
        return j.made
    if j.first > now:
        return j.made
    made = j.made + int(virtual_now(instance, now) - j.virtual)
    return min(max(made, 1), max(j.out - 1, 1))


class Member(NamedTuple):
    """A request in a batch, and its tokens and the batch's virtual ones when it came."""

    journey: Journey
    before: int
    virtual: float


class Seat:
    """A decode instance as it was last seen, and the requests in its batch."""

    __slots__ = ("virtual", "batch", "itl", "members")

    def __init__(self) -> None:
        self.virtual = 0.0
        self.batch = 0
        self.itl = 0.0
        self.members: dict[int, Member] = {}


class Observer:
    """Tells `listener` what happens in `sim` from now on.

    Call `look` after anything that was done to the simulation from outside its events (a turn, a
    failure).
    """

    def __init__(self, sim: Simulation, listener: Listener) -> None:
        self.sim = sim
        self.listener = listener
        p = sim.pipeline
        self.seen_number = p.next_number
        self.pools: dict[str, DecodePool] = {MD: p.main}
        if p.relay is not None:
            self.pools[RLD] = p.relay
        self.seats: dict[str, list[Seat]] = {name: [] for name in self.pools}
        self.tickets = dict.fromkeys(self.pools, 0)
        self.sent: dict[int, tuple[Journey, float]] = {}  # flow -> its request, tokens held before
        for j in p.live.values():
            self._remember_flow(j)
        for name, pool in self.pools.items():
            self._adopt(name, pool)
        self.lost = self._lost_now()
        self._hook()

    def _adopt(self, name: str, pool: DecodePool) -> None:
        """Those that are in a batch already are members without having joined."""
        self.tickets[name] = pool.ticket
        for instance in pool.instances:
            seat = Seat()
            seat.virtual = virtual_now(instance, self.sim.now)
            seat.batch, seat.itl = instance.batch, instance.itl
            self.seats[name].append(seat)
            self.recount(name, instance.index)

    def recount(self, name: str, index: int) -> None:
        """Take what the batch of an instance has made so far as made before it came."""
        p, now = self.sim.pipeline, self.sim.now
        self.flush()
        virtual = virtual_now(self.pools[name].instances[index], now)
        seat = self.seats[name][index]
        seat.virtual = virtual
        seat.members = {
            j.number: Member(j, tokens_made(p, j, now), virtual)
            for j in p.live.values()
            if _in_batch(name, index, j)
        }

    def flush(self) -> None:
        """Tell what has been decoded up to now, though no event has ended the stretch."""
        now = self.sim.now
        for name, pool in self.pools.items():
            for instance, seat in zip(pool.instances, self.seats[name], strict=False):
                self._tell(name, instance.index, seat, virtual_now(instance, now))

    def _tell(self, name: str, index: int, seat: Seat, virtual: float) -> None:
        if seat.batch and virtual > seat.virtual:
            self.listener.decoded(name, index, seat.batch, virtual - seat.virtual, seat.itl)
            seat.virtual = virtual

    # --- hooks

    def _hook(self) -> None:
        sim, p = self.sim, self.sim.pipeline
        handlers = list(sim.clock.handlers)
        landed, finished = p.landed, p.finished

        def land(number: int) -> None:
            flow = p.line.flows.get(number) if p.line is not None else None
            landed(number)
            if flow is not None and p.line is not None and number not in p.line.flows:
                self._landed(flow)

        def finish(j: Journey, last: float) -> None:
            self.listener.finished(j, last)
            finished(j, last)

        p.landed = land  # landings call one another
        p.finished = finish
        handlers[LANDED] = land
        handlers[PREFILLED] = self._around_prefilled(handlers[PREFILLED])
        handlers[RDMA_DONE] = self._around_rdma(handlers[RDMA_DONE])
        handlers[ARRIVE] = _then(handlers[ARRIVE], self._arrivals)
        pools = (LANDED, PREFILLED, RDMA_DONE, RELAY_TIMER, RELAY_LEAVES, MAIN_JOINS, MAIN_TIMER)
        for kind in pools:
            handlers[kind] = _then(handlers[kind], self._look_at_pools)
        for kind in (SCRIPT, SAMPLE):
            handlers[kind] = _then(handlers[kind], self.look)
        sim.clock.handlers = tuple(handlers)

    def _around_prefilled(self, handler: Handler) -> Handler:
        p = self.sim.pipeline

        def handle(number: int) -> None:
            handler(number)
            j = p.live.get(number)
            if j is not None and j.prefill_end == p.clock.now:
                self.listener.prefilled(PB if j.pipeline == PB_MD else P, j)
                self._remember_flow(j)

        return handle

    def _around_rdma(self, handler: Handler) -> Handler:
        p = self.sim.pipeline

        def handle(number: int) -> None:
            j = p.live.get(number)
            due = j is not None and j.due == p.clock.now and j.stage in (TO_RELAY, TO_MAIN)
            pool = RLD if j is not None and j.stage == TO_RELAY else MD
            handler(number)
            if j is not None and due:
                seconds = p.clock.now - j.prefill_end
                self.listener.kv_came(pool, j, 0.0, p.whole_bytes(j), seconds)

        return handle

    # --- looks

    def look(self) -> None:
        """Tell what has happened since the last look."""
        self._look_at_pools()
        lost = self._lost_now()
        for pool, index in sorted(lost - self.lost):
            self.listener.lost(pool, index)
        for pool, index in sorted(self.lost - lost):
            self.listener.came_back(pool, index)
        self.lost = lost
        line = self.sim.pipeline.line
        if line is not None and len(self.sent) > len(line.flows):  # some were cancelled
            self.sent = {flow: known for flow, known in self.sent.items() if flow in line.flows}

    def _lost_now(self) -> set[tuple[str, int]]:
        return {
            (name, index)
            for name, pool in self.sim.pipeline.pools().items()
            if pool is not None
            for index, instance in enumerate(pool.instances)
            if instance.state == LOST
        }

    def _arrivals(self) -> None:
        p = self.sim.pipeline
        for number in range(self.seen_number, p.next_number):
            self.listener.arrived(p.live[number])
        self.seen_number = p.next_number

    def _remember_flow(self, j: Journey) -> None:
        line = self.sim.pipeline.line
        if line is not None and j.flow in line.flows:
            self.sent[j.flow] = (j, j.md_hit)

    def _landed(self, flow: Flow) -> None:
        seconds = self.sim.now - flow.started
        j, held = self.sent.pop(flow.number, (None, 0.0))
        if j is None:
            held = flow.prompt - flow.nbytes / max(self.sim.pipeline.kv_per_token, 1.0)
        self.listener.kv_came(MD, j, held, flow.nbytes, seconds)

    def _look_at_pools(self) -> None:
        for name, pool in self.pools.items():
            seats = self.seats[name]
            while len(seats) < len(pool.instances):
                seats.append(Seat())
            joined = pool.ticket != self.tickets[name]
            for instance, seat in zip(pool.instances, seats, strict=True):
                self._look_at(name, instance, seat, joined)
            if joined:
                self._joins(name, pool)

    def _look_at(self, name: str, instance: DecodeInstance, seat: Seat, joined: bool) -> None:
        batch = instance.batch
        self._tell(name, instance.index, seat, instance.virtual)
        if batch != seat.batch or joined:
            self._leaves(name, instance, seat)
        if instance.virtual > seat.virtual:
            seat.virtual = instance.virtual
        seat.batch, seat.itl = batch, instance.itl

    def _leaves(self, name: str, instance: DecodeInstance, seat: Seat) -> None:
        index = instance.index
        gone = [m for m in seat.members.values() if not _in_batch(name, index, m.journey)]
        for j, before, start in gone:
            del seat.members[j.number]
            made = (j.out if j.stage == DONE else j.made) - before
            self.listener.left(name, index, j, made, instance.virtual - start)

    def _joins(self, name: str, pool: DecodePool) -> None:
        seen, live = self.tickets[name], self.sim.pipeline.live
        for instance, seat in zip(pool.instances, self.seats[name], strict=True):
            for _, ticket, number in instance.heap:
                j = live.get(number)
                if ticket > seen and j is not None and j.ticket == ticket:
                    seat.members[number] = Member(j, j.made, j.virtual)
                    self.listener.joined(name, instance.index, j)
        self.tickets[name] = pool.ticket


def _in_batch(name: str, index: int, j: Journey) -> bool:
    if name == MD:
        return j.stage == MAIN and j.m_instance == index
    return j.stage in (RELAY, HANDOFF) and j.r_instance == index


def _then(handler: Handler, look: Callable[[], None]) -> Handler:
    def handle(integer: int) -> None:
        handler(integer)
        look()

    return handle
