"""L17: with a load gate on top, RLD's batch and the line's flows move in anti-phase."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.deployments import shipped
from tests.laws.runs import reached
from twin.engine.recorder import SAMPLE_COLUMNS
from twin.engine.simulation import Simulation

SEEDS = range(6)
TWO_HOURS_S, FROM_S = 7200.0, 1440.0
HEALTHY: dict[str, Any] = {"policy.p_rld": False, "policy.load_gate": False}


def settled(sim: Simulation, name: str) -> np.ndarray:
    """A course of samples every 5 s, from 1,440 s on."""
    series = sim.recorder.series()
    return series[series[:, 0] >= FROM_S, SAMPLE_COLUMNS.index(name)]


def correlation(sim: Simulation) -> float:
    """Of RLD's batch with the flows on the line."""
    return float(np.corrcoef(settled(sim, "relay_batch"), settled(sim, "line_flows"))[0, 1])


def falls(batch: np.ndarray, upper: float) -> int:
    """How often the batch goes from the upper mark to below a quarter of it."""
    count, armed = 0, False
    for value in batch:
        if value >= upper:
            armed = True
        elif armed and value < upper / 4:
            count, armed = count + 1, False
    return count


@pytest.fixture(scope="module")
def swinging() -> list[Simulation]:
    return [reached(shipped("relay_swing"), seed, TWO_HOURS_S) for seed in SEEDS]


def test_anti_phase(swinging: list[Simulation]) -> None:
    found = [correlation(sim) for sim in swinging]
    assert np.median(found) < -0.2, found  # research: -.3 to -.43


def test_the_batch_swings_again_and_again(swinging: list[Simulation]) -> None:
    for sim in swinging:
        upper = sim.scenario.policy.load_gate_high
        batch = settled(sim, "relay_batch")
        # a sample every 5 s may miss the very peak by a few requests that have just left
        assert falls(batch, upper - 3) >= 10, falls(batch, upper - 3)
        assert batch.max() <= upper + 3


def test_a_healthy_deployment_does_not() -> None:
    for seed in range(3):
        sim = reached(shipped("relay_swing", HEALTHY), seed, TWO_HOURS_S)
        assert correlation(sim) >= 0  # a relayed request has its flow: they rise together
        assert falls(settled(sim, "relay_batch"), 47) == 0


def test_falls_are_counted_by_hand() -> None:
    assert falls(np.array([50, 40, 13, 12, 30, 49, 3, 55, 11.0]), 50) == 2
