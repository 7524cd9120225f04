"""One look at a running deployment: where every request is, and what each resource does now.

A frame only reads the model: looking at it changes no result.
"""

from __future__ import annotations

from math import inf
from typing import Any

from ..policy import PB_MD
from .journey import (
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
from .line import Flow, SharedLine
from .pipeline import Pipeline
from .pools import LOST, DecodeInstance, DecodePool, PrefillPool
from .simulation import Simulation

MOST_REQUESTS = 500
"""Requests listed in a frame; above that an even sample of them."""

PLACES = (
    "p_queue", "p", "rdma", "line", "rld_queue", "rld", "handoff", "md_queue", "md",
)  # fmt: skip
"""Where a request can be seen; numbers of `place` in a frame's request list."""

P_QUEUE, P, RDMA, LINE, RLD_QUEUE, RLD, IDS, MD_QUEUE, MD = range(9)

PLACES_IN_B = ("pb_queue", "pb")
"""Places of a deployment that also prefills in B; their numbers follow those of `PLACES`."""

PB_QUEUE, PB = range(len(PLACES), len(PLACES) + len(PLACES_IN_B))

STATES = ("up", "draining", "lost")


def frame(sim: Simulation) -> dict[str, Any]:
    """The state of this moment, as plain data for a screen.

    `requests`: [number, pipeline, place, instance, share of the place done] each, pipeline as in
    `policy.PIPELINES` or -1 when not routed yet; `crossing`: [number, pipeline, share sent,
    1 when in its latency tail] for each KV transfer. Times in s, rates in Gbps, sizes in TB.
    Only where there is prefill in B: `prefill_b`, as `prefill`, and the counts of its places.
    """
    p = sim.pipeline
    now = sim.now
    seen = [_seen(p, j, now) for j in p.live.values()]
    listed = _sample(seen)
    places = PLACES if p.prefill_b is None else PLACES + PLACES_IN_B
    counts = [0] * len(places)
    for entry in seen:
        counts[entry[2]] += 1
    return {
        "t": round(now, 3),
        "requests": listed,
        "of": len(seen),
        "counts": dict(zip(places, counts, strict=True)),
        "crossing": [] if p.line is None else _sample(_crossing(p, p.line, now)),
        "prefill": _prefill(p.prefill, now),
        **({} if p.prefill_b is None else {"prefill_b": _prefill(p.prefill_b, now)}),
        "relay": None if p.relay is None else _pool(p.relay),
        "main": _pool(p.main),
        "line": None if p.line is None else _line(p.line),
        "drc": _drc(p),
        "totals": {k: p.counts[k] for k in ("arrived", "finished", "refused")},
    }


def _sample(entries: list[list[Any]]) -> list[list[Any]]:
    if len(entries) <= MOST_REQUESTS:
        return entries
    step = len(entries) / MOST_REQUESTS
    return [entries[int(i * step)] for i in range(MOST_REQUESTS)]


# --- requests


def _seen(p: Pipeline, j: Journey, now: float) -> list[Any]:
    place, instance, share = _where(p, j, now)
    return [j.number, j.pipeline, place, instance, round(min(max(share, 0.0), 1.0), 3)]


def _where(p: Pipeline, j: Journey, now: float) -> tuple[int, int, float]:
    stage = j.stage
    if stage == PREFILL:
        return _in_prefill(j, now)
    if stage == TO_RELAY or (stage == TO_MAIN and (p.line is None or j.pipeline == PB_MD)):
        return RDMA, NOWHERE, _passed(j.prefill_end, j.due, now)
    if stage == TO_MAIN:
        return LINE, NOWHERE, _sent_share(p, j)
    if stage == RELAY_QUEUE:
        return RLD_QUEUE, NOWHERE, 0.0
    if stage in (RELAY, STRANDED):
        return RLD, j.r_instance, _decoded(p.relay, j.r_instance, j, now)
    if stage == HANDOFF:
        return IDS, j.m_instance, _passed(j.landed, j.due, now)
    if stage == MAIN_QUEUE:
        return MD_QUEUE, NOWHERE, 0.0
    assert stage == MAIN
    return MD, j.m_instance, _decoded(p.main, j.m_instance, j, now)


def _in_prefill(j: Journey, now: float) -> tuple[int, int, float]:
    queue, busy = (PB_QUEUE, PB) if j.pipeline == PB_MD else (P_QUEUE, P)
    if j.p_instance < 0 or now < j.prefill_start:
        return queue, j.p_instance, _passed(j.arrival, j.prefill_start, now)
    return busy, j.p_instance, _passed(j.prefill_start, j.due, now)


def _passed(start: float, end: float, now: float) -> float:
    return (now - start) / (end - start) if end > start else 1.0


def _virtual(instance: DecodeInstance, now: float) -> float:
    ahead = (now - instance.at) / instance.itl if instance.batch and instance.itl > 0 else 0.0
    return instance.virtual + ahead


def _decoded(pool: DecodePool | None, index: int, j: Journey, now: float) -> float:
    if pool is None or index < 0:
        return j.made / j.out
    return (j.made + _virtual(pool.instances[index], now) - j.virtual) / j.out


# --- line


def _sent_share(p: Pipeline, j: Journey) -> float:
    line = p.line
    flow = line.flows.get(j.flow) if line is not None else None
    return _flow_share(line, flow, p.clock.now) if line is not None and flow is not None else 1.0


def _flow_share(line: SharedLine, flow: Flow, now: float) -> float:
    if flow.number in line.pieces and flow.nbytes > 0:
        return 1.0 - line.unsent(flow.number, now)[0] / flow.nbytes
    if not flow.on_line or flow.nbytes <= 0:
        return 1.0
    left = flow.key - line.virtual - (now - line.at) * line.rate
    return min(1.0, 1.0 - left / flow.nbytes)


def _crossing(p: Pipeline, line: SharedLine, now: float) -> list[list[Any]]:
    rows = []
    for flow in line.flows.values():
        j = p.live.get(flow.request)
        pipeline = j.pipeline if j is not None else NOWHERE
        share = round(max(0.0, _flow_share(line, flow, now)), 3)
        sending = flow.on_line or flow.number in line.pieces
        rows.append([flow.request, pipeline, share, 0 if sending else 1])
    return rows


def _line(line: SharedLine) -> dict[str, Any]:
    flows = line.alive if not line.fifo else min(line.alive, 1)
    return {
        "flows": line.alive,
        "gbps": round(line.rate * flows * 8 / 1e9, 3),
        "capacity_gbps": round(line.capacity * 8 / 1e9, 3),
        "cut": line.cut,
    }


# --- pools and caches


def _prefill(pool: PrefillPool, now: float) -> list[dict[str, Any]]:
    return [
        {
            "busy": i.state != LOST and i.free_s > now,
            "backlog_s": round(max(0.0, i.free_s - now), 2),
            "state": STATES[i.state],
        }
        for i in pool.instances
    ]


def _pool(pool: DecodePool) -> dict[str, Any]:
    instances = [
        {
            "batch": i.batch,
            "used": i.used,
            "slots": i.slots,
            "itl_ms": round(i.itl * 1e3, 2),
            "state": STATES[i.state],
        }
        for i in pool.instances
    ]
    return {"instances": instances, "queue": len(pool.queue)}


def _drc(p: Pipeline) -> dict[str, Any] | None:
    caches = p.scenario.caches
    if not p.scenario.caches.drc_enabled or p.line is None:
        return None
    size = caches.drc_tb
    return {
        "used_tb": round(p.drc.used_bytes() / 1e12, 4),
        "size_tb": size if size is not None and size < inf else None,
        "evictions": p.drc.evictions,
    }
