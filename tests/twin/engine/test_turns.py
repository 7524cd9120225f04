"""Every setting that can be turned, turned while it runs; those that cannot, with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deployments import changed, shipped
from tests.invariants import check
from twin.engine.checkpoint import digest
from twin.engine.simulation import Simulation
from twin.engine.turns import FIXED_BECAUSE, turned, value_at
from twin.errors import ScenarioError, TurnError
from twin.settings import Setting, settings

FLOOD = {
    "workload.singular": {"share": 0.03}, "workload.clients": 60, "workload.think_s": 8,
    "policy.relay_scaling": {"least": 1},
}  # fmt: skip

LIVE = [s for s in settings() if s.live and "[]" not in s.path]
WITH_PB = ("prefill_b.", "policy.selective", "policy.layerwise")
"""Settings that only act where B prefills too."""
FIXED = [
    s for s in settings() if not s.live and "[]" not in s.path and s.kind not in ("map", "events")
]

LISTS: dict[str, Any] = {
    "workload.hit_shares": [0.5, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05],
    "prices.chips": {"A": 2.0, "B": 1.0},
    "prices.chips_high": {"B": 9.0},
}


def another(setting: Setting, present: Any) -> Any:
    """A value other than the present one that the setting takes."""
    if setting.path in LISTS:
        return LISTS[setting.path]
    if setting.kind == "switch":
        return not present
    if setting.kind == "choice":
        return next(choice for choice in setting.choices if choice != present)
    if present is None:
        return max(1, setting.low or 0)
    higher = present * 2 + (0 if present else 1)
    if setting.high is not None and (higher > setting.high or setting.high_open):
        higher = present * 0.9
    return round(higher) if setting.kind == "whole" else higher


def running(path: str = "") -> Simulation:
    scenario = shipped("pdd_43a_32b", FLOOD)
    if path.startswith(WITH_PB):
        beside = scenario.main_decode.model_dump(mode="json")
        selective = {"prefill_b": beside, "policy.selective_prefill": True}
        scenario = changed(scenario, selective | {"policy.selective_threshold_tokens": 4000})
    sim = Simulation(scenario, seed=4)
    sim.advance(100.0)
    return sim


@pytest.mark.parametrize("setting", LIVE, ids=lambda s: s.path)
def test_a_live_setting_can_be_turned_and_back(setting: Setting) -> None:
    sim, calm = running(setting.path), running(setting.path)
    present = value_at(sim.scenario, setting.path)
    before = sim.scenario
    sim.turn(setting.path, another(setting, present))
    assert value_at(sim.scenario, setting.path) != present
    assert sim.scenario != before
    check(sim)
    sim.advance(160.0)
    check(sim)
    sim.turn(setting.path, list(present) if isinstance(present, tuple) else present)
    sim.advance(200.0)
    check(sim)
    calm.advance(200.0)
    if setting.path.split(".")[0] in ("slo", "prices"):
        sim.scenario = calm.scenario
        assert digest(sim) == digest(calm)  # what only judges changes nothing that happens


@pytest.mark.parametrize("setting", FIXED, ids=lambda s: s.path)
def test_a_fixed_setting_cannot_be_turned_and_says_why(setting: Setting) -> None:
    sim = Simulation(shipped("pdd_43a_32b", FLOOD), seed=4)
    before = digest(sim)
    with pytest.raises(TurnError, match="cannot be turned while the twin runs: ") as error:
        sim.turn(setting.path, 1)
    assert setting.path in str(error.value)
    assert digest(sim) == before


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("line.bandwidth_gbps", -1), ("line.bandwidth_gbps", float("nan")),
        ("line.rtt_ms", "fast"), ("prefill.instances", 0), ("prefill.instances", 2.5),
        ("workload.hit_shares", [1, 1]), ("policy.load_gate_low", 99), ("policy.p_rld", 1),
        ("line.bandwith_gbps", 5), ("line", None), ("", 1), ("workload.clients", True),
    ],
)  # fmt: skip
def test_a_wrong_turn_leaves_everything_as_it_was(path: str, value: Any) -> None:
    sim = running()
    before, scenario = digest(sim), sim.scenario
    with pytest.raises((TurnError, ScenarioError)):
        sim.turn(path, value)
    assert sim.scenario is scenario
    assert digest(sim) == before


def test_every_reason_is_of_a_setting() -> None:
    for start in FIXED_BECAUSE:
        assert any(f"{s.path}.".startswith(f"{start}.") or s.path == start for s in settings())


def test_turned_scenarios_are_valid_and_the_old_one_stays() -> None:
    scenario = shipped("pdd_43a_32b")
    after = turned(scenario, "line.bandwidth_gbps", 25)
    assert value_at(after, "line.bandwidth_gbps") == 25
    assert value_at(scenario, "line.bandwidth_gbps") == 10
    assert after.digest() != scenario.digest()


def test_theta_moves_the_very_next_request() -> None:
    sim = running()
    sim.turn("policy.relay_threshold_s", 1e6)
    before = sim.pipeline.counts["routed_relay"]
    sim.advance(300.0)
    assert sim.pipeline.counts["routed_relay"] == before


def test_gate_turned_off_is_open() -> None:
    sim = Simulation(shipped("relay_swing", {"policy.load_gate_high": 4}), seed=1)
    while not sim.pipeline.gate_closed:
        sim.advance(sim.now + 5)
    sim.turn("policy.load_gate", False)
    assert not sim.pipeline.gate_closed
    sim.turn("policy.load_gate", True)  # closed again at once, for the relay is still full
    relay = sim.pipeline.relay
    assert relay is not None
    least = relay.least_used()
    assert least is not None
    assert sim.pipeline.gate_closed == (least.used >= 4)


def test_pool_grows_and_shrinks_without_losing_a_request() -> None:
    sim = running()
    for count in (8, 1, 4):
        sim.turn("main_decode.instances", count)
        assert sim.pipeline.main.serving() == count
        sim.advance(sim.now + 50)
        check(sim)
    drained = [i for i in sim.pipeline.main.instances if i.state != 0]
    sim.advance(sim.now + 200)
    assert all(i.used == 0 for i in drained)
