"""What the recorder gives of finished requests: all of them, those of a window, the last one."""

from __future__ import annotations

import numpy as np

from twin.engine.recorder import ARRIVAL, TOTAL
from twin.engine.simulation import Simulation
from twin.engine.summary import summarize_window
from twin.scenario_file import load, shipped_folder


def simulation() -> Simulation:
    return Simulation(load(shipped_folder() / "bench_4p4d.yaml"), seed=1)


def test_a_window_has_the_requests_that_arrived_in_it():
    sim = simulation()
    sim.advance(400.0)
    table = sim.recorder.table()
    arrival = table[:, ARRIVAL]
    within = table[(arrival >= 100) & (arrival <= 300)]
    assert 400 < len(within) < len(table)
    assert np.array_equal(sim.recorder.arrived_between(100, 300), within)
    unfinished = sum(100 <= j.arrival <= 300 for j in sim.pipeline.live.values())
    window = summarize_window(sim, 100, 300).window
    assert (window.requests, window.unfinished) == (len(within), unfinished)


def test_the_last_token_is_that_of_the_latest_to_end():
    sim = simulation()
    assert sim.recorder.last_token_s() is None
    sim.advance(200.0)
    table = sim.recorder.table()
    assert sim.recorder.last_token_s() == (table[:, ARRIVAL] + table[:, TOTAL]).max()


def test_looking_does_not_keep_the_record_from_growing():
    sim = simulation()
    sim.advance(200.0)
    kept = sim.recorder.arrived_between(0, 200)
    before = kept.copy()
    sim.advance(400.0)
    assert len(sim.recorder.table()) > len(before)
    assert np.array_equal(kept, before)


def test_itl_counts_the_period_that_still_runs():
    sim = simulation()
    sim.advance(250.0)
    assert sim.recorder.itl == []
    itl = summarize_window(sim, 0, 250).itl_s
    assert itl.p50 is not None
    assert 0.01 < itl.p50 < 0.1
