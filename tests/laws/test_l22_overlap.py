"""L22: sending KV while its prefill runs makes no lone arrival later, nor arrivals in the mean."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import round_pdd, shipped
from tests.given_requests import columns, request, served
from tests.laws.judged import over_seeds
from tests.laws.runs import ended

LINES = st.fixed_dictionaries(
    {
        "line.bandwidth_gbps": st.floats(0.5, 400.0),
        "line.per_flow_cap_gbps": st.sampled_from([1.0, 10.0, None]),
        "line.rtt_ms": st.sampled_from([0.0, 21.0, 200.0]),
        "line.slow_start": st.booleans(),
        "line.discipline": st.sampled_from(["sharing", "fifo"]),
        "policy.relay_threshold_s": st.just(1e6),
    }
)


@settings(max_examples=150)
@given(LINES, st.integers(1, 200_000), st.floats(0.0, 1.0))
def test_alone_it_is_never_later(line: dict[str, Any], prompt: int, hit: float) -> None:
    after = []
    for overlap in (False, True):
        scenario = round_pdd({**line, "policy.layerwise_transfer": overlap})
        row = served(scenario, [(0.0, request(prompt, 10, hit=hit * prompt))])[0]
        assert row["landed_after"] >= 0
        after.append(row["landed_after"])
    assert after[1] <= after[0] + 1e-9


@pytest.mark.parametrize("gbps", [12.0, 20.0, 100.0])
def test_in_a_run_the_mean_is_earlier(gbps: float) -> None:
    """Open loop, all sent, same draws. A single one may come later: others begin earlier now."""
    saved = []
    for seed in range(3):
        means = [_mean_landing(gbps, overlap, seed) for overlap in (False, True)]
        saved.append(means[0] - means[1])
    assert over_seeds(saved).above(0)
    assert min(saved) > 0


def _mean_landing(gbps: float, overlap: bool, seed: int) -> float:
    settings = {
        "line.bandwidth_gbps": gbps, "policy.layerwise_transfer": overlap, "run.requests": 1200,
        "workload.rate_rps": 1.7,
    }  # fmt: skip
    (landed,) = columns(ended(shipped("prfaas_naive", settings), seed), "landed_after")
    return float(landed.mean())
