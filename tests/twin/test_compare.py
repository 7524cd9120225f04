"""Deployments on the same requests: at equal rate, their curves, and who brings the requests."""

from __future__ import annotations

import pytest

from tests.deployments import shipped
from tests.twin.results import result
from twin.compare import as_data, compare, on_same_requests
from twin.engine.curves import SHARES
from twin.errors import RunError
from twin.scenario import Scenario
from twin.search import MATCHED, MOST_RUNS_TO_MATCH, load_for_rate

FEW = {"run.requests": 3000, "workload.clients": 60}


def matched(rate, throughput, clients=170):
    """The clients found, and the loads tried, where x clients give `throughput(x)`."""
    tried = []

    def runner(scenario: Scenario, seed: int):
        tried.append(scenario.workload.clients)
        return result(throughput_rps=throughput(scenario.workload.clients))

    found = load_for_rate(shipped("pdd_43a_32b", {"workload.clients": clients}), rate, 0, runner)
    return found.workload.clients, tried


def test_where_throughput_is_proportional_the_second_trial_meets_it():
    assert matched(2.0, lambda x: x / 60) == (120, [170, 120])


@pytest.mark.parametrize("rate", [0.9, 1.7, 2.5, 2.9])
def test_where_throughput_bends_the_rate_is_met(rate):
    clients, tried = matched(rate, lambda x: 3.2 * x / (x + 40))
    assert 3.2 * clients / (clients + 40) == pytest.approx(rate, rel=MATCHED + 0.01)
    assert len(tried) <= MOST_RUNS_TO_MATCH


def test_a_rate_that_cannot_be_served_ends_soon_with_the_most_that_was_reached():
    clients, tried = matched(5.0, lambda x: min(x / 60, 3.0))
    assert clients >= 180
    assert len(tried) <= MOST_RUNS_TO_MATCH
    assert max(tried) < 170 * 2**MOST_RUNS_TO_MATCH


def test_a_poisson_stream_simply_gets_the_rate():
    scenario = shipped("pdd_43a_32b", {"workload.arrivals": "poisson"})
    assert load_for_rate(scenario, 1.25).workload.rate_rps == 1.25


def test_at_equal_rate_all_finish_as_many_and_the_faster_needs_fewer_clients():
    both = [shipped(name, FEW) for name in ("cross_dc_plain", "pdd_43a_32b")]
    seen = []
    found = compare(
        both, [0], with_capacity=False, rate_rps=1.0, progress=lambda *done: seen.append(done)
    )
    slow, fast = found.results
    for one in found.results:
        assert one.runs[0].throughput_rps == pytest.approx(1.0, rel=0.03)
    assert fast.load < slow.load
    assert found.basis.startswith("runs at equal rate (1 requests/s)")
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_curve_rises_and_meets_the_quantiles_of_the_run():
    one = shipped("pdd_43a_32b", FEW)
    found = compare([one, shipped("same_dc_88a", FEW)], [0], with_capacity=False)
    told = as_data(found)["results"][0]
    curve = dict(zip(told["ttft_curve"]["share"], told["ttft_curve"]["ttft_s"], strict=True))
    assert list(curve) == list(SHARES)
    assert list(curve.values()) == sorted(curve.values())
    for share, name in ((0.5, "p50"), (0.9, "p90"), (0.99, "p99")):
        assert curve[share] == told["ttft_s"][name]


def test_a_run_too_short_to_measure_has_no_curve():
    few = [shipped(name, {"run.requests": 10}) for name in ("same_dc_88a", "pdd_43a_32b")]
    assert set(compare(few, [0], with_capacity=False).results[0].ttft_curve_s) == {None}


def test_the_first_brings_the_requests_and_everybody_keeps_his_prices():
    first = shipped("same_dc_88a", {"workload.clients": 33, "slo.total_s": 20})
    other = shipped("pdd_43a_32b", {"prices.line": 2.0})
    with pytest.raises(RunError, match="workload"):
        compare([first, other], with_capacity=False)
    same = on_same_requests(first, other)
    assert same[0] is first
    assert (same[1].workload, same[1].slo, same[1].run) == (first.workload, first.slo, first.run)
    assert same[1].prices == other.prices
    assert same[1].main_decode == other.main_decode
