"""The second question of a plan: does the latency hold, and what does each stage take?

One request on a deployment without queues, as the engine would serve it: stages in order, with the
formula of each. Waiting is what a run adds.
"""

from __future__ import annotations

from dataclasses import dataclass

from .physics.chip import prefill_cost, prefill_seconds, step_cost, step_seconds
from .physics.handoff import HandoffPlan, catch_up, one_shot
from .physics.kv import kv_bytes, tokens_to_send
from .physics.line import estimate_seconds, flow_rate, line_rates, slow_start_seconds
from .physics.profile import formulas_only
from .policy import P_D, P_MD, P_RLD, P_RLD_MD, PIPELINES, SINGULAR, choose_pipeline, handoff_mode
from .scenario import Line, Pool, Scenario

ONE_AND_A_HALF = 1.5
"""Mean steps to the first token: the rest of the running step (uniform) and a step of its own."""


@dataclass(frozen=True)
class Asked:
    """One request, and what goes on beside it: batches with it, flows on the line without it.

    `held_share` is the share of the prompt that main decode holds (None: as much as prefill).
    """

    prompt_tokens: float
    hit_share: float
    output_tokens: int
    held_share: float | None = None
    relay_batch: int = 1
    main_batch: int = 1
    flows: int = 0


@dataclass(frozen=True)
class StageTime:
    """One stage: its seconds and how they come about. `counts` says what it is part of."""

    stage: str
    seconds: float
    how: str
    counts: str


@dataclass(frozen=True)
class Latency:
    """What one request takes, in seconds; `hidden_s` is line time that the relay has hidden.

    `holds` says whether the limits of the scenario are met, None for limits that are not set.
    """

    pipeline: str
    stages: tuple[StageTime, ...]
    ttft_s: float
    total_s: float
    transfer_s: float | None
    estimate_s: float | None
    hidden_s: float
    relay_tokens: int
    gap_s: float | None
    total_holds: bool
    ttft_holds: bool | None


@dataclass(frozen=True)
class _Parts:
    """Seconds of single parts of the way; ITL of each pool."""

    prefill: float
    rdma: float
    transfer: float | None
    estimate: float | None
    relay_itl: float | None
    main_itl: float


def latency(scenario: Scenario, asked: Asked, pipeline: int | None = None) -> Latency:
    """The stages of `asked`; by the scenario's rules unless a pipeline (of `policy`) is given.

    RunError for measured profiles and for prefill in B.
    """
    formulas_only(scenario, "the times of stages")
    parts = _parts(scenario, asked)
    way = _choose(scenario, asked, parts) if pipeline is None else pipeline
    if way == P_RLD_MD and parts.relay_itl is not None and parts.transfer is not None:
        return _relayed(scenario, asked, parts, parts.relay_itl, parts.transfer)
    if way in (P_RLD, SINGULAR) and parts.relay_itl is not None:
        return _straight(scenario, asked, parts, way, parts.rdma, parts.relay_itl, "relay")
    if way == P_D or parts.transfer is None:
        return _straight(scenario, asked, parts, P_D, parts.rdma, parts.main_itl, "main")
    return _straight(scenario, asked, parts, P_MD, parts.transfer, parts.main_itl, "main")


def _parts(scenario: Scenario, asked: Asked) -> _Parts:
    model, prompt = scenario.model, asked.prompt_tokens
    hit = prompt * asked.hit_share
    site = scenario.datacenter_a
    whole = kv_bytes(prompt, model.kv_bytes_per_token, model.fixed_state_mb * 1e6)
    transfer = estimate = None
    if scenario.line is not None:
        nbytes = _nbytes(scenario, asked)
        transfer, estimate = _line_seconds(scenario.line, nbytes, asked.flows)
    relay = scenario.relay_decode
    return _Parts(
        prefill=prefill_seconds(prefill_cost(scenario.prefill, model), prompt - hit, hit),
        rdma=whole / (site.rdma_gbytes_per_s * 1e9) + site.rdma_setup_ms / 1e3,
        transfer=transfer,
        estimate=estimate,
        relay_itl=None if relay is None else _itl(scenario, relay, asked.relay_batch, prompt),
        main_itl=_itl(scenario, scenario.main_decode, asked.main_batch, prompt),
    )


def _nbytes(scenario: Scenario, asked: Asked) -> float:
    """KV that must cross, in bytes."""
    prompt, model = asked.prompt_tokens, scenario.model
    hit = prompt * asked.hit_share
    held = hit if asked.held_share is None else prompt * asked.held_share
    if not scenario.caches.drc_enabled:
        held = 0.0
    need = tokens_to_send(prompt, hit, held)
    return kv_bytes(need, model.kv_bytes_per_token, model.fixed_state_mb * 1e6)


def _line_seconds(line: Line, nbytes: float, flows: int) -> tuple[float, float]:
    """Mean seconds until `nbytes` have landed beside `flows` others, and the router's estimate."""
    capacity, cap = line_rates(line.bandwidth_gbps, line.goodput_share, line.per_flow_cap_gbps)
    rtt = line.rtt_ms / 1e3
    seconds = nbytes / flow_rate(capacity, cap, flows + 1) if nbytes > 0 else 0.0
    seconds += 0.5 * rtt + 0.5 * line.jitter_share * rtt + line.timeout_share * line.timeout_s
    if line.slow_start:
        seconds += slow_start_seconds(nbytes, cap, rtt, line.initial_window_kb * 1e3)
    return seconds, estimate_seconds(nbytes, capacity, cap, flows, rtt)


def _itl(scenario: Scenario, pool: Pool, batch: int, prompt: float, made: int = 0) -> float:
    """ITL in a batch of equal prompts, of which this one has `made` tokens already."""
    cost = step_cost(pool, scenario.model, batch)
    return step_seconds(cost, batch, batch * prompt + made) / scenario.model.tokens_per_step


def _choose(scenario: Scenario, asked: Asked, parts: _Parts) -> int:
    if parts.estimate is None:
        return P_D
    if parts.relay_itl is None:
        return P_MD
    return choose_pipeline(
        scenario.policy, parts.estimate, float(asked.output_tokens), parts.relay_itl, False
    )


def _before(parts: _Parts, transfer: float, itl: float, way: str) -> list[StageTime]:
    return [
        StageTime("prefill", parts.prefill, "t0 + FLOP of the new tokens / (peak x MFU)", "TTFT"),
        StageTime("transfer", transfer, way, "TTFT"),
        StageTime("first_step", ONE_AND_A_HALF * itl, "1.5 ITL: a step begun, and its own", "TTFT"),
    ]


RDMA_WORDS = "whole KV / RDMA rate + setup"
LINE_WORDS = "KV to send / rate of the flow + RTT/2 + slow start + jitter"


def _straight(
    scenario: Scenario, asked: Asked, parts: _Parts, way: int, transfer: float, itl: float,
    stage: str,
) -> Latency:  # fmt: skip
    """One pool decodes it from the first token to the last."""
    words = LINE_WORDS if way == P_MD else RDMA_WORDS
    stages = _before(parts, transfer, itl, words)
    ttft = sum(s.seconds for s in stages)
    rest = max(0.0, (asked.output_tokens - ONE_AND_A_HALF) * itl)
    stages.append(StageTime(stage, rest, "ITL x tokens that follow", "total"))
    return _told(scenario, parts, way, stages, ttft, None, 0, 0.0)


def _relayed(
    scenario: Scenario, asked: Asked, parts: _Parts, relay_itl: float, transfer: float
) -> Latency:
    """RLD streams while KV is on the line, hands its ids over, and MD carries on."""
    if transfer <= parts.rdma:  # KV is there first: MD makes it alone
        return _straight(scenario, asked, parts, P_MD, transfer, parts.main_itl, "main")
    stages = _before(parts, parts.rdma, relay_itl, RDMA_WORDS)
    ttft = sum(s.seconds for s in stages)
    alone = transfer - parts.rdma
    if alone >= asked.output_tokens * relay_itl:  # the answer is done before its KV lands
        rest = max(0.0, (asked.output_tokens - ONE_AND_A_HALF) * relay_itl)
        stages.append(StageTime("relay", rest, "RLD makes all of it before its KV lands", "total"))
        return _told(scenario, parts, P_RLD_MD, stages, ttft, None, asked.output_tokens, rest)
    first_out = alone >= ONE_AND_A_HALF * relay_itl
    eager = max(1, int(alone / relay_itl)) if first_out else 0
    eager = min(eager, asked.output_tokens - 1)
    main_pool = scenario.main_decode
    itl = _itl(scenario, main_pool, asked.main_batch, asked.prompt_tokens, eager)
    plan = _plan(scenario, eager, itl * scenario.model.tokens_per_step, relay_itl)
    on_relay = alone + plan.relay_leaves_after_s
    made = min(max(eager, int(on_relay / relay_itl)), asked.output_tokens - 1)
    relay = max(0.0, on_relay - ONE_AND_A_HALF * relay_itl)
    itl = _itl(scenario, main_pool, asked.main_batch, asked.prompt_tokens, made)
    main = (asked.output_tokens - made) * itl
    stages += [
        StageTime("relay", relay, "RLD streams until the handoff's last batch", "total"),
        StageTime("handoff", plan.gap_s, f"last batch of ids, of {plan.rounds}", "total"),
        StageTime("main", main, "ITL x tokens that follow", "total"),
    ]
    hidden = max(0.0, transfer - parts.rdma)
    return _told(scenario, parts, P_RLD_MD, stages, ttft, plan.gap_s, made, hidden)


def _plan(scenario: Scenario, eager: int, main_step: float, relay_itl: float) -> HandoffPlan:
    policy = scenario.policy
    hop, w = policy.handoff_hop_ms / 1e3, policy.handoff_ids_per_step
    if handoff_mode(policy, eager, False) == "one_shot":
        return one_shot(eager, hop, main_step, 0.5, w)
    return catch_up(eager, hop, main_step, 0.5, w, relay_itl, policy.handoff_max_rounds)


def _told(
    scenario: Scenario, parts: _Parts, way: int, stages: list[StageTime], ttft: float,
    gap: float | None, made: int, hidden: float,
) -> Latency:  # fmt: skip
    slo, overhead = scenario.slo, scenario.policy.output_overhead_ms / 1e3
    if overhead:
        stages.insert(3, StageTime("output_overhead", overhead, "processing of its text", "TTFT"))
    ttft += overhead
    total = sum(s.seconds for s in stages)
    return Latency(
        PIPELINES[way], tuple(stages), ttft, total, parts.transfer, parts.estimate, hidden, made,
        gap, total <= slo.total_s, None if slo.ttft_s is None else ttft <= slo.ttft_s,
    )  # fmt: skip
