"""What is said of overloaded deployments: use of what is there, and that it has no steady state."""

from __future__ import annotations

import pytest

from tests.deployments import shipped
from twin.engine.run import run
from twin.engine.simulation import Simulation
from twin.engine.tiles import tiles
from twin.scenario_file import with_settings

NO_WARM_UP = {"run.requests": None, "run.warmup_s": 0, "run.warmup_share": 0}


@pytest.mark.parametrize("seconds", [250, 900])
def test_prefill_is_used_by_what_it_did_not_by_what_lies_before_it(seconds: float) -> None:
    flooded = shipped("same_dc_88a", {"workload.clients": 600})
    said = run(with_settings(flooded, {**NO_WARM_UP, "run.duration_s": seconds}))
    assert said.utilisation.prefill == pytest.approx(1.0, abs=0.02)


def test_prefill_binds_while_work_piles_up_before_it() -> None:
    sim = Simulation(shipped("pdd_43a_32b"), seed=1)
    sim.advance(1000)
    sim.turn("workload.clients", 3000)
    sim.advance(4000)
    said = tiles(sim, 2200, 4000)
    assert said["binds"] == "prefill"
    assert said["use"]["prefill"] == pytest.approx(1.0, abs=0.01)


def test_an_idle_deployment_is_used_as_much_as_it_prefills() -> None:
    said = run(shipped("bench_4p4d", {"workload.rate_rps": 1, "run.requests": 2000}))
    assert said.stages_s.prefill is not None and said.throughput_rps is not None
    busy = said.stages_s.prefill * said.throughput_rps / 4
    assert said.utilisation.prefill == pytest.approx(busy, rel=0.03)


SLOW_DECODE = {"main_decode.instances": 1, "workload.rate_rps": 3, "run.requests": 2000}


@pytest.mark.parametrize("tokens", [1200, 3000])
def test_an_open_load_that_outgrows_the_decode_slots_is_told(tokens: int) -> None:
    said = run(shipped("bench_4p4d", {**SLOW_DECODE, "workload.output_tokens_mean": tokens}))
    assert said.saturated and said.window.requests > 500
    assert said.backlog_growth_rps is not None and 1.5 < said.backlog_growth_rps < 3
    assert said.ttft_s.p50 is None and "no steady state" in said.troubles[0]


def test_an_open_load_that_they_carry_is_not() -> None:
    said = run(shipped("bench_4p4d", {**SLOW_DECODE, "workload.rate_rps": 0.3}))
    assert not said.saturated and said.troubles == []


def test_a_flood_that_has_all_come_before_the_first_is_served_is_measured() -> None:
    said = run(shipped("bench_4p4d", {"workload.rate_rps": 12, "run.requests": 2000}))
    assert said.saturated and said.window.requests > 1000


def test_md_cache_is_filled_at_most_whole_though_its_size_is_turned() -> None:
    sim = Simulation(shipped("pdd_43a_32b", {"caches.drc_tb": 2.0}), seed=1)
    sim.advance(3000)
    sim.turn("caches.drc_tb", 0.5)
    sim.advance(4000)
    assert 0.5 < tiles(sim, 2200, 4000)["use"]["memory"] <= 1


def test_the_overhead_of_a_first_token_is_that_of_its_time() -> None:
    sim = Simulation(shipped("pdd_43a_32b", {"workload.clients": 20}), seed=1)
    sim.advance(400)
    sim.turn("policy.output_overhead_ms", 100_000)
    sim.advance(900)
    table = sim.recorder.table()
    first_step, overhead = table[:, 7], table[:, 8]
    assert (first_step >= 0).all()
    assert set(overhead.tolist()) == {0.0, 100.0}
