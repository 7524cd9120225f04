"""L18: P99 >= P90 >= P50 everywhere."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.small_scenarios import scenarios
from twin.engine.run import run
from twin.engine.simulation import Simulation
from twin.engine.summary import quantiles, summarize_window
from twin.engine.tiles import tiles
from twin.result import Quantiles, Result
from twin.scenario import Scenario


def in_order(said: Quantiles) -> None:
    p50, p90, p99 = said.p50, said.p90, said.p99
    if said.mean is None or p50 is None or p90 is None or p99 is None or said.max is None:
        assert set(said.model_dump().values()) == {None}
        return
    assert -1e-9 <= p50 <= p90 <= p99 <= said.max * (1 + 1e-12) + 1e-12
    assert said.mean <= said.max * (1 + 1e-12) + 1e-12


def all_in_order(result: Result) -> None:
    told = [value for value in dict(result).values() if isinstance(value, Quantiles)]
    assert len(told) == 9
    for said in told:
        in_order(said)


@settings(max_examples=60)
@given(scenarios(), st.integers(0, 3))
def test_of_every_result(scenario: Scenario, seed: int) -> None:
    result = run(scenario, seed)
    all_in_order(result)
    assert result.ttft_s.mean is None or result.total_s.mean is not None
    for name in ("mean", "p50", "p90", "p99", "max"):
        ttft, total = getattr(result.ttft_s, name), getattr(result.total_s, name)
        assert ttft is None or ttft <= total + 1e-9  # TTFT <= total, so its quantiles are too


@settings(max_examples=20)
@given(scenarios(), st.integers(0, 3), st.floats(0, 300), st.floats(0, 300))
def test_of_every_window_and_tile(scenario: Scenario, seed: int, one: float, other: float) -> None:
    sim = Simulation(scenario, seed=seed, total=scenario.run.requests)
    from_s, to_s = sorted((one, other))
    sim.advance(to_s)
    all_in_order(summarize_window(sim, from_s, to_s))
    shown = tiles(sim, from_s, to_s)
    told = [shown[f"ttft_{q}_s"] for q in ("p50", "p90", "p99")]
    assert told == [None] * 3 or told == sorted(told)


@given(st.lists(st.floats(0, 1e9), max_size=50))
def test_of_any_numbers(values: list[float]) -> None:
    in_order(quantiles(np.array(values)))
