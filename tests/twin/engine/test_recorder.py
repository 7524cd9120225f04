"""The record: stages that sum, samples of the state, and what is forgotten."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from tests.deployments import shipped
from tests.given_requests import columns
from tests.small_scenarios import scenarios
from twin.engine.recorder import REQUEST_COLUMNS, SAMPLE_COLUMNS
from twin.engine.simulation import Simulation
from twin.engine.summary import TOTAL_STAGES, TTFT_STAGES
from twin.scenario import Scenario


def ended(scenario: Scenario, seed: int = 1) -> Simulation:
    sim = Simulation(scenario, seed=seed, total=scenario.run.requests)
    sim.advance_to_end()
    return sim


def sampled(sim: Simulation, name: str) -> np.ndarray:
    return sim.recorder.series()[:, SAMPLE_COLUMNS.index(name)]


@settings(max_examples=30)
@given(scenarios(requests=80))
def test_stages_sum_to_ttft_and_to_the_total(scenario: Scenario) -> None:
    sim = ended(scenario)
    ttft, total = columns(sim, "ttft", "total")
    assert np.abs(sum(columns(sim, *TTFT_STAGES)) - ttft).max() < 1e-9
    assert np.abs(sum(columns(sim, *TOTAL_STAGES)) - total).max() < 1e-9
    for name, stage in zip(TOTAL_STAGES, columns(sim, *TOTAL_STAGES), strict=True):
        assert stage.min() > -1e-9, name


def test_one_row_a_request() -> None:
    sim = ended(shipped("pdd_43a_32b", {"run.requests": 500}))
    assert sim.recorder.table().shape == (500, len(REQUEST_COLUMNS))
    (number,) = columns(sim, "number")
    assert sorted(number.tolist()) == list(range(500))


def test_samples_every_five_seconds() -> None:
    sim = ended(shipped("pdd_43a_32b", {"run.requests": 500}))
    time = sampled(sim, "time")
    assert time[:3].tolist() == [0.0, 5.0, 10.0]
    assert np.all(np.diff(time) == 5.0)
    for name in ("line_bytes", "prefill_busy_s", "arrived", "finished", "relay_slot_s"):
        assert np.all(np.diff(sampled(sim, name)) >= 0), name
    assert sampled(sim, "in_flight") == pytest.approx(
        sampled(sim, "arrived") - sampled(sim, "finished")
    )


def test_slot_seconds_are_those_of_the_requests() -> None:
    """MD holds a slot from the moment it is given to the end: its integral is known apart."""
    scenario = shipped("cross_dc_plain", {"run.requests": 500})
    sim = ended(scenario)
    ready, total, arrival = [
        sum(columns(sim, "arrival", "queue_p", "prefill", "transfer", "queue_slot")),
        *columns(sim, "total", "arrival"),
    ]
    held = float((arrival + total - ready).sum())  # all are P-MD: from joining to the end
    main = sim.pipeline.main
    assert sum(i.slot_seconds(sim.now) for i in main.instances) == pytest.approx(held, rel=1e-9)


def test_what_is_older_than_it_keeps_is_forgotten() -> None:
    scenario = shipped("pdd_43a_32b")
    short = Simulation(scenario, seed=1, keep_s=600.0)
    whole = Simulation(scenario, seed=1)
    for sim in (short, whole):
        sim.advance(3000.0)
    kept = short.recorder.series()
    assert kept[0, 0] >= 3000 - 600 - 300  # forgotten every 300 s
    everything = whole.recorder.series()
    assert np.array_equal(kept, everything[-len(kept) :])
    table, all_rows = short.recorder.table(), whole.recorder.table()
    arrival = REQUEST_COLUMNS.index("arrival")
    assert np.array_equal(table, all_rows[all_rows[:, arrival] >= table[:, arrival].min()])
    assert min(since for since, _, _ in short.recorder.itl) >= 3000 - 600 - 300


def test_memory_handed_to_a_copy() -> None:
    scenario = shipped("pdd_43a_32b")
    sim, copy = (Simulation(scenario, seed=1, keep_s=600.0) for _ in range(2))
    sim.advance(700.0)
    copy.recorder.remember(sim.recorder.memory())
    assert np.array_equal(copy.recorder.table(), sim.recorder.table())
    assert np.array_equal(copy.recorder.series(), sim.recorder.series())
    assert copy.recorder.itl == sim.recorder.itl


def test_itl_is_counted_with_its_tokens() -> None:
    """All tokens that RLD and MD make are in the ITL count, whatever the handoffs do."""
    scenario = shipped("cross_dc_plain", {"run.requests": 500})
    sim = ended(scenario)
    left = [pool.itl_tokens for pool in (sim.pipeline.main,)]
    counted = sum(sum(cells.values()) for _, _, cells in sim.recorder.itl)
    counted += sum(sum(cells.values()) for cells in left)
    (out,) = columns(sim, "out")
    assert counted == pytest.approx(float(out.sum()), rel=1e-9)
