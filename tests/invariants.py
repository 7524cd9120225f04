"""What must hold at every moment of a run, checked against the requests that are alive."""

from __future__ import annotations

from collections import Counter
from math import inf, isclose

from twin.engine.caches import SessionDecodeCache
from twin.engine.deployment import (
    LANDED,
    MAIN_JOINS,
    PREFILLED,
    RDMA_DONE,
    RELAY_LEAVES,
)
from twin.engine.journey import (
    HANDOFF,
    MAIN,
    MAIN_QUEUE,
    NOWHERE,
    PREFILL,
    RELAY,
    RELAY_QUEUE,
    STRANDED,
    TO_MAIN,
    TO_RELAY,
    Journey,
)
from twin.engine.line import SharedLine
from twin.engine.pipeline import Pipeline
from twin.engine.pools import DecodeInstance, DecodePool
from twin.engine.simulation import Simulation
from twin.policy import PB_MD

CONTEXT_TOLERANCE = 1e-6
"""Relative; contexts are added and subtracted all along a run."""


def check(sim: Simulation) -> None:
    """Every invariant of the present moment; nothing of the simulation is touched."""
    p = sim.pipeline
    counts = p.counts
    assert counts["arrived"] == counts["finished"] + counts["refused"] + len(p.live)
    main_held = [j for j in p.live.values() if j.m_instance != NOWHERE]
    relay_held = [j for j in p.live.values() if j.r_instance != NOWHERE]
    assert all(j.stage in (RELAY, HANDOFF) for j in relay_held)
    assert all(j.stage in (RELAY, HANDOFF, MAIN, STRANDED) for j in main_held)
    _check_pool(p.main, main_held, [j for j in main_held if j.stage == MAIN], "m_instance")
    if p.relay is not None:
        _check_pool(p.relay, relay_held, relay_held, "r_instance")
    else:
        assert not relay_held
    _check_queues(p)
    if p.line is not None:
        _check_line(p.line)
    _check_caches(p, main_held)
    _check_someone_comes(sim)


def _check_pool(pool: DecodePool, held: list[Journey], batch: list[Journey], name: str) -> None:
    for instance in pool.instances:
        assert 0 <= instance.used <= instance.slots
        assert instance.used == sum(getattr(j, name) == instance.index for j in held)
        members = [j for j in batch if getattr(j, name) == instance.index]
        assert instance.batch == len(members)
        _check_batch(instance, members)


def _check_batch(instance: DecodeInstance, members: list[Journey]) -> None:
    context = sum(j.prompt + j.made + instance.virtual - j.virtual for j in members)
    assert isclose(instance.context, context, rel_tol=CONTEXT_TOLERANCE, abs_tol=1e-3)
    assert (instance.itl > 0) == bool(members)
    keys = {number: key for key, ticket, number in instance.heap if ticket not in instance.gone}
    for j in members:
        if j.stage == HANDOFF:  # leaves by its handoff
            assert j.number not in keys
        else:
            assert isclose(keys.pop(j.number), j.virtual + j.out - j.made, rel_tol=1e-12)
    assert not keys


def _check_queues(p: Pipeline) -> None:
    """Who waits is in the queue, and nobody waits beside a free slot."""
    relay_queue = [] if p.relay is None else list(p.relay.queue)
    waiting_for_relay = [n for n in relay_queue if n in p.live and p.live[n].stage == RELAY_QUEUE]
    waiting_for_main = [n for n in p.main.queue if n in p.live]
    for j in p.live.values():
        if j.stage == RELAY_QUEUE:
            assert j.number in waiting_for_relay
        landed = j.landed >= 0 and j.stage in (RELAY, RELAY_QUEUE, TO_RELAY, STRANDED)
        if j.stage == MAIN_QUEUE or (landed and j.m_instance == NOWHERE):
            assert waiting_for_main.count(j.number) == 1
    if waiting_for_relay and p.relay is not None:
        assert p.relay.place() is None
    if waiting_for_main:
        assert p.main.place() is None


def _check_line(line: SharedLine) -> None:
    on_line = [flow for flow in line.flows.values() if flow.on_line]
    assert line.alive == len(on_line)
    assert all(flow.key >= line.virtual * (1 - 1e-12) for flow in on_line)
    rate = line.rate * (1 if line.fifo else line.alive)
    assert rate <= line.capacity * (1 + 1e-12)
    assert (rate > 0) == (bool(on_line) and not line.cut)
    for number, (waits, comes) in line.pieces.items():
        assert 0 <= waits + comes <= line.flows[number].nbytes * (1 + 1e-9)
        assert line.flows[number].on_line or not waits
    assert line.sent_bytes <= line.asked_bytes * (1 + 1e-9)


def _check_caches(p: Pipeline, main_held: list[Journey]) -> None:
    cache = p.drc
    if not isinstance(cache, SessionDecodeCache):
        return
    loose = sum(length for session, length in cache.entries.items() if session not in cache.pinned)
    assert isclose(cache.used_tokens, loose, rel_tol=1e-9, abs_tol=1e-3)
    assert cache.used_bytes() <= cache.capacity or cache.capacity == inf
    held = Counter(j.session for j in main_held)
    assert all(pins <= held[session] for session, pins in cache.pinned.items())


def _check_someone_comes(sim: Simulation) -> None:
    """Each request that waits for time to pass has its event on the clock."""
    p = sim.pipeline
    coming = {(e[3], e[4], e[0]) for e in sim.clock.state().entries}
    on_their_way = {(kind, number) for kind, number, _ in coming}
    for j in p.live.values():
        if j.stage == PREFILL:
            lost = j.number in p.homeless
            assert lost or (PREFILLED, j.number, j.due) in coming
        elif j.stage == TO_RELAY or (
            j.stage == TO_MAIN and (p.line is None or j.pipeline == PB_MD)
        ):
            assert (RDMA_DONE, j.number, j.due) in coming
        elif j.stage == HANDOFF:
            kind = MAIN_JOINS if j.r_instance == NOWHERE else RELAY_LEAVES
            assert (kind, j.number, j.due) in coming
    if p.line is not None:
        waiting = {n for followers in p.waiting.values() for n in followers}
        for number, flow in p.line.flows.items():
            sending = flow.on_line or number in p.line.pieces
            assert sending or number in waiting or (LANDED, number) in on_their_way
