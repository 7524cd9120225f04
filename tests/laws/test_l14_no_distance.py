"""L14: without RLD and on a line of unlimited rate, RTT 0 and no slow start, plus the RDMA time,
two sites are one site with the same chips."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import shipped
from tests.given_requests import columns
from tests.laws.runs import ended

NO_DISTANCE = {
    "line.bandwidth_gbps": None, "line.per_flow_cap_gbps": None, "line.rtt_ms": 0.0,
    "line.slow_start": False, "line.jitter_share": 0.0,
}  # fmt: skip

NO_RDMA = {"datacenter_a.rdma_setup_ms": 0.0, "datacenter_a.rdma_gbytes_per_s": 1e6}

WHAT = ("number", "arrival", "queue_p", "prefill", "queue_slot", "ttft", "total", "out", "prompt")


def course(name: str, settings: dict[str, Any], seed: int) -> dict[str, np.ndarray]:
    """Columns of a run, by number of the request."""
    sim = ended(shipped(name, {"run.requests": 800, **settings}), seed)
    order = np.argsort(columns(sim, "number")[0])
    return dict(zip(WHAT, (column[order] for column in columns(sim, *WHAT)), strict=True))


def test_one_site_without_rdma_time_is_two_sites_without_distance() -> None:
    """Semi-open, at the published load: the same course, request by request, to the microsecond."""
    one = course("same_dc_88a", NO_RDMA, 1)
    two = course("cross_dc_plain", NO_DISTANCE, 1)
    for name in WHAT:
        assert np.allclose(one[name], two[name], atol=2e-3, rtol=1e-6), name


def test_a_constant_rdma_time_is_half_a_round_trip() -> None:
    """The same time on the way, once inside the site and once as latency: no other difference."""
    inside = {"datacenter_a.rdma_setup_ms": 30.0, "datacenter_a.rdma_gbytes_per_s": 1e6}
    one = course("same_dc_88a", inside, 2)
    two = course("cross_dc_plain", {**NO_DISTANCE, "line.rtt_ms": 60.0}, 2)
    for name in WHAT:
        assert np.allclose(one[name], two[name], atol=2e-3, rtol=1e-6), name


OPEN = {
    "workload.arrivals": "poisson", "workload.rate_rps": 1.2, "main_decode.instances": 60,
    "run.requests": 300,
}  # fmt: skip
"""An open loop with decode instances in plenty: every request decodes nearly alone."""


@settings(max_examples=10)
@given(
    st.fixed_dictionaries(
        {
            "prefill.instances": st.integers(2, 6),
            "workload.prompt_sigma": st.sampled_from([0.0, 0.8]),
            "workload.output_tokens_mean": st.sampled_from([1.0, 50.0]),
        }
    ),
    st.integers(0, 5),
)
def test_plus_the_rdma_time(more: dict[str, Any], seed: int) -> None:
    """L b / 50 GB/s + 20 ms of each request, where nothing else is shared beyond prefill."""
    one = course("same_dc_88a", {**OPEN, **more}, seed)
    two = course("cross_dc_plain", {**OPEN, **more, **NO_DISTANCE}, seed)
    rdma = one["prompt"] * 46_488 / 50e9 + 0.020
    assert np.allclose(one["queue_p"], two["queue_p"], atol=1e-9)
    assert np.allclose(one["prefill"], two["prefill"], atol=1e-9)
    assert np.median(one["ttft"] - two["ttft"] - rdma) == pytest.approx(0, abs=1e-4)
    assert np.allclose(one["ttft"] - rdma, two["ttft"], atol=0.03)
