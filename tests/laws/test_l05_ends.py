"""L5: both pipelines end in MD unless the filter (or P-RLD) kept the request."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import shipped
from tests.given_requests import columns
from tests.laws.runs import ended
from tests.small_scenarios import scenarios
from twin.policy import LOCAL, P_D, P_MD, P_RLD_MD, PB_MD, SINGULAR
from twin.scenario import Scenario


@settings(max_examples=60)
@given(scenarios(with_events=False), st.integers(0, 3))
def test_kv_of_every_request_comes_to_main_decode(scenario: Scenario, seed: int) -> None:
    sim = ended(scenario, seed)
    sim.advance(sim.now + 1e5)  # late KV lands after the answer is made
    pipeline, nbytes, relay_made, out, landed, gap = columns(
        sim, "pipeline", "nbytes", "relay_made", "out", "landed_after", "gap"
    )
    policy, counts = scenario.policy, sim.pipeline.counts
    kept = np.isin(pipeline, LOCAL)
    crossed = np.isin(pipeline, (P_MD, P_RLD_MD))
    beside = pipeline == PB_MD
    assert np.all(kept | crossed | beside | (pipeline == P_D))
    assert np.all(nbytes[beside] == 0)
    assert np.all(relay_made[beside] == 0)
    if not policy.p_rld and not policy.singular_filter:
        assert not kept.any()
    if not policy.p_rld:
        assert np.all(pipeline[kept] == SINGULAR)
    # what was kept never crosses, and is made on RLD to the end
    assert np.all(nbytes[kept] == 0)
    assert np.all(relay_made[kept] == out[kept])
    # all else ends in MD: it makes at least a token, unless RLD was done before the KV had landed
    # or before MD had a slot for it
    late = crossed & (landed < 0)
    made_whole = crossed & (relay_made == out)
    assert np.all(made_whole[late])
    assert np.all(gap[made_whole] < 0)
    if not policy.cancel_finished_transfer:
        assert counts["landed"] == crossed.sum()
    assert counts["landed_late"] == late.sum()


def test_in_the_published_deployment_none_is_kept() -> None:
    sim = ended(shipped("pdd_43a_32b", {"run.requests": 3000}), 2)
    (pipeline,) = columns(sim, "pipeline")
    assert set(pipeline) == {P_MD, P_RLD_MD}
    assert sim.pipeline.counts["landed"] == 3000
