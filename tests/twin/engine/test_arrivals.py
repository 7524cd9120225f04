"""When requests come: clients that think, a Poisson stream, and the load turned up or down."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.deployments import shipped
from tests.given_requests import columns
from twin.engine.arrivals import PoissonLoad, SessionLoad
from twin.engine.simulation import Simulation
from twin.errors import TurnError

SMALL = {"run.requests": 300, "workload.clients": 20}


def simulated(settings: dict[str, Any], seed: int = 1) -> Simulation:
    scenario = shipped("pdd_43a_32b", {**SMALL, **settings})
    return Simulation(scenario, seed=seed, total=scenario.run.requests)


def ended(settings: dict[str, Any], seed: int = 1) -> Simulation:
    sim = simulated(settings, seed)
    sim.advance_to_end()
    return sim


def test_each_client_waits_for_its_answer_and_thinks() -> None:
    sim = ended({"workload.think_s": 0})
    client, arrival, total = columns(sim, "client", "arrival", "total")
    assert len(client) == 300
    for one in range(20):
        mine = np.argsort(arrival[client == one])
        ends = (arrival + total)[client == one][mine]
        starts = arrival[client == one][mine]
        assert len(starts) == 15
        assert starts[1:] == pytest.approx(ends[:-1], abs=1e-9)


def test_first_arrivals_are_spread() -> None:
    sim = ended({"workload.first_arrivals_within_s": 12.0, "run.requests": 20})
    (arrival,) = columns(sim, "arrival")
    assert arrival.min() >= 0
    assert 8 < arrival.max() <= 12.0
    assert np.std(arrival) == pytest.approx(12 / np.sqrt(12), rel=0.25)


def test_think_time_is_exponential_with_its_mean() -> None:
    sim = ended({"workload.clients": 50, "run.requests": 5000, "workload.think_s": 7.0})
    client, arrival, total = columns(sim, "client", "arrival", "total")
    pauses = []
    for one in range(50):
        mine = np.argsort(arrival[client == one])
        ends = (arrival + total)[client == one][mine]
        pauses.extend(arrival[client == one][mine][1:] - ends[:-1])
    assert np.mean(pauses) == pytest.approx(7.0, abs=4 * 7 / np.sqrt(len(pauses)))
    assert np.std(pauses) == pytest.approx(7.0, rel=0.06)


def test_requests_are_split_evenly_and_the_first_client_to_end_is_told() -> None:
    sim = ended({"run.requests": 305})
    client, arrival, total = columns(sim, "client", "arrival", "total")
    made = np.bincount(client.astype(int))
    assert sorted(made.tolist()) == [15] * 15 + [16] * 5
    last = [float((arrival + total)[client == one].max()) for one in range(20)]
    assert sim.load.first_done_s == pytest.approx(min(last), abs=1e-9)


def test_poisson_gaps() -> None:
    sim = ended(
        {"workload.arrivals": "poisson", "workload.rate_rps": 3.0, "run.requests": 5000}
    )  # fmt: skip
    (arrival,) = columns(sim, "arrival")
    gaps: np.ndarray = np.diff(np.sort(arrival))
    assert np.mean(gaps) == pytest.approx(1 / 3, abs=4 / 3 / np.sqrt(len(gaps)))
    assert np.std(gaps) == pytest.approx(1 / 3, rel=0.08)
    assert isinstance(sim.load, PoissonLoad)
    assert not sim.load.closed
    assert sim.load.first_done_s == pytest.approx(float(arrival.max()), abs=1e-9)


def test_poisson_rate_turned() -> None:
    sim = simulated(
        {"workload.arrivals": "poisson", "workload.rate_rps": 1.0, "run.requests": 20_000}
    )  # fmt: skip
    sim.advance(400)
    before = sim.pipeline.counts["arrived"]
    sim.turn("workload.rate_rps", 10.0)
    sim.advance(800)
    after = sim.pipeline.counts["arrived"] - before
    assert before == pytest.approx(400, abs=4 * 20)
    assert after == pytest.approx(4000, abs=4 * 64)


def test_load_turned_down_and_up() -> None:
    sim = simulated({"run.requests": 20_000, "workload.think_s": 5})
    sim.advance(100)
    sim.turn("workload.clients", 4)
    sim.advance(200)
    asking = {j.client for j in sim.pipeline.live.values()}
    assert asking <= set(range(4))
    load = sim.load
    assert isinstance(load, SessionLoad)
    assert load.idle == set(range(4, 20))
    sim.turn("workload.clients", 30)
    assert load.idle == set()
    sim.advance(400)
    (client, arrival) = columns(sim, "client", "arrival")
    assert set(client[arrival > 200].astype(int)) == set(range(30))


def test_turned_up_again_at_once_nobody_asks_twice() -> None:
    sim = simulated({"run.requests": 20_000})
    for _ in range(5):
        sim.advance(sim.now + 20)
        sim.turn("workload.clients", 5)
        sim.turn("workload.clients", 20)
    sim.advance(400)
    client, arrival, total = columns(sim, "client", "arrival", "total")
    for one in range(20):
        mine = np.argsort(arrival[client == one])
        starts = arrival[client == one][mine]
        assert np.all(starts[1:] >= (arrival + total)[client == one][mine][:-1])


def test_a_run_ends_though_clients_were_turned_away() -> None:
    down = {"at_s": 50, "what": "turn", "setting": "workload.clients", "value": 10}
    sim = ended({"events": [down]})
    assert sim.over
    assert 150 <= sim.pipeline.counts["finished"] < 300


def test_a_run_waits_for_clients_that_a_script_calls_back() -> None:
    down = {"at_s": 50, "what": "turn", "setting": "workload.clients", "value": 1}
    back = {"at_s": 3000, "what": "turn", "setting": "workload.clients", "value": 20}
    sim = ended({"events": [down, back]})
    assert sim.pipeline.counts["finished"] == 300


def test_a_ramp_passes_all_values_and_ends_on_its_own() -> None:
    ramp = {
        "at_s": 10, "what": "turn", "setting": "line.bandwidth_gbps", "value": 0.3, "over_s": 20
    }  # fmt: skip
    sim = simulated({"line.bandwidth_gbps": 0.1, "events": [ramp]})
    seen = []
    for until in (9.9, 10.0, 20.0, 25.0, 30.0, 40.0):
        sim.advance(until)
        assert sim.scenario.line is not None
        seen.append(sim.scenario.line.bandwidth_gbps)
    assert seen == pytest.approx([0.1, 0.1, 0.2, 0.25, 0.3, 0.3])
    assert seen[-1] == 0.3  # .1 + (.3 - .1) is not


@pytest.mark.parametrize(
    ("setting", "start", "value"),
    [
        ("line.bandwidth_gbps", None, 10.0),
        ("line.bandwidth_gbps", 10.0, None),
        ("policy.p_rld", False, True),
        ("policy.handoff_mode", "auto", "one_shot"),
    ],
)
def test_what_is_no_number_cannot_be_ramped(setting: str, start: Any, value: Any) -> None:
    ramp = {"at_s": 5, "what": "turn", "setting": setting, "value": value, "over_s": 10}
    sim = simulated({setting: start, "events": [ramp]})
    with pytest.raises(TurnError, match=r"events\[0\].over_s is .*: a turn takes time only from"):
        sim.advance(30.0)


def test_a_step_of_load_by_script() -> None:
    up = {"at_s": 200, "what": "turn", "setting": "workload.clients", "value": 60}
    sim = simulated({"run.requests": 20_000, "workload.think_s": 5, "events": [up]})
    sim.advance(600)
    client, arrival = columns(sim, "client", "arrival")
    assert arrival[client >= 20].min() > 200
    assert len(set(client)) == 60


@pytest.mark.parametrize("arrivals", ["sessions", "poisson"])
def test_other_turns_do_not_move_the_draws(arrivals: str) -> None:
    """The same requests whatever the deployment does with them."""
    asked = []
    for turn in (None, ("line.bandwidth_gbps", 40.0), ("policy.p_rld", True)):
        sim = simulated({"workload.arrivals": arrivals})
        sim.advance(60)
        if turn is not None:
            sim.turn(*turn)
        sim.advance_to_end()
        client, prompt, hit, out = columns(sim, "client", "prompt", "hit", "out")
        table = np.stack((client, prompt, hit, out)).T
        asked.append(sorted(map(tuple, table.tolist())))
    assert asked[0] == asked[1] == asked[2]
