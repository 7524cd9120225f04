"""Scenarios for tests: the shipped ones with changes, and tiny ones of round numbers."""

from __future__ import annotations

from functools import cache
from typing import Any

from twin.scenario import Scenario
from twin.scenario_file import load, shipped_folder


@cache
def _shipped(name: str) -> Scenario:
    return load(shipped_folder() / f"{name}.yaml")


def changed(scenario: Scenario, settings: dict[str, Any]) -> Scenario:
    """`scenario` with settings or groups by dotted path replaced, and validated anew."""
    data = scenario.model_dump(mode="json")
    for path, value in settings.items():
        *above, last = path.split(".")
        holder = data
        for name in above:
            holder = holder[name]
        holder[last] = value
    return Scenario.model_validate(data)


def shipped(name: str, settings: dict[str, Any] | None = None) -> Scenario:
    """A shipped scenario by name, with some settings changed."""
    return changed(_shipped(name), settings or {})


def _chip(name: str, step_ms: float, slots: int = 8) -> dict[str, Any]:
    """A chip that prefills 2,500 tokens/s and takes `step_ms` a step at any batch up to 50."""
    return {
        "name": name,
        "peak_tflops": 2.5,
        "memory_gb": 20 + 10 * slots,
        "memory_tbytes_per_s": 20 / step_ms,  # reads its 20 GB of weights in one step
        "prefill_mfu": 1,
        "decode_bandwidth_share": 1,
        "decode_compute_share": 1,
        "prefill_overhead_ms": 0,
        "step_overhead_ms": 0,
    }


MODEL = {
    "name": "round",
    "total_params_b": 0.5,
    "active_params_b": 0.5,  # 1 GFLOP a token
    "weights_gb": 20,
    "dense_weights_gb": 20,
    "kv_bytes_per_token": 1e6,  # 1,000 tokens are 1 GB
    "kv_read_share": 0,
}


def round_pdd(
    settings: dict[str, Any] | None = None, relay_slots: int = 8, main_slots: int = 8
) -> Scenario:
    """Two sites of round numbers; what takes time can be added up by hand.

    1,000 tokens: prefill 400 ms, KV of 1 GB, RDMA 20 + 10 ms, line 1 s (8 Gbps, RTT 0). A decode
    step takes 20 ms on RLD and 10 ms on MD whatever the batch. Every transfer estimated above
    0.5 s is relayed. One instance of each kind.
    """

    def one(chip: dict[str, Any]) -> dict[str, Any]:
        return {"chip": chip, "instances": 1, "chips_per_instance": 1}

    data: dict[str, Any] = {
        "name": "round_pdd",
        "model": MODEL,
        "datacenter_a": {"name": "A", "rdma_gbytes_per_s": 50, "rdma_setup_ms": 10},
        "datacenter_b": {"name": "B"},
        "prefill": one(_chip("P", 20)),
        "relay_decode": one(_chip("R", 20, relay_slots)),
        "main_decode": one(_chip("M", 10, main_slots)),
        "line": {
            "bandwidth_gbps": 8, "goodput_share": 1, "per_flow_cap_gbps": None, "rtt_ms": 0,
            "slow_start": False, "jitter_share": 0,
        },
        "caches": {"memory_usable_share": 1, "slot_context_tokens": 10_000},
        "policy": {"relay_threshold_s": 0.5},
        "prices": {"chips": {"P": 1, "R": 1, "M": 1}},
        "run": {"requests": 1},
    }  # fmt: skip
    return changed(Scenario.model_validate(data), settings or {})


def round_same_site(settings: dict[str, Any] | None = None, slots: int = 8) -> Scenario:
    """`round_pdd` with decode beside prefill: no relay and no line."""
    alone = {"name": "round_same_site", "datacenter_b": None, "line": None, "relay_decode": None}
    return changed(changed(round_pdd(main_slots=slots), alone), settings or {})
