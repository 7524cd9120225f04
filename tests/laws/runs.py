"""Runs that laws look at."""

from __future__ import annotations

from collections.abc import Iterator

from twin.engine.simulation import Simulation
from twin.scenario import Scenario

PATIENCE_S = 1e6


def moments(scenario: Scenario, seed: int, step_s: float) -> Iterator[Simulation]:
    """The simulation of a scenario every `step_s` simulated seconds until all is finished.

    Steps grow when little happens, so that a slow deployment takes no longer to look at.
    """
    sim = Simulation(scenario, seed=seed, total=scenario.run.requests)
    yield sim
    while not sim.over:
        assert sim.now < PATIENCE_S
        sim.advance(sim.now + max(step_s, sim.now / 40))
        yield sim


def ended(scenario: Scenario, seed: int) -> Simulation:
    """The simulation of a scenario when all its requests are finished."""
    sim = Simulation(scenario, seed=seed, total=scenario.run.requests)
    sim.advance_to_end()
    return sim


def reached(scenario: Scenario, seed: int, until_s: float) -> Simulation:
    """The endless simulation of a scenario at `until_s`."""
    sim = Simulation(scenario, seed=seed)
    sim.advance(until_s)
    return sim
