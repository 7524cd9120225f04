"""L7: more bandwidth never raises mean KV arrival (open loop, all sent, common draws)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import shipped
from tests.given_requests import columns
from tests.laws.runs import ended

GBPS = (10.0, 12.0, 20.0, 40.0, 120.0, None)

OPEN = {"workload.arrivals": "poisson", "workload.rate_rps": 2.0, "run.requests": 400}
"""On `cross_dc_plain` there is no relay and no cache at MD: the whole KV of all is sent."""


def landings(gbps: float | None, seed: int, more: dict[str, Any]) -> np.ndarray:
    """Seconds from the end of prefill to the landing of the KV, by number of the request."""
    sim = ended(shipped("cross_dc_plain", {**OPEN, **more, "line.bandwidth_gbps": gbps}), seed)
    number, landed = columns(sim, "number", "landed_after")
    assert landed.min() >= 0
    return landed[np.argsort(number)]


@pytest.mark.parametrize("discipline", ["sharing", "fifo"])
def test_mean_arrival_falls_with_bandwidth(discipline: str) -> None:
    cap = None if discipline == "fifo" else 10.0  # one flow at a time, each at most at its cap
    more = {
        "line.discipline": discipline, "line.per_flow_cap_gbps": cap, "run.requests": 1500
    }  # fmt: skip
    means = [
        float(np.mean([landings(gbps, seed, more).mean() for seed in range(2)])) for gbps in GBPS
    ]
    assert means == sorted(means, reverse=True)
    assert means[0] > 1.1 * means[2]  # 6 GB/s are asked: it does matter
    assert means[0] > 100 * means[4]


@settings(max_examples=25)
@given(
    st.fixed_dictionaries(
        {
            "line.per_flow_cap_gbps": st.sampled_from([3.0, 10.0, None]),
            "line.rtt_ms": st.sampled_from([0.0, 100.0]),
            "workload.rate_rps": st.sampled_from([0.3, 1.5, 8.0]),
            "workload.prompt_sigma": st.sampled_from([0.0, 1.0]),
            "workload.turns_per_session": st.sampled_from([1.0, 20.0]),
        }
    ),
    st.floats(1.0, 60.0),
    st.floats(1.0, 4.0),
    st.integers(0, 3),
)
def test_no_request_is_later(more: dict[str, Any], gbps: float, factor: float, seed: int) -> None:
    """Stronger than the law: under sharing it holds for each single one."""
    more = {**more, "run.requests": 150}
    slower, faster = landings(gbps, seed, more), landings(gbps * factor, seed, more)
    assert np.all(faster <= slower + 1e-6)
