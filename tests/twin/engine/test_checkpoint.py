"""A simulation as data and back: it goes on as if nothing had happened."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import shipped
from tests.given_requests import ListLoad, request, rows
from tests.invariants import check
from tests.small_scenarios import scenarios
from twin.engine.checkpoint import FORMAT, capture, digest, pack, restore, unpack
from twin.engine.simulation import Simulation
from twin.scenario import Scenario

BUSY = {
    "workload.clients": 60, "workload.think_s": 5, "policy.p_rld": True, "policy.load_gate": True,
    "policy.load_gate_high": 5, "policy.handoff_load_switch": True, "caches.drc_tb": 0.1,
    "line.timeout_share": 0.1,
}  # fmt: skip


def through_bytes(sim: Simulation) -> Simulation:
    return restore(unpack(pack(capture(sim))))


def leaves(state: Any) -> list[Any]:
    if isinstance(state, dict):
        return [leaf for value in state.values() for leaf in leaves(value)]
    if isinstance(state, list | tuple):
        return [leaf for value in state for leaf in leaves(value)]
    return [state]


def test_it_is_plain_data() -> None:
    sim = Simulation(shipped("pdd_43a_32b", BUSY), seed=3)
    sim.advance(100.0)
    state = capture(sim)
    assert {type(leaf) for leaf in leaves(state)} <= {int, float, str, bool, type(None)}
    assert json.loads(json.dumps(state)) == unpack(pack(state))
    assert not any(isinstance(leaf, float) and math.isnan(leaf) for leaf in leaves(state))


def test_equal_states_give_equal_bytes() -> None:
    one, other = (Simulation(shipped("pdd_43a_32b", BUSY), seed=3) for _ in range(2))
    one.advance(100.0)
    for t in range(1, 101):
        other.advance(float(t))
    assert pack(capture(one)) == pack(capture(other))
    assert digest(one) == digest(other)


def test_looking_changes_nothing() -> None:
    one, other = (Simulation(shipped("pdd_43a_32b", BUSY), seed=3) for _ in range(2))
    for t in range(1, 51):
        one.advance(2.0 * t)
        capture(one)
        digest(one)
        check(one)
    other.advance(100.0)
    assert digest(one) == digest(other)


def test_other_states_have_other_digests() -> None:
    sim = Simulation(shipped("pdd_43a_32b", BUSY), seed=3)
    seen = {digest(sim)}
    for t in (10.0, 10.5, 20.0):
        sim.advance(t)
        seen.add(digest(sim))
    sim.turn("line.bandwidth_gbps", 9.0)
    seen.add(digest(sim))
    assert len(seen) == 5


@pytest.mark.parametrize("number", [0, FORMAT + 1, None])
def test_another_format_is_refused(number: int | None) -> None:
    state = capture(Simulation(shipped("pdd_43a_32b"), seed=3))
    with pytest.raises(ValueError, match="format"):
        restore({**state, "format": number})


@settings(max_examples=40)
@given(scenarios(requests=80), st.floats(0.0, 150.0), st.integers(0, 5))
def test_a_copy_goes_on_as_the_original(scenario: Scenario, split: float, seed: int) -> None:
    sim = Simulation(scenario, seed=seed, total=scenario.run.requests)
    sim.advance(split)
    finished = len(rows(sim))
    copy = through_bytes(sim)
    assert digest(copy) == digest(sim)
    check(copy)
    for one in (sim, copy):
        one.advance(split + 30.0)
        one.advance_to_end()
    assert digest(copy) == digest(sim)
    table, copied = sim.recorder.table(), copy.recorder.table()
    assert copied.tobytes() == table[finished:].tobytes()


def test_a_copy_can_be_turned_and_fails_like_the_original() -> None:
    sim = Simulation(shipped("pdd_43a_32b", {**BUSY, "main_decode.instances": 3}), seed=3)
    sim.advance(60.0)
    sim.turn("workload.clients", 90)
    sim.advance(80.0)
    sim.turn("workload.clients", 40)
    sim.happen("instance_lost", "main_decode", 1)
    sim.happen("line_cut")
    sim.advance(100.0)
    copy = through_bytes(sim)
    for one in (sim, copy):
        one.turn("workload.clients", 95)
        one.turn("workload.prompt_tokens_mean", 9000.0)
        one.happen("instance_back", "main_decode", 1)
        one.advance(110.0)
        one.happen("line_back")
        one.advance(300.0)
    assert digest(copy) == digest(sim)


def test_in_the_middle_of_a_ramp() -> None:
    ramp = {
        "at_s": 10, "what": "turn", "setting": "line.bandwidth_gbps", "value": 50, "over_s": 20
    }  # fmt: skip
    sim = Simulation(shipped("pdd_43a_32b", {**BUSY, "events": [ramp]}), seed=3)
    sim.advance(17.5)
    copy = through_bytes(sim)
    for one in (sim, copy):
        one.advance(60.0)
        assert one.scenario.line is not None
        assert one.scenario.line.bandwidth_gbps == 50
    assert digest(copy) == digest(sim)


def test_many_copies_of_copies() -> None:
    sim = Simulation(shipped("pdd_43a_32b", BUSY), seed=3)
    copy = Simulation(shipped("pdd_43a_32b", BUSY), seed=3)
    for t in range(1, 13):
        copy.advance(10.0 * t)
        copy = through_bytes(copy)
    sim.advance(120.0)
    assert digest(copy) == digest(sim)


def test_requests_given_by_a_list_come_from_the_list() -> None:
    """What is not drawn from a seed is handed over again, at its start."""
    scenario = shipped("pdd_43a_32b")
    given = [(5.0 * n, (60_000, 300, 30_000.0, n % 3)) for n in range(20)]

    def load() -> ListLoad:
        return ListLoad(
            [(t, request(prompt, out, hit, session)) for t, (prompt, out, hit, session) in given]
        )

    sim = Simulation(scenario, load())
    sim.advance(42.0)
    again = load()
    again.came = 9  # those of 0 to 40 s have come
    copy = restore(unpack(pack(capture(sim))), again)
    for one in (sim, copy):
        one.advance_to_end()
    assert digest(copy) == digest(sim)
    assert len(rows(copy)) + 9 >= 20
