"""Steady, swinging, collapsing: the shipped cases, and what brings each of them back."""

from __future__ import annotations

import numpy as np
import pytest

from tests.deployments import shipped
from twin.engine.simulation import Simulation
from twin.errors import RunError
from twin.oscillation import Oscillation, falls, observe, study, swing_of
from twin.scenario_file import with_settings

CASES = {
    "pdd_43a_32b": "steady",
    "relay_swing": "swinging",
    "p_rld_collapse": "collapsing",
    "singular_flood": "collapsing",
    "thin_line": "collapsing",
}


@pytest.fixture(scope="module")
def studied() -> dict[str, list[Oscillation]]:
    return {name: [study(shipped(name), seed) for seed in range(2)] for name in CASES}


@pytest.mark.parametrize(("name", "state"), CASES.items())
def test_the_verdict(studied, name, state):
    for found in studied[name]:
        assert found.state == state, found.words
        assert found.words.lower().startswith(state)
        assert (found.remedies == ()) == (state == "steady")


@pytest.mark.parametrize("name", [name for name, state in CASES.items() if state != "steady"])
def test_what_is_said_to_bring_it_back_does(studied, name):
    before = studied[name][0]
    for remedy in before.remedies:
        after = study(with_settings(shipped(name), remedy.settings), before.seed)
        assert after.state == "steady", (remedy, after.words)
        assert (after.sla_ok_share or 0) > (before.sla_ok_share or 0) + 0.2


def test_the_swing_is_in_anti_phase_and_the_healthy_run_is_not(studied):
    for found in studied["relay_swing"]:
        assert found.swing.correlation < -0.2 and found.swing.falls >= 10
        assert 0.3 < found.gain.gain < found.gain.limit
    for found in studied["pdd_43a_32b"]:
        assert found.swing.correlation > 0
        assert found.gain.gain == 0.0


def test_the_collapse_has_the_greater_gain(studied):
    for swing, collapse in zip(studied["relay_swing"], studied["p_rld_collapse"], strict=True):
        assert swing.gain.gain < collapse.gain.gain <= collapse.gain.limit
        assert collapse.drift.lag_late > 0.25 and collapse.drift.local_late > 0.3
        assert "finished locally" in collapse.words


def test_a_late_line_has_another_cause(studied):
    for found in studied["thin_line"]:
        assert found.drift.local_late == 0
        assert "too late" in found.words


def test_courses_are_of_one_length(studied):
    for found in (o for each in studied.values() for o in each):
        courses = found.courses
        assert len(courses.time_s) == len(courses.relay_batch) == len(courses.line_flows) <= 600
        assert len(courses.block_s) == len(courses.p_hit) == len(courses.local_share)
        assert courses.md_hit is not None and len(courses.md_hit) == len(courses.p_hit)
        assert (courses.p_hit >= courses.md_hit - 1e-9).all()


def test_looking_at_a_running_simulation_changes_nothing():
    one, other = (Simulation(shipped("relay_swing"), seed=3) for _ in range(2))
    one.advance(1200.0)
    observe(one, from_s=300.0)
    for sim in (one, other):
        sim.advance(1500.0)
    assert one.recorder.rows == other.recorder.rows


def test_marks_and_falls_by_hand():
    assert falls(np.array([50, 40, 13, 12, 30, 49, 3, 55, 11.0]), 50) == 2
    batch = np.tile([40.0, 30.0, 5.0, 20.0], 20)
    against = swing_of(batch, 50 - batch)
    assert against.swings and against.correlation == pytest.approx(-1)
    assert not swing_of(batch, batch).swings  # in phase
    assert not swing_of(batch / 8, 50 - batch).swings  # of a few requests
    assert swing_of(batch, np.ones(80)).correlation is None


def test_without_a_relay_or_a_record_there_is_nothing_to_say():
    with pytest.raises(RunError, match="relay_decode is absent"):
        study(shipped("same_dc_88a"))
    with pytest.raises(RunError, match="run for longer"):
        observe(Simulation(shipped("pdd_43a_32b")))
