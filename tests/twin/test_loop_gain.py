"""The loop gain: by its definition, never above 1 - e, and the formulas against the engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployments import shipped
from twin.engine.recorder import REQUEST_COLUMNS, SAMPLE_COLUMNS
from twin.engine.simulation import Simulation
from twin.loop_gain import Gain, ends_share, expected_gain, measured_gain
from twin.policy import P_MD, P_RLD

COLLAPSE, PDD = shipped("p_rld_collapse"), shipped("pdd_43a_32b")


def told(aligned: tuple[int, int], stale: tuple[int, int]) -> Gain:
    """Turns (local, others) of each kind."""
    kinds = [*aligned, *stale]
    pipeline = np.repeat([P_RLD, P_MD, P_RLD, P_MD], kinds).astype(float)
    held = np.repeat([900.0, 900.0, 500.0, 500.0], kinds)
    count = len(pipeline)
    return measured_gain(COLLAPSE, np.full(count, 1e3), np.full(count, 900.0), held, pipeline)


def test_by_hand():
    found = told((10, 90), (80, 20))
    assert (found.local_aligned, found.local_stale) == (pytest.approx(0.1), pytest.approx(0.8))
    assert found.gain == pytest.approx(0.95 * 0.7)
    assert found.stale_share == pytest.approx(0.5)
    assert found.stale_expected == pytest.approx(0.95 * 0.1 / (1 - 0.665))


def test_too_few_turns_cannot_say():
    found = told((10, 90), (5, 5))
    assert (found.gain, found.local_stale, found.stale) == (None, None, 10)


@given(
    aligned=st.tuples(st.integers(0, 200), st.integers(0, 200)),
    stale=st.tuples(st.integers(0, 200), st.integers(0, 200)),
)
def test_it_never_exceeds_its_limit(aligned, stale):
    found = told(aligned, stale)
    if found.gain is not None:
        assert found.gain <= found.limit
        assert found.stale_expected is not None and 0 <= found.stale_expected <= 1


def test_without_a_rule_that_keeps_requests_it_is_nothing():
    alone = measured_gain(PDD, *(np.ones(30) for _ in range(4)))
    assert (alone.gain, alone.stale_expected) == (0.0, 0.0)
    assert expected_gain(PDD).gain == 0.0
    assert expected_gain(shipped("same_dc_88a", {})).gain == 0.0


def test_ends_count_one_off_requests():
    assert ends_share(PDD.workload) == pytest.approx(0.05)
    assert ends_share(shipped("singular_flood").workload) == pytest.approx(0.035 + 0.965 / 20)


@pytest.fixture(scope="module")
def collapsed() -> Simulation:
    sim = Simulation(COLLAPSE, seed=0)
    sim.advance(7200.0)
    return sim


def measured(sim: Simulation) -> Gain:
    rows = sim.recorder.arrived_between(1440.0, 7200.0)
    names = ("prompt", "hit", "md_hit", "pipeline")
    return measured_gain(sim.scenario, *(rows[:, REQUEST_COLUMNS.index(n)] for n in names))


def test_the_formulas_agree_with_the_engine(collapsed: Simulation):
    """With the flows that the run had on its line."""
    samples = collapsed.recorder.series()
    flows = samples[samples[:, 0] > 1440.0, SAMPLE_COLUMNS.index("line_flows")]
    expected, seen = expected_gain(COLLAPSE, flows[::40].tolist()), measured(collapsed)
    assert expected.local_aligned == pytest.approx(seen.local_aligned, abs=0.02)
    assert expected.local_stale == pytest.approx(seen.local_stale, abs=0.03)
    assert expected.gain == pytest.approx(seen.gain, abs=0.04)


def test_the_stale_share_settles_where_the_gain_says(collapsed: Simulation):
    seen = measured(collapsed)
    # a local turn whose successor hits less than it did leaves nothing stale: somewhat fewer
    assert seen.stale_expected is not None and seen.stale_share is not None
    assert 0.75 * seen.stale_expected < seen.stale_share <= seen.stale_expected


def test_a_thinner_line_and_a_lower_threshold_keep_more():
    at = {t: expected_gain(shipped("p_rld_collapse", {"policy.p_rld_threshold_s": t}))
          for t in (0.5, 1.0, 2.0, 4.0)}  # fmt: skip
    kept = [gain.local_aligned or 0.0 for gain in at.values()]
    assert kept == sorted(kept, reverse=True)
    thin = expected_gain(shipped("p_rld_collapse", {"line.bandwidth_gbps": 5.0}))
    assert (thin.local_aligned or 0) > (at[2.0].local_aligned or 0)
