"""The bench itself: its figures are measured, judged and told; no figure of a machine is tested."""

from __future__ import annotations

import json

import pytest

from . import measures
from .__main__ import main, record, row
from .calibration import STEPS, steps, steps_per_s
from .measures import Measure


def test_the_calibrating_loop_does_its_steps():
    ticks = iter(range(100))
    assert steps_per_s(clock=lambda: float(next(ticks)), repeat=2) == STEPS
    assert steps(2000) > steps(1000) > 0


def test_a_budget_is_kept_or_not():
    assert Measure("x", 5, "s", budget=4).kept is False
    assert Measure("x", 4, "s", budget=4).kept is True
    assert Measure("x", 5, "1/s", budget=4, better="more").kept is True
    assert Measure("x", 5, "s").kept is None
    assert "<= 4  OVER" in row(Measure("x", 5, "s", budget=4), 1e6)
    assert record(Measure("x", 5, "s", cpu_s=2.0), 1e6)["calibrating_steps"] == 2e6


def test_the_engine_is_measured_with_its_recorder():
    speed, events = measures.engine("pdd_43a_32b", 400, 1, 20_000)
    assert speed.cpu_s == pytest.approx(1 / speed.value)
    assert 5 < events.value < 10


def test_memory_and_time_are_those_of_a_process_of_its_own():
    small, _, large, time, held = measures.scales((300, 6000))
    assert large.value > small.value
    assert time.value > 0
    assert 150 < held.value < 5000


def test_the_quick_bench_tells_all_as_json(capsys):
    assert main(["--quick", "--json", "--repeat", "1"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["steps_per_cpu_s"] > 0
    budgets = {figure["what"]: figure["budget"] for figure in told["figures"]}
    assert budgets["engine on pdd_43a_32b"] == 20_000
    assert budgets["comparison of three deployments"] == 4
    assert budgets["capacity of pdd_43a_32b"] == 8
    assert {"twin: checkpoint", "twin: restore", "twin: frame"} <= set(budgets)
    assert all(figure["value"] > 0 for figure in told["figures"])
