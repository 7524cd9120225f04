"""Capacity search, on runs whose answer is known and once on real ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.deployments import shipped
from tests.twin.results import result
from twin.result import Result
from twin.scenario import Scenario
from twin.search import MOST_RUNS, Capacity, capacity, load_setting

Known = Callable[[float], tuple[float | None, float | None]]


def asked(scenario: Scenario) -> float:
    workload = scenario.workload
    return workload.clients if workload.arrivals == "sessions" else workload.rate_rps


def found(scenario: Scenario, known: Known) -> tuple[Capacity, list[tuple[float, int]]]:
    """The capacity found when a run at load x says `known(x)`: share within SLA, throughput."""
    trials: list[tuple[float, int]] = []

    def runner(tried: Scenario, seed: int) -> Result:
        trials.append((asked(tried), seed))
        share, throughput = known(asked(tried))
        return result(sla_ok_share=share, throughput_rps=throughput, saturated=share is None)

    return capacity(scenario, 5, runner), trials


def clients(count: int) -> Scenario:
    return shipped("pdd_43a_32b", {"workload.clients": count})


def linear(x: float) -> tuple[float, float]:
    """1 at 0 clients, .9 at 200; .01 requests/s a client."""
    return max(0.0, 1 - x / 2000), x / 100


@pytest.mark.parametrize("start", [1, 2, 5, 20, 170, 199, 200, 201, 1000, 5000])
def test_from_any_start_the_same_capacity(start: int) -> None:
    said, trials = found(clients(start), linear)
    assert said.load == pytest.approx(200, abs=1e-6)
    assert said.rps == pytest.approx(2.0, abs=1e-8)
    assert said.why == ""
    assert len(trials) <= MOST_RUNS
    assert {seed for _, seed in trials} == {5}
    assert [run[0] for run in said.runs] == [load for load, _ in trials]


def test_each_load_is_run_once() -> None:
    _, trials = found(clients(170), linear)
    loads = [load for load, _ in trials]
    assert len(set(loads)) == len(loads)


def test_a_cliff_between_two_neighbours() -> None:
    said, _ = found(clients(30), lambda x: (1.0 if x <= 41 else 0.0, x / 10))
    assert said.load == pytest.approx(41.1)  # .9 on the way from 1 at 41 to 0 at 42
    assert said.rps == pytest.approx(4.11)


@pytest.mark.parametrize(("start", "limit"), [(3, 40), (5, 2), (6, 6), (1, 1)])
def test_loads_of_a_few_clients(start: int, limit: int) -> None:
    said, _ = found(clients(start), lambda x: (1.0 if x <= limit else 0.5, x))
    assert said.load is not None
    assert limit <= said.load <= limit + 1 + limit * 0.03


def test_when_even_one_client_is_too_much() -> None:
    said, trials = found(clients(9), lambda x: (0.5, x))
    assert said.rps is None
    assert said.load is None
    assert said.why == "even the least load misses the SLA"
    assert trials[-1][0] == 1


def test_when_no_load_is_too_much() -> None:
    said, trials = found(clients(170), lambda x: (0.99, x))
    assert said.rps is None
    assert said.why == "no load misses the SLA"
    assert trials[-1][0] == 200_000  # as many as there may be


def test_a_run_without_a_steady_state_is_not_within_the_sla() -> None:
    said, _ = found(clients(170), lambda x: (None if x > 150 else 0.95, x / 100))
    assert said.load is not None
    assert 145 <= said.load <= 155


def test_the_share_asked_is_that_of_the_slo() -> None:
    said, _ = found(shipped("pdd_43a_32b", {"slo.share": 0.8}), linear)
    assert said.share == 0.8
    assert said.load == pytest.approx(400)


def test_a_poisson_stream_is_searched_by_its_rate() -> None:
    scenario = shipped("bench_4p4d")
    assert load_setting(scenario) == "workload.rate_rps"
    said, _ = found(scenario, lambda x: (1 - x / 50, x))
    assert said.load == pytest.approx(5.0, abs=1e-9)


def test_on_real_runs_the_share_is_kept_below_and_missed_above() -> None:
    scenario = shipped("pdd_43a_32b", {"run.requests": 2000, "workload.clients": 150})
    said = capacity(scenario, 1)
    assert said.load is not None and said.rps is not None
    tried = {load: share for load, share, _ in said.runs}
    below = max(load for load, share in tried.items() if share >= 0.9 and load <= said.load)
    above = min(load for load, share in tried.items() if share < 0.9 and load >= said.load)
    assert below <= said.load <= above <= below * 1.05
    assert 2.0 < said.rps < 3.5


@pytest.mark.parametrize(("start", "load"), [(1, 2728), (100, 100)])
def test_runs_that_measure_nothing_are_no_answer(start: int, load: int) -> None:
    """A run that ends in its warm-up is told with its load, and not taken for one that misses."""
    asked = {"slo.total_s": 1e6, "run.requests": 3000 if start == 1 else 50}
    changes = {"workload.clients": 170 if start == 1 else 100}
    said = capacity(shipped("same_dc_88a", {**asked, **changes}))
    assert said.rps is None
    assert said.why.startswith(f"at a load of {load} a run of ")
    assert all(share == 1.0 for _, share, _ in said.runs)
