"""Shares of the hit-rate buckets for a mean: exact, nearest to the given, refused beyond."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployments import shipped
from twin.engine.run import run
from twin.errors import RunError
from twin.workload.hit_shares import MIDDLES, mean_hit, mean_hits_possible, shares_with_mean

PUBLISHED = shipped("pdd_43a_32b").workload
FLOOD = shipped("singular_flood").workload


def with_mean(workload, mean):
    return workload.model_copy(update={"hit_shares": shares_with_mean(workload, mean)})


def test_the_published_shares_have_the_published_mean():
    assert mean_hit(PUBLISHED) == pytest.approx(0.900, abs=0.0005)


@pytest.mark.parametrize("workload", [PUBLISHED, FLOOD])
def test_the_present_mean_keeps_the_present_shares(workload):
    kept = shares_with_mean(workload, mean_hit(workload))
    assert kept == pytest.approx(np.array(workload.hit_shares) / sum(workload.hit_shares), abs=1e-9)


@given(mean=st.floats(0.46, 0.96))
def test_the_mean_is_met_exactly(mean):
    found = with_mean(PUBLISHED, mean)
    assert mean_hit(found) == pytest.approx(mean, abs=1e-9)
    assert sum(found.hit_shares) == pytest.approx(1)
    assert min(found.hit_shares) >= 0


@given(mean=st.floats(0.5, 0.95), move=st.floats(-0.02, 0.02), pair=st.integers(0, 4))
def test_no_other_shares_with_that_mean_are_nearer(mean, move, pair):
    """A step along the mean (three buckets) never lowers the relative entropy."""
    given_shares = np.array(PUBLISHED.hit_shares)
    found = np.array(shares_with_mean(PUBLISHED, mean))
    x = np.array(MIDDLES[pair : pair + 3])
    step = np.zeros(7)
    step[pair : pair + 3] = np.array([x[2] - x[1], x[0] - x[2], x[1] - x[0]]) * 10 * move
    other = found + step
    if (other > 0).all():

        def entropy(s):
            return float((s * np.log(s / given_shares)).sum())

        assert entropy(other) >= entropy(found) - 1e-9


def test_a_run_has_the_asked_mean():
    scenario = shipped("pdd_43a_32b", {"run.requests": 4000})
    scenario = scenario.model_copy(update={"workload": with_mean(PUBLISHED, 0.8)})
    assert run(scenario, 0, series=False).p_hit == pytest.approx(0.8, abs=0.015)


@pytest.mark.parametrize("mean", [0.0, 0.44, 0.975, 1.0])
def test_means_that_cannot_be_are_refused_with_what_can(mean):
    low, high = mean_hits_possible(PUBLISHED)
    with pytest.raises(RunError, match=rf"between {low:.3f} and {high:.3f}"):
        shares_with_mean(PUBLISHED, mean)
