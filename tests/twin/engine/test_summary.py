"""What a run says, and None where it cannot say."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.deployments import round_pdd, round_same_site, shipped
from tests.given_requests import ListLoad, columns, request
from twin.engine.run import run
from twin.engine.simulation import Simulation
from twin.engine.summary import (
    _itl,
    quantiles,
    summarize,
    summarize_window,
    tpot,
    within_slo,
)
from twin.result import Result

SMALL = {"run.requests": 2000, "workload.clients": 100}


def small(**settings: Any) -> Result:
    return run(shipped("pdd_43a_32b", {**SMALL, **settings}), 1, cpu_clock=lambda: 0.0)


def test_quantiles_of_nothing() -> None:
    said = quantiles(np.array([]))
    assert set(said.model_dump().values()) == {None}


def test_quantiles_by_hand() -> None:
    said = quantiles(np.arange(101.0))
    assert (said.mean, said.p50, said.p90, said.p99, said.max) == (50, 50, 90, 99, 100)


def test_a_window_without_requests_says_nothing() -> None:
    """H10: no rate, no share, no quantile; the document is JSON without NaN."""
    sim = Simulation(shipped("pdd_43a_32b"), seed=1)
    sim.advance(300.0)
    said = summarize_window(sim, 50_000.0, 60_000.0, series=True)
    text = json.dumps(said.model_dump(mode="json"), allow_nan=False)
    told = json.loads(text)
    for name in ("p_hit", "md_hit", "sla_ok_share", "goodput_rps", "throughput_rps",
                 "rld_token_share", "relay_request_share", "local_request_share",
                 "line_gbps"):  # fmt: skip
        assert told[name] is None, name
    for name in ("ttft_s", "itl_s", "total_s", "tpot_s", "transfer_s", "stages_s", "utilisation"):
        assert set(told[name].values()) == {None}, name
    assert "no request finished" in said.troubles[0]


def test_a_run_at_its_very_start() -> None:
    sim = Simulation(shipped("pdd_43a_32b"), seed=1)
    said = summarize(sim)
    assert said.requests.arrived == 0
    assert said.ttft_s.p50 is None
    json.dumps(said.model_dump(mode="json"), allow_nan=False)


def test_deployments_say_only_what_they_have() -> None:
    same = run(shipped("same_dc_88a", SMALL), 1)
    assert same.line_gbps is None
    assert same.md_hit is None
    assert same.utilisation.line is None
    assert same.utilisation.relay_slots is None
    assert same.utilisation.drc is None
    assert same.handoff_gap_s.mean is None
    assert same.relayed_transfer_s.p50 is None
    plain = run(shipped("cross_dc_plain", SMALL), 1)
    assert plain.md_hit is None  # DRC off
    assert plain.line_gbps is not None
    assert plain.line_bytes == plain.kv_bytes


def test_sums_and_shares_of_a_run() -> None:
    sim = Simulation(shipped("pdd_43a_32b", SMALL), seed=1, total=2000)
    sim.advance_to_end()
    said = summarize(sim)
    arrival, prompt, hit, md_hit, out, relay_made, total, ttft, kind = columns(
        sim, "arrival", "prompt", "hit", "md_hit", "out", "relay_made", "total", "ttft", "pipeline"
    )
    end = float((arrival + total).max())
    window = said.window
    assert window.from_s == max(200.0, 0.2 * end)
    assert window.to_s == sim.load.first_done_s
    inside = (arrival >= window.from_s) & (arrival <= window.to_s)
    assert window.requests == inside.sum()
    span = window.to_s - window.from_s
    assert said.throughput_rps == pytest.approx(inside.sum() / span)
    assert said.sla_ok_share == pytest.approx((total[inside] <= 30).mean())
    assert said.goodput_rps == pytest.approx((total[inside] <= 30).sum() / span)
    assert said.p_hit == pytest.approx(hit[inside].sum() / prompt[inside].sum())
    assert said.md_hit == pytest.approx(md_hit[inside].sum() / prompt[inside].sum())
    assert said.rld_token_share == pytest.approx(relay_made[inside].sum() / out[inside].sum())
    assert said.relay_request_share == pytest.approx((kind[inside] == 1).mean())
    assert said.pipelines.p_rld_md == (kind[inside] == 1).sum()
    assert said.ttft_s.p90 == pytest.approx(float(np.quantile(ttft[inside], 0.9)))
    stages = said.stages_s.model_dump()
    assert said.ttft_s.mean == pytest.approx(sum(list(stages.values())[:6]))
    assert said.total_s.mean == pytest.approx(sum(stages.values()))
    assert said.requests.model_dump() == {
        "arrived": 2000, "finished": 2000, "refused": 0, "in_flight": 0
    }  # fmt: skip


def test_unfinished_requests_count_as_late() -> None:
    sim = Simulation(shipped("pdd_43a_32b"), seed=1)
    sim.advance(200.0)
    said = summarize_window(sim, 100.0, 200.0)
    assert said.window.unfinished > 0
    (total, arrival) = columns(sim, "total", "arrival")
    good = ((arrival >= 100) & (arrival <= 200) & (total <= 30)).sum()
    assert said.sla_ok_share == pytest.approx(
        good / (said.window.requests + said.window.unfinished)
    )
    assert any("unfinished" in trouble for trouble in said.troubles)


def test_a_run_of_a_given_length_leaves_out_those_that_could_not_be_in_time() -> None:
    said = small(run={"requests": None, "duration_s": 900.0})
    assert said.window.from_s == 200.0
    assert said.window.to_s == 870.0
    assert said.requests.in_flight > 0


def test_limits_of_the_slo() -> None:
    """Each of the others misses one limit: TTFT, total, TPOT."""
    slo = {"total_s": 2.1, "share": 0.9, "ttft_s": 0.5, "tpot_ms": 16.5}
    asked = [(1000, 100), (1500, 100), (1000, 200), (1000, 60)]
    given = [(9.0 * n, request(*lengths, session=n)) for n, lengths in enumerate(asked)]
    sim = Simulation(round_pdd({"slo": slo}), ListLoad(given))
    sim.advance_to_end()
    ttft, total, out = columns(sim, "ttft", "total", "out")
    assert ttft == pytest.approx([0.45, 0.66, 0.45, 0.45])
    assert (total > 2.1).tolist() == [False, True, True, False]
    assert (1e3 * (total - ttft) / (out - 1) > 16.5).tolist() == [False, True, False, True]
    assert within_slo(sim.recorder.table(), sim.scenario.slo).tolist() == [True, *[False] * 3]


def test_tpot_of_one_token() -> None:
    sim = Simulation(round_same_site(), ListLoad([(0.0, request(1000, 1))]))
    sim.advance_to_end()
    assert tpot(sim.recorder.table()).tolist() == [0.0]


def test_itl_quantiles_are_over_tokens() -> None:
    """One decode alone at 10 ms: every token has ITL 10 ms, told within a cell of 50 us."""
    given = [(10.0 * n, request(100, 900, session=n)) for n in range(3)]
    sim = Simulation(round_same_site(), ListLoad(given))
    sim.advance_to_end()
    said = summarize(sim).itl_s
    for value in (said.mean, said.p50, said.p90, said.p99):
        assert value == pytest.approx(0.010, abs=6e-5)


def test_itl_of_two_speeds() -> None:
    """90 % of the tokens at 10 ms and 10 % at 20 ms, by tokens and not by time."""
    sim = Simulation(round_same_site(), ListLoad([]))
    sim.recorder.itl = [(0.0, "main", {200: 900.0}), (300.0, "relay", {400: 100.0})]
    said = _itl(sim, 0.0, 1000.0)
    assert said.mean == pytest.approx(0.9 * 0.010025 + 0.1 * 0.020025)
    assert said.p50 == pytest.approx(0.010 + 5e-5 * 5 / 9)
    assert said.p90 == pytest.approx(0.01005)
    assert said.p99 == pytest.approx(0.02 + 5e-5 * 0.9)
    only_first = _itl(sim, 0.0, 100.0)
    assert only_first.p99 == pytest.approx(0.01 + 5e-5 * 0.99)


def test_itl_of_a_loaded_run_is_that_of_its_batches() -> None:
    said = small()
    assert said.itl_s.p50 is not None and said.tpot_s.p50 is not None
    assert 0.005 < said.itl_s.p50 < 0.05
    assert said.itl_s.mean == pytest.approx(said.tpot_s.mean, rel=0.25)


@pytest.mark.parametrize("plan", [{"requests": 20_000, "duration_s": None},
                                  {"requests": None, "duration_s": 15_000}])  # fmt: skip
def test_an_open_load_that_outgrows_the_line_is_flagged(plan: dict[str, Any]) -> None:
    """H8: 1 GB a request at 1.3/s on 10 Gbps: .05/s pile up, and nothing steady is said."""
    said = run(overloaded(1.3, plan), 0)
    assert said.saturated
    assert said.backlog_growth_rps == pytest.approx(0.05, abs=4 * 1.3 / 20_000**0.5 * 1.3)
    for steady in (said.ttft_s, said.total_s, said.transfer_s, said.itl_s, said.stages_s):
        assert set(steady.model_dump().values()) == {None}
    assert said.sla_ok_share is None
    assert any("no steady state" in trouble for trouble in said.troubles)
    assert said.utilisation.line == pytest.approx(1.0, abs=1e-6)


def test_an_open_load_that_fits_is_not_flagged() -> None:
    said = run(overloaded(1.0, {"requests": 5000, "duration_s": None}), 0)
    assert not said.saturated
    assert said.backlog_growth_rps is None
    assert said.transfer_s.mean is not None


def test_an_open_load_that_outgrows_prefill_is_flagged() -> None:
    settings = {"workload.arrivals": "poisson", "workload.rate_rps": 6.0, "run.requests": 6000}
    said = run(shipped("pdd_43a_32b", settings), 0)
    assert said.saturated


def test_clients_that_wait_never_pile_up() -> None:
    said = small(**{"workload.clients": 400})
    assert not said.saturated
    assert said.sla_ok_share is not None


def overloaded(rate_rps: float, plan: dict[str, Any]) -> Any:
    """1 GB a request, prefill of no time, an unshared line of 10 Gbps."""
    return round_pdd(
        {
            "model.active_params_b": 1e-9,
            "prefill.chip.peak_tflops": 1e5,
            "relay_decode": None,
            "line.bandwidth_gbps": 10,
            "line.discipline": "fifo",
            "caches.drc_enabled": False,
            "workload": {
                "arrivals": "poisson", "rate_rps": rate_rps, "clients": 100,
                "turns_per_session": 1, "prompt_tokens_mean": 1000, "prompt_sigma": 0,
                "first_turn_hit_max": 0, "output_tokens_mean": 1, "output_cv": 0,
            },
            "run": {**plan, "warmup_s": 200, "warmup_share": 0.2},
        }
    )  # fmt: skip


def test_series_are_thin_and_equally_long() -> None:
    sim = Simulation(shipped("pdd_43a_32b"), seed=1)
    sim.advance(8000.0)
    series = summarize(sim).series
    assert series is not None
    assert 300 < len(series.time_s) <= 600
    assert {len(course) for course in series.values.values()} == {len(series.time_s)}
    assert series.values["p_hit"][0] is None
    shares = [v for v in series.values["p_hit"][1:] if v is not None]
    assert 0.8 < np.mean(shares) < 1.0


def test_cpu_time_is_the_only_thing_a_host_changes() -> None:
    times = iter([0.0, 5.0, 100.0, 101.5])
    scenario = shipped("pdd_43a_32b", {"run.requests": 100})
    one, other = (run(scenario, 1, cpu_clock=lambda: next(times)) for _ in range(2))
    assert (one.cpu_s, other.cpu_s) == (5.0, 1.5)
    assert one.model_dump(exclude={"cpu_s"}) == other.model_dump(exclude={"cpu_s"})
