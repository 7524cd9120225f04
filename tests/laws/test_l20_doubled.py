"""L20: instances, line and rate doubled (open loop) keep utilisations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.deployments import shipped
from tests.laws.judged import over_seeds
from twin.engine.run import run
from twin.result import Utilisation

SEEDS = range(10)

BASE = {
    "workload.arrivals": "poisson", "line.per_flow_cap_gbps": 1.0,
    "run": {"requests": None, "duration_s": 1500, "warmup_s": 300},
    "model.experts": 1, "model.experts_per_token": 1, "model.kv_read_share": 0,
}  # fmt: skip
"""A cap far below the line: T_est is bytes / f at any size, so as many requests are relayed. Steps
that do not depend on the batch: more instances keep their batches more even, which with experts
saves some two percent of MD's slots."""


def pdd(n: int) -> dict[str, Any]:
    return {
        "workload.rate_rps": 1.3 * n, "workload.clients": 100 * n, "caches.drc_tb": 8 * n,
        "prefill.instances": 5 * n, "relay_decode.instances": n, "main_decode.instances": 4 * n,
        "line.bandwidth_gbps": 30 * n,
    }  # fmt: skip


def plain(n: int) -> dict[str, Any]:
    return {
        "workload.rate_rps": 1.3 * n, "workload.clients": 100 * n, "prefill.instances": 4 * n,
        "main_decode.instances": 7 * n, "line.bandwidth_gbps": 100 * n,
    }  # fmt: skip


SIZES = {"pdd_43a_32b": pdd, "cross_dc_plain": plain}


def used(name: str, size: int, seed: int) -> Utilisation:
    said = run(shipped(name, {**BASE, **SIZES[name](size)}), seed, series=False)
    assert not said.saturated
    return said.utilisation


@pytest.mark.parametrize("name", list(SIZES))
def test_utilisations_stay(name: str) -> None:
    told = {size: [used(name, size, seed) for seed in SEEDS] for size in (1, 2)}
    for resource in ("prefill", "relay_slots", "main_slots", "line"):
        small = [getattr(one, resource) for one in told[1]]
        if small[0] is None:
            continue
        large = [getattr(one, resource) for one in told[2]]
        ratio = over_seeds((np.array(large) / np.array(small)).tolist())
        assert ratio.agrees_with(1.0), (resource, ratio)
        assert ratio.error < 0.03, (resource, ratio)
        assert np.mean(small) > 0.02, resource
