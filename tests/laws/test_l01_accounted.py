"""L1: every request that arrives finishes, is refused, or is in flight at the end."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import shipped
from tests.disturbances import DISTURBANCES, disturbed
from tests.given_requests import columns
from tests.laws.runs import ended, moments, reached
from tests.small_scenarios import scenarios
from twin.engine.simulation import Simulation
from twin.scenario import Scenario

SEEDS = st.integers(0, 3)


@settings(max_examples=60)
@given(scenarios(), SEEDS)
def test_at_every_moment_and_at_the_end(scenario: Scenario, seed: int) -> None:
    for sim in moments(scenario, seed, 7.0):
        counts = sim.pipeline.counts
        (number,) = columns(sim, "number")
        alive = list(sim.pipeline.live)
        seen = Counter([*map(int, number), *alive])
        assert counts["refused"] == 0
        assert seen == Counter(range(counts["arrived"]))  # each once: finished or in flight
        assert len(number) == counts["finished"]
    assert not sim.pipeline.live


def test_whatever_befalls_the_published_deployment() -> None:
    """One thing after the other, every two minutes, and all of it at the end again."""
    sim = Simulation(shipped("pdd_43a_32b", {"run.requests": 6000}), seed=2, total=6000)
    for round_begins, steps in enumerate(DISTURBANCES.values(), start=1):
        for _ in disturbed(sim, steps, 120.0 * round_begins, 115.0, 20.0):
            counts = sim.pipeline.counts
            alive = set(sim.pipeline.live)
            done = set(map(int, columns(sim, "number")[0]))
            assert not alive & done
            assert alive | done == set(range(counts["arrived"]))
    assert sim.pipeline.counts["redone"] > 20
    sim.turn("main_decode.instances", 4)
    sim.turn("policy.p_rld", False)
    sim.advance_to_end()
    assert sim.pipeline.counts["finished"] == sim.pipeline.counts["arrived"] >= 6000
    assert sorted(columns(sim, "number")[0].tolist()) == list(range(len(sim.recorder.table())))


def test_a_run_cut_off_in_the_middle() -> None:
    sim = reached(shipped("thin_line"), 1, 2000.0)
    said = sim.pipeline.counts
    assert said["arrived"] == said["finished"] + len(sim.pipeline.live)
    assert len(sim.pipeline.live) > 50


def test_the_published_deployments_to_their_end() -> None:
    for name in ("same_dc_88a", "cross_dc_plain", "pdd_43a_32b", "singular_flood"):
        sim = ended(shipped(name, {"run.requests": 3000}), 1)
        assert sim.pipeline.counts["finished"] == 3000
