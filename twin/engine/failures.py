"""Failures and repairs: a line cut, an instance lost, and what becomes of the requests there.

No request is lost. One at a lost prefill instance is prefilled elsewhere from the start. One that
RLD was relaying waits for main decode with the tokens made so far. One whose KV is gone (at MD, or
on RLD without a transfer) goes back to prefill, which holds its prompt and computes only the tokens
made so far; the user keeps what has been streamed.
"""

from __future__ import annotations

from ..errors import Problem, TurnError
from ..policy import LOCAL, PB_MD
from .journey import HANDOFF, MAIN, NEVER, NOWHERE, PREFILL, RELAY, STRANDED, Journey
from .pipeline import Pipeline
from .pools import DRAINING, LOST, UP, DecodeInstance, PrefillInstance


def cut_line(p: Pipeline, cut: bool) -> None:
    """Cut the line, or bring it back; then the handoffs that waited for it start."""
    if p.line is None:
        raise TurnError(Problem("line", "absent", "this deployment has no line to cut"))
    p.line.set_cut(cut, p.clock.now)
    if cut:
        return
    stalled, p.stalled = p.stalled, []
    for number in stalled:
        j = p.live.get(number)
        if j is not None and j.stage in (RELAY, STRANDED) and j.m_instance != NOWHERE:
            p.handoff(j, p.main.instances[j.m_instance])


def lose_instance(p: Pipeline, pool: str, index: int) -> None:
    """Instance `index` of `pool` is gone with all it holds."""
    instance = _find(p, pool, index)
    if instance.state == LOST:
        raise TurnError(Problem(f"{pool}[{index}]", "lost", "it is lost already"))
    if instance.state != DRAINING:  # a drained one is not missed
        instance.state = LOST
    if isinstance(instance, PrefillInstance):
        _lose_prefill(p, instance, index, in_b=pool == "prefill_b")
    elif pool == "relay_decode":
        _lose_relay(p, index)
    else:
        _lose_main(p, index)


def restore_instance(p: Pipeline, pool: str, index: int) -> None:
    """Instance `index` of `pool` is back, empty; it stays away if the pool was made smaller."""
    instance = _find(p, pool, index)
    if instance.state == DRAINING:
        return
    if instance.state != LOST:
        raise TurnError(Problem(f"{pool}[{index}]", "not lost", "only a lost one can come back"))
    instance.state = UP
    reopened(p, pool)


def reopened(p: Pipeline, pool: str) -> None:
    """Instances of `pool` can be used (again): those who wait for one move on."""
    now = p.clock.now
    if pool in ("prefill", "prefill_b"):
        homeless, p.homeless = p.homeless, []
        for number in homeless:
            _to_prefill(p, p.live[number])
    elif pool == "relay_decode" and p.relay is not None:
        last = p.relay.instances[-1]
        p.relay.settle(last, now)
        p.relay_freed(p.relay, last)
    elif pool == "main_decode":
        last = p.main.instances[-1]
        p.main.settle(last, now)
        p.main_freed(last)


def _find(p: Pipeline, pool: str, index: int) -> PrefillInstance | DecodeInstance:
    found = p.pools().get(pool)
    instances = [] if found is None else found.instances
    if not 0 <= index < len(instances):
        raise TurnError(
            Problem(f"{pool}[{index}]", "absent", f"{pool} has {len(instances)} instances, from 0")
        )
    return instances[index]


def _to_prefill(p: Pipeline, j: Journey) -> None:
    if j.redone:
        p.to_prefill(j, float(max(j.made, 1)), j.prompt)
    else:
        p.to_prefill(j, j.prompt - j.hit, j.hit)


def _lose_prefill(p: Pipeline, instance: PrefillInstance, index: int, in_b: bool) -> None:
    now, pool = p.clock.now, p.prefill_b if in_b else p.prefill
    assert pool is not None
    pool.busy_s -= max(0.0, instance.free_s - now)
    instance.free_s = now
    for j in list(p.live.values()):
        there = j.p_instance == index and (j.pipeline == PB_MD) == in_b
        if j.stage == PREFILL and there and j.due >= now:
            j.due = NEVER
            p.withdraw(j)
            _to_prefill(p, j)


def _lose_relay(p: Pipeline, index: int) -> None:
    relay, now = p.relay, p.clock.now
    assert relay is not None
    instance = relay.instances[index]
    relay.settle(instance, now)
    members = [j for j in p.live.values() if j.r_instance == index and j.stage in (RELAY, HANDOFF)]
    for j in members:
        _keep_streamed(p, j, instance, on_relay=True)
    relay.empty(instance, now)
    for j in members:
        j.r_instance = NOWHERE
        if j.pipeline in LOCAL:
            _set_back(p, j)
            continue
        j.left = now
        j.stage = STRANDED
        if j.m_instance != NOWHERE and j.number not in p.stalled:
            p.handoff(j, p.main.instances[j.m_instance])


def _lose_main(p: Pipeline, index: int) -> None:
    now, instance = p.clock.now, p.main.instances[index]
    p.main.settle(instance, now)
    members = [j for j in p.live.values() if j.m_instance == index]
    for j in members:
        if j.stage == MAIN:
            _keep_streamed(p, j, instance, on_relay=False)
        elif j.r_instance != NOWHERE:
            _leave_relay(p, j)
        p.drc.lost(j)
        j.m_instance = NOWHERE
    p.main.empty(instance, now)
    for j in members:
        _set_back(p, j)


def _keep_streamed(p: Pipeline, j: Journey, instance: DecodeInstance, on_relay: bool) -> None:
    """Count what the user has been told; a first token under way is not told."""
    now = p.clock.now
    made = p.whole_tokens(j, instance, now)
    if on_relay:
        j.relay_made += made - j.made
    j.made = made
    if j.first > now:
        j.first = NEVER


def _leave_relay(p: Pipeline, j: Journey) -> None:
    relay, now = p.relay, p.clock.now
    assert relay is not None
    instance = relay.instances[j.r_instance]
    relay.settle(instance, now)
    context = j.prompt + j.made + (instance.virtual - j.virtual)
    _keep_streamed(p, j, instance, on_relay=True)
    if j.stage == RELAY:
        relay.detach(instance, j)
    relay.leave(instance, context)
    relay.release(instance, now)
    j.r_instance = NOWHERE
    p.relay_freed(relay, instance)


def _set_back(p: Pipeline, j: Journey) -> None:
    """Back to prefill; when its first token is out, the stages of its TTFT stand."""
    p.counts["redone"] += 1
    j.redone += 1
    if j.first == NEVER:
        j.joined = NEVER
    elif j.stamps is None:
        j.stamps = (j.prefill_start, j.prefill_end, j.ready, j.joined)
    j.left = j.resumed = j.landed = NEVER
    j.due, j.flow = NEVER, NOWHERE
    _to_prefill(p, j)
