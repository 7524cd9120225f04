"""L2: arrival <= prefill start <= prefill end <= first token <= last token; stages sum."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.given_requests import columns
from tests.laws.runs import ended
from tests.small_scenarios import scenarios
from twin.engine.journey import Journey
from twin.engine.recorder import Recorder
from twin.engine.summary import TOTAL_STAGES, TTFT_STAGES
from twin.scenario import Scenario

TOLERANCE_S = 1e-9


@settings(max_examples=80)
@given(scenarios(), st.integers(0, 3))
def test_stages(scenario: Scenario, seed: int) -> None:
    sim = ended(scenario, seed)
    arrival, ttft, total = columns(sim, "arrival", "ttft", "total")
    stages = columns(sim, *TOTAL_STAGES)
    for name, stage in zip(TOTAL_STAGES, stages, strict=True):
        assert stage.min() >= -TOLERANCE_S, name
    assert arrival.min() >= 0
    assert np.all(ttft <= total + TOLERANCE_S)
    assert np.abs(sum(columns(sim, *TTFT_STAGES)) - ttft).max() < TOLERANCE_S
    assert np.abs(sum(stages) - total).max() < TOLERANCE_S


@settings(max_examples=25)
@given(scenarios(with_events=False), st.integers(0, 3))
def test_the_stamps_themselves(scenario: Scenario, seed: int) -> None:
    """Not derived from one another: as they stand on the request when it is finished."""
    seen = []
    watched = Recorder.finished

    def finished(self: Recorder, j: Journey, last: float) -> None:
        seen.append((j.arrival, j.prefill_start, j.prefill_end, j.ready, j.joined, j.first, last))
        watched(self, j, last)

    Recorder.finished = finished
    try:
        ended(scenario, seed)
    finally:
        Recorder.finished = watched
    assert len(seen) == scenario.run.requests
    steps: np.ndarray = np.diff(np.array(seen, dtype=np.float64), axis=1)
    assert steps.min() >= -TOLERANCE_S
