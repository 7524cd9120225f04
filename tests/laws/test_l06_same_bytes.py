"""L6: same scenario, requests, seed and knob log: same bytes, whatever PYTHONHASHSEED."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import shipped
from tests.laws.told import SETTINGS, text, told
from tests.small_scenarios import scenarios
from twin.engine.checkpoint import capture, digest, pack, restore, unpack
from twin.engine.run import run
from twin.engine.simulation import Simulation
from twin.engine.summary import summarize
from twin.scenario import Scenario

ROOT = Path(__file__).parents[2]


def told_by_a_process(hash_seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.laws.told"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture(scope="module")
def reference() -> str:
    return told()


@pytest.mark.parametrize("hash_seed", ["0", "1", "2"])
def test_whatever_the_hash_seed(reference: str, hash_seed: str) -> None:
    assert told_by_a_process(hash_seed) == reference


def test_whatever_the_number_of_workers(reference: str) -> None:
    with ThreadPoolExecutor(3) as workers:
        assert set(workers.map(lambda _: told(), range(3))) == {reference}


@pytest.mark.parametrize("chunks_s", [(0.1, 7.3, 0.01, 31.0), (1.0,)], ids=str)
def test_however_it_is_advanced(reference: str, chunks_s: tuple[float, ...]) -> None:
    assert told(chunks_s) == reference


def test_another_seed_tells_something_else(reference: str) -> None:
    assert told(seed=8) != reference


def test_after_a_copy_in_the_middle() -> None:
    """The memory of the recorder is handed over; what is still being counted of ITL is not."""
    scenario = shipped("pdd_43a_32b", SETTINGS)
    sim = Simulation(scenario, seed=7, total=scenario.run.requests)
    sim.advance(205.0)
    copy = restore(unpack(pack(capture(sim))))
    copy.recorder.remember(sim.recorder.memory())
    for one in (sim, copy):
        one.advance_to_end()
    assert digest(copy) == digest(sim)
    said, again = (summarize(one).model_dump(mode="json", exclude={"itl_s"}) for one in (sim, copy))
    assert said == again


@settings(max_examples=25)
@given(scenarios(requests=100), st.integers(0, 9))
def test_of_any_scenario(scenario: Scenario, seed: int) -> None:
    assert text(run(scenario, seed)) == text(run(scenario, seed))
