"""Small valid scenarios of every kind, for laws that range over scenarios."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.deployments import changed, shipped
from twin.scenario import Scenario

OFTEN = st.booleans()


def _maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), values)


POLICIES = st.fixed_dictionaries(
    {
        "relay_threshold_s": st.sampled_from([0.0, 0.1, 0.6, 3.0]),
        "handoff_mode": st.sampled_from(["auto", "one_shot", "catch_up"]),
        "handoff_phase": st.sampled_from(["half", "uniform"]),
        "handoff_load_switch": OFTEN,
        "handoff_load_high": st.just(0.5),
        "handoff_load_low": st.just(0.2),
        "singular_filter": OFTEN,
        "p_rld": OFTEN,
        "p_rld_threshold_s": st.sampled_from([0.2, 1.0, 4.0]),
        "load_gate": OFTEN,
        "load_gate_high": st.sampled_from([2, 5, 50]),
        "load_gate_low": st.sampled_from([0, 1]),
        "in_flight_deduplication": OFTEN,
        "cancel_finished_transfer": OFTEN,
        "output_overhead_ms": st.sampled_from([0.0, 5.0]),
        "layerwise_transfer": OFTEN,
    }
)

LINES = st.fixed_dictionaries(
    {
        "bandwidth_gbps": st.sampled_from([2.0, 5.0, 10.0, 100.0, None]),
        "per_flow_cap_gbps": st.sampled_from([1.0, 10.0, None]),
        "rtt_ms": st.sampled_from([0.0, 21.0, 400.0]),
        "slow_start": OFTEN,
        "jitter_share": st.sampled_from([0.0, 0.3]),
        "timeout_share": st.sampled_from([0.0, 0.1]),
        "discipline": st.sampled_from(["sharing", "sharing", "fifo"]),
    }
)

CACHES = st.fixed_dictionaries(
    {
        "drc_enabled": st.sampled_from([True, True, False]),
        "drc_tb": st.sampled_from([0.0, 0.01, 0.05, 8.0, None]),
        "prefill_tb": st.sampled_from([None, None, 0.02, 0.0]),
        "slot_context_tokens": st.sampled_from([70_000, 1_000_000, 3_000_000]),  # few slots
    }
)

WORKLOADS = st.fixed_dictionaries(
    {
        "arrivals": st.sampled_from(["sessions", "sessions", "poisson"]),
        "clients": st.integers(1, 40),
        "think_s": st.sampled_from([0.0, 2.0, 20.0]),
        "rate_rps": st.sampled_from([0.5, 2.0, 6.0]),
        "turns_per_session": st.sampled_from([1.0, 3.0, 20.0]),
        "prompt_tokens_mean": st.sampled_from([2_000.0, 30_000.0, 64_000.0]),
        "prompt_sigma": st.sampled_from([0.0, 0.35, 1.0]),
        "output_tokens_mean": st.sampled_from([1.0, 3.0, 60.0, 400.0]),
        "output_cv": st.sampled_from([0.0, 0.3, 1.5]),
        "output_distribution": st.sampled_from(["gamma", "lognormal"]),
        "singular": _maybe(st.fixed_dictionaries({"share": st.sampled_from([0.03, 0.5])})),
    }
)


def _turn(setting: str, *values: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"what": st.just("turn"), "setting": st.just(setting), "value": st.sampled_from(values)}
    )


SELECTIVE = st.fixed_dictionaries(
    {
        "selective_prefill": st.sampled_from([True, True, False]),
        "selective_threshold_tokens": st.sampled_from([0.0, 2_000.0, 20_000.0, None]),
    }
)
"""Rules of a deployment that also prefills in B."""

PROFILE = {
    "prefill": [{"tokens": 1000, "seconds": 0.3}, {"tokens": 64_000, "seconds": 9.0}],
    "itl": [{"batch": 1, "itl_ms": 9.0}, {"batch": 30, "itl_ms": 21.0}],
    "slots": 12,
}

TURNS = (
    _turn("line.bandwidth_gbps", 1.0, 5.0, 25.0, None),
    _turn("line.per_flow_cap_gbps", 0.5, 10.0, None),
    _turn("line.rtt_ms", 0.0, 100.0),
    _turn("caches.drc_enabled", True, False),
    _turn("caches.drc_tb", 0.0, 0.02, 1.0, None),
    _turn("caches.prefill_tb", 0.0, 0.02, None),
    _turn("policy.p_rld", True, False),
    _turn("policy.load_gate", True, False),
    _turn("policy.singular_filter", True, False),
    _turn("policy.relay_threshold_s", 0.0, 0.6, 100.0),
    _turn("policy.handoff_mode", "auto", "one_shot", "catch_up"),
    _turn("policy.handoff_load_switch", True, False),
    _turn("policy.in_flight_deduplication", True, False),
    _turn("policy.cancel_finished_transfer", True, False),
    _turn("policy.drc_held_aligned", True, False),
    _turn("policy.layerwise_transfer", True, False),
    _turn("policy.selective_prefill", True, False),
    _turn("policy.selective_threshold_tokens", 0.0, 4_000.0, None),
    _turn("workload.output_tokens_mean", 5.0, 300.0),
    _turn("workload.think_s", 0.0, 10.0),
)
"""Turns that fit any scenario with a line."""

POOL_SIZES = tuple(
    _turn(f"{pool}.instances", 1, 2, 3) for pool in ("prefill", "relay_decode", "main_decode")
)

FAILURES = (
    ({"what": "line_cut"}, {"what": "line_back"}),
    *(
        ({"what": "instance_lost", "pool": pool}, {"what": "instance_back", "pool": pool})
        for pool in ("prefill", "relay_decode", "main_decode")
    ),
)
"""Each failure with its repair; instance 0 is never drained."""

FAILURE_IN_B = (
    {"what": "instance_lost", "pool": "prefill_b"}, {"what": "instance_back", "pool": "prefill_b"}
)  # fmt: skip


@st.composite
def failures(draw: st.DrawFn, within_s: float, in_b: bool = False) -> list[dict[str, Any]]:
    """Turns and failures of a run, every failure repaired, in the order of time."""
    times = st.floats(0.0, within_s)
    events = []
    known = (*FAILURES, FAILURE_IN_B) if in_b else FAILURES
    for turn in draw(st.lists(st.one_of(*TURNS, *POOL_SIZES), max_size=6)):
        events.append({**turn, "at_s": draw(times)})
    for bad, good in draw(st.lists(st.sampled_from(known), max_size=3, unique_by=str)):
        start = draw(times)
        events.append({**bad, "at_s": start})
        events.append({**good, "at_s": start + draw(st.floats(0.1, within_s))})
    return sorted(events, key=lambda event: event["at_s"])


@st.composite
def scenarios(
    draw: st.DrawFn, requests: int = 150, with_events: bool = True, same_site: bool = True
) -> Scenario:
    """Small deployments of one or two sites with turns and failures."""
    one_site = same_site and draw(st.sampled_from([False, False, False, True]))
    counts = st.integers(1, 3)
    settings: dict[str, Any] = {
        "prefill.instances": draw(counts),
        "main_decode.instances": draw(counts),
        "run": {"requests": requests, "duration_s": None, "warmup_s": 0, "warmup_share": 0},
        **{f"workload.{k}": v for k, v in draw(WORKLOADS).items()},
        **{f"caches.{k}": v for k, v in draw(CACHES).items()},
        **{f"policy.{k}": v for k, v in draw(POLICIES).items()},
    }
    if one_site:
        return changed(shipped("same_dc_88a"), settings)
    settings |= {f"line.{k}": v for k, v in draw(LINES).items()}
    settings["relay_decode.instances"] = draw(counts)
    base = shipped("pdd_43a_32b")
    in_b = draw(st.sampled_from([True, False, False]))
    if in_b:
        settings["prefill_b"] = {
            **base.main_decode.model_dump(mode="json"), "instances": draw(counts)
        }  # fmt: skip
        settings |= {f"policy.{k}": v for k, v in draw(SELECTIVE).items()}
    for pool in ("prefill", "main_decode") if draw(st.sampled_from([True, False, False])) else ():
        settings[f"{pool}.profile"] = PROFILE
    if with_events:
        settings["events"] = draw(failures(100.0, in_b))
    return changed(base, settings)
