"""H3: advice on the number of RLD instances, and a policy that follows it, do not flap."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twin.scaling
from tests.deployments import changed, round_pdd, shipped
from tests.given_requests import StreamLoad, request
from twin.engine.checkpoint import capture, digest, restore
from twin.engine.recorder import SAMPLE_COLUMNS
from twin.engine.run import run
from twin.engine.simulation import Simulation
from twin.errors import ScenarioError
from twin.scaling import DropAdvice, can_drop, next_instances
from twin.scenario import RelayScaling, Scenario
from twin.scenario_file import with_setting, with_settings

TEN_MINUTES_S = 600.0


def test_two_at_seventy_percent_must_stay():
    advice = can_drop(0.70, 2, 0.80)
    assert not advice.can_drop
    assert advice.load_after == pytest.approx(1.40)
    assert advice.words.startswith("no: 2 RLD instances at 70%") and "140.0%" in advice.words


def test_eight_at_sixty_percent_can_do_without_one():
    advice = can_drop(0.60, 8, 0.80)
    assert advice.can_drop
    assert advice.load_after == pytest.approx(0.6857, abs=1e-4)
    assert "68.6%" in advice.words


def test_the_last_one_stays():
    assert can_drop(0.0, 1, 0.8) == DropAdvice(
        False, 1, 0.0, None, 0.8, "the last RLD must stay"
    )  # fmt: skip


@given(load=st.floats(0, 1), instances=st.integers(1, 8), most=st.integers(1, 8))
def test_a_step_is_never_taken_back_at_the_same_load(load, instances, most):
    """The load of all instances together stays; after a drop no instance is added again."""
    rule = RelayScaling(threshold=0.8, least=1, most=most)
    after = next_instances(rule, instances, load)
    assert abs(after - instances) <= 1
    if after < instances <= most:
        assert next_instances(rule, after, load * instances / after) <= after


def deployment(instances: int, rule: dict[str, Any] | None) -> Scenario:
    """All is finished on RLD: 2 s each on instances of 8 slots."""
    local = {"relay_decode.instances": instances, "policy.p_rld": True,
             "policy.p_rld_threshold_s": 0.0, "policy.relay_scaling": rule}  # fmt: skip
    return round_pdd(local)


def steady(load: float, instances: int, rule: dict[str, Any] | None) -> Simulation:
    """Ten minutes of requests at equal gaps, so many that `load` of the slots are in use."""
    gap = 2.0 / (load * 8 * instances)
    stream = StreamLoad(lambda n: (gap, request(1000.0, 100, 995.0, n)), 10**6)
    sim = Simulation(deployment(instances, rule), stream)
    sim.advance(TEN_MINUTES_S)
    return sim


def counts(sim: Simulation) -> list[int]:
    return [instances for _, instances, _ in sim.scaler.changes]


RULE = {"threshold": 0.8, "every_s": 30.0}


def test_constant_load_changes_the_number_at_most_once():
    sim = steady(0.70, 2, RULE)
    used = sim.recorder.series()[20:, SAMPLE_COLUMNS.index("relay_slots_used")]
    assert used.mean() / 16 == pytest.approx(0.70, abs=0.03)
    assert len(sim.scaler.changes) <= 1


def test_a_rule_that_looks_at_the_present_load_alone_flaps(monkeypatch):
    def naive(load: float, instances: int, threshold: float, pool: str = "RLD") -> DropAdvice:
        return DropAdvice(load < threshold, instances, load, load, threshold, "")

    monkeypatch.setattr(twin.scaling, "can_drop", naive)
    assert len(steady(0.70, 2, RULE).scaler.changes) >= 6


def test_too_many_are_dropped_until_one_less_would_be_too_few():
    # 9.6 slots in use: 6 instances of 8 slots are at 20 %, two at 60 %, one would be at 120 %
    sim = steady(0.20, 6, {**RULE, "most": 6})
    assert counts(sim) == [5, 4, 3, 2]
    loads = [load for _, _, load in sim.scaler.changes]
    assert loads == sorted(loads)


def test_too_few_are_joined_by_others():
    sim = steady(0.95, 1, RULE)
    assert counts(sim) == [2]


def test_bounds_are_kept():
    assert counts(steady(0.20, 4, {**RULE, "least": 3}))[-1:] == [3]
    assert counts(steady(1.2, 1, {**RULE, "most": 1})) == []


def test_it_is_off_by_default_and_leaves_no_trace():
    pdd = shipped("pdd_43a_32b")
    assert pdd.policy.relay_scaling is None
    assert "relay_scaling" not in pdd.model_dump(mode="json")["policy"]
    on = with_setting(pdd, "policy.relay_scaling", {"least": 1, "most": 1})
    assert on.digest() != pdd.digest()


def test_a_rule_that_never_acts_changes_no_result():
    pdd = shipped("pdd_43a_32b", {"run.requests": 1500})
    fixed = {"policy.relay_scaling": {"least": 1, "most": 1}}
    told = [run(s, 0).model_dump(exclude={"cpu_s", "digest"}) for s in (pdd, changed(pdd, fixed))]
    assert told[0] == told[1]


def test_it_goes_on_after_a_checkpoint():
    scenario = with_settings(
        shipped("p_rld_collapse"),
        {"policy.relay_scaling": {"every_s": 60.0, "most": 3, "threshold": 0.5}},
    )
    one, other = Simulation(scenario, seed=1), Simulation(scenario, seed=1)
    one.advance(1500.0)
    other.advance(710.0)
    other = restore(capture(other))
    other.advance(1500.0)
    assert digest(one) == digest(other)
    assert counts(one)
    assert counts(one)[-1] == one.pipeline.relay.serving()  # pyright: ignore


def test_the_threshold_can_be_turned():
    scenario = deployment(2, RULE)
    sim = Simulation(
        scenario, StreamLoad(lambda n: (2 / 11.2, request(1000.0, 100, 995.0, n)), 9999)
    )
    sim.advance(200.0)
    assert counts(sim) == []
    sim.turn("policy.relay_scaling.threshold", 0.6)
    sim.advance(400.0)
    assert counts(sim) == [3]


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(ScenarioError, match="must not exceed most"):
        with_setting(shipped("pdd_43a_32b"), "policy.relay_scaling", {"least": 3, "most": 2})


@pytest.mark.parametrize(
    ("load", "instances", "threshold"),
    [(0.6, 4, 0.8), (0.7, 8, 0.8), (0.6, 3, 0.9), (0.64, 5, 0.8)],
)
def test_at_the_very_threshold_none_may_go(load, instances, threshold):
    assert not can_drop(load, instances, threshold).can_drop
