"""What an engine's gauges show at this moment, from the state of the simulation, only read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from twin.engine.journey import HANDOFF, MAIN_QUEUE, NEVER, NOWHERE, PREFILL, RELAY, RELAY_QUEUE
from twin.engine.observer import MD, PB, RLD, tokens_made, virtual_now
from twin.engine.pipeline import Pipeline
from twin.engine.pools import DecodeInstance
from twin.equipment import Pool
from twin.policy import PB_MD
from twin.scenario import Scenario

BLOCK_TOKENS = 64
"""Tokens in a block of the KV cache (assumed)."""

Home = Callable[[str, int], int]
"""The instance that stands for a request which has none yet."""


@dataclass
class Gauges:
    """Requests by what they do on one engine, and the KV tokens they hold there."""

    running: int = 0
    capacity: int = 0
    fetching: dict[str, int] = field(
        default_factory=lambda: {"waiting_to_start": 0, "in_progress": 0, "completed_waiting": 0}
    )
    kv_tokens: float = 0.0

    @property
    def deferred(self) -> int:
        """Requests that wait for their KV."""
        return sum(self.fetching.values())


def kv_capacity_tokens(scenario: Scenario, pool: Pool) -> float:
    """Tokens that fit beside the weights of one instance; at least one block."""
    caches, model = scenario.caches, scenario.model
    usable = caches.memory_usable_share * pool.chips_per_instance * pool.chip.memory_gb * 1e9
    left = usable - model.weights_gb * 1e9
    if pool.profile is not None and pool.profile.slots is not None:
        return float(pool.profile.slots * caches.slot_context_tokens)
    return max(left / max(model.kv_bytes_per_token, 1.0), float(BLOCK_TOKENS))


def prefill_gauges(p: Pipeline, pool: str, index: int) -> Gauges:
    """A prefill instance: the one it computes, and those before it."""
    seen, now = Gauges(), p.clock.now
    for j in p.live.values():
        if j.p_instance != index or (j.pipeline == PB_MD) != (pool == PB):
            continue
        if j.stage != PREFILL:
            if p.line is not None and j.flow in p.line.flows:
                seen.kv_tokens += j.prompt  # held until it has been fetched
        elif j.prefill_start <= now:
            seen.running += 1
            seen.kv_tokens += j.prompt
        else:
            seen.capacity += 1
    return seen


def relay_gauges(p: Pipeline, index: int, home: Home) -> Gauges:
    """A relay decode instance."""
    relay, seen = p.relay, Gauges()
    assert relay is not None
    _batch(p, relay.instances[index], seen)
    for j in p.live.values():
        if j.stage == RELAY_QUEUE and home(RLD, j.number) == index:
            seen.capacity += 1
    return seen


def main_gauges(p: Pipeline, index: int, home: Home) -> Gauges:
    """A main decode instance; transfers belong to the instance their number falls on."""
    seen = Gauges()
    _batch(p, p.main.instances[index], seen)
    for stage, number in _fetches(p):
        if home(MD, number) == index:
            seen.fetching[stage] += 1
    for j in p.live.values():
        if j.stage == MAIN_QUEUE and home(MD, j.number) == index:
            seen.capacity += 1
        elif j.m_instance == index and j.stage in (RELAY, HANDOFF):
            seen.fetching["completed_waiting"] += 1
            seen.kv_tokens += j.prompt
        elif (
            j.stage == RELAY and j.landed != NEVER and j.m_instance == NOWHERE
            and home(MD, j.number) == index
        ):  # fmt: skip
            seen.capacity += 1  # all slots are taken; RLD decodes on
    return seen


def _fetches(p: Pipeline) -> Iterator[tuple[str, int]]:
    line = p.line
    if line is None:
        return
    sending = min((f.key for f in line.flows.values() if f.on_line), default=0.0)
    for flow in line.flows.values():
        waits = line.fifo and flow.on_line and flow.key > sending
        yield ("waiting_to_start" if waits else "in_progress"), flow.request


def _batch(p: Pipeline, instance: DecodeInstance, seen: Gauges) -> None:
    now = p.clock.now
    ahead = virtual_now(instance, now) - instance.virtual
    seen.running = instance.batch
    seen.kv_tokens = instance.context + instance.batch * ahead


def streamed(p: Pipeline) -> int:
    """Whole tokens that users have of the requests in the house."""
    now = p.clock.now
    return sum(tokens_made(p, j, now) for j in p.live.values())
