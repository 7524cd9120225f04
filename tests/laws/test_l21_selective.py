"""L21: selective prefill with threshold 0 is prefill in A alone, without a limit in B alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import changed, shipped
from tests.given_requests import columns
from tests.laws.runs import ended
from tests.small_scenarios import scenarios
from twin.engine.simulation import Simulation
from twin.engine.summary import TOTAL_STAGES
from twin.policy import P_D, PB_MD
from twin.scenario import Scenario

SEEDS = st.integers(0, 3)


def selective(scenario: Scenario, threshold: float | None) -> Scenario:
    """`scenario` with prefill in B by that threshold; its B prefills on its main decode's chips."""
    rules: dict[str, Any] = {
        "policy.selective_prefill": True, "policy.selective_threshold_tokens": threshold
    }  # fmt: skip
    beside = (scenario.prefill_b or scenario.main_decode).model_dump(mode="json")
    return changed(scenario, {"prefill_b": {**beside, "profile": None}, **rules})


def by_number(sim: Simulation, *names: str) -> np.ndarray:
    """Columns of the record, a row for each request in the order of their numbers."""
    number, *rest = columns(sim, "number", *names)
    return np.stack(rest)[:, np.argsort(number)]


@settings(max_examples=40)
@given(scenarios(with_events=False, same_site=False), SEEDS)
def test_threshold_0_is_the_deployment_without_prefill_in_b(scenario: Scenario, seed: int) -> None:
    """Each with an unlimited cache at P: a limited one forgets alike, but counts from the start."""
    scenario = changed(scenario, {"caches.prefill_tb": None})
    alone = ended(changed(scenario, {"prefill_b": None}), seed)
    by_length = ended(selective(scenario, 0), seed)
    assert np.array_equal(alone.recorder.table(), by_length.recorder.table())
    assert by_length.pipeline.prefill_b is not None
    assert by_length.pipeline.prefill_b.busy_s == 0


@settings(max_examples=40)
@given(scenarios(with_events=False, same_site=False), SEEDS)
def test_without_a_limit_nothing_crosses(scenario: Scenario, seed: int) -> None:
    sim = ended(selective(scenario, None), seed)
    line = sim.pipeline.line
    assert line is not None
    assert line.asked_bytes == 0
    assert sim.pipeline.prefill.busy_s == 0
    (pipeline,) = columns(sim, "pipeline")
    assert np.all(pipeline == PB_MD)


@pytest.mark.parametrize("seed", [0, 1])
def test_without_a_limit_b_is_a_deployment_of_its_own(seed: int) -> None:
    """As one site with the pools of B: the same stages for each request."""
    less = {"run.requests": 1500, "workload.rate_rps": 0.7}
    two = shipped("prfaas_selective", {**less, "policy.selective_threshold_tokens": None})
    assert two.prefill_b is not None
    pools = {"prefill": two.prefill_b.model_dump(mode="json"), "prefill_b": None}
    one = changed(two, {**pools, "datacenter_b": None, "line": None})
    far, near = ended(two, seed), ended(one, seed)
    assert np.array_equal(by_number(far, *TOTAL_STAGES), by_number(near, *TOTAL_STAGES))
    assert np.all(columns(near, "pipeline")[0] == P_D)


@settings(max_examples=40)
@given(scenarios(with_events=False, same_site=False), SEEDS, st.sampled_from([500.0, 3e3, 2e4]))
def test_the_threshold_parts_the_requests(scenario: Scenario, seed: int, threshold: float) -> None:
    """Who is in B had at most that many uncached tokens there; without hits so it is exactly."""
    sim = ended(selective(scenario, threshold), seed)
    pipeline, prompt, hit, nbytes = columns(sim, "pipeline", "prompt", "hit", "nbytes")
    beside = pipeline == PB_MD
    assert np.all((prompt - hit)[beside] <= threshold)
    assert np.all(nbytes[beside] == 0)
    if not scenario.caches.drc_enabled:
        assert np.all(prompt[~beside] > threshold)
