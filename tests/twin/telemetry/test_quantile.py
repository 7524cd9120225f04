"""Quantiles of buckets: by hand, as Prometheus answered, and censored where they must be."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.twin.telemetry.recorded import read
from twin.telemetry.quantile import Estimate, pooled, prometheus_quantile, quantile, share_within

INF = math.inf
SIMPLE = {0.1: 5.0, 1.0: 8.0, INF: 10.0}
FIRST = {0.1: 10.0, 1.0: 20.0, 10.0: 30.0, INF: 30.0}
SECOND = {0.5: 10.0, 2.0: 20.0, 10.0: 30.0, INF: 30.0}


ASKED = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)

ANSWERS = {
    "seconds over two decades": (
        {0.5: 2, 1: 40, 2.5: 160, 5: 420, 7.5: 610, 10: 720, 20: 910, 40: 990, 80: 1000, INF: 1000},
        (0, 1.75, 3.3653846153846154, 6.052631578947368, 11.578947368421053, 19.473684210526315,
         30, 40, 80),
    ),
    "edges below zero": (
        {-1: 2, 0: 5, 1: 8, INF: 10},
        (-1, -1, -0.8333333333333334, 0, 0.8333333333333334, 1, 1, 1, 1),
    ),
    "counts that fall": (
        {0.1: 5, 0.5: 4, 1: 8, INF: 10},
        (0, 0.020000000000000004, 0.05, 0.1, 0.9166666666666667, 1, 1, 1, 1),
    ),
    "empty in the middle": (
        {0.1: 5, 0.5: 5, 1: 5, 5: 10, INF: 10},
        (0, 0.020000000000000004, 0.05, 0.1, 3, 4.2, 4.6, 4.92, 5),
    ),
}  # fmt: skip
"""Buckets, and histogram_quantile of a Prometheus 2.42 at ASKED: some of the cases recorded in
`golden_histogram_quantile.json` of the public metrics, here so that they are tried everywhere."""


@pytest.mark.parametrize("case", ANSWERS)
def test_answers_of_prometheus(case):
    counts, answers = ANSWERS[case]
    for q, wanted in zip(ASKED, answers, strict=True):
        assert prometheus_quantile(q, list(counts.items())) == pytest.approx(wanted, abs=1e-9), q


def test_an_edge_written_in_two_ways_is_one_edge_to_prometheus():
    """Recorded: 0.08 and 0.869 from a page that says 1.0 and 1 (counts add up to 16)."""
    pairs = [(0.1, 5.0), (float("1.0"), 8.0), (float("1"), 8.0), (INF, 10.0)]
    assert prometheus_quantile(0.25, pairs) == pytest.approx(0.08000000000000002, abs=1e-9)
    assert prometheus_quantile(0.9, pairs) == pytest.approx(0.8690909090909091, abs=1e-9)


@pytest.mark.usefixtures("public_metrics")
def test_every_recorded_answer_of_prometheus():
    told = read("golden_histogram_quantile.json")
    for one in told["golden"]:
        buckets = [(float(edge), count) for edge, count in told["cases"][one["case"]]]
        found, wanted = prometheus_quantile(float(one["q"]), buckets), float(one["value"])
        assert found == wanted or (math.isnan(found) and math.isnan(wanted)), one
    assert len(told["golden"]) == 108


def test_by_hand():
    assert prometheus_quantile(0.25, list(SIMPLE.items())) == 0.05  # half way into the first
    assert prometheus_quantile(0.65, list(SIMPLE.items())) == pytest.approx(0.1 + 0.9 * 1.5 / 3)
    assert prometheus_quantile(0.9, list(SIMPLE.items())) == 1.0  # above: the last finite edge
    assert math.isnan(prometheus_quantile(0.5, [(0.1, 5), (1, 8)]))  # no +Inf
    assert math.isnan(prometheus_quantile(0.5, [(0.1, 0), (INF, 0)]))


def test_above_the_last_edge_there_is_only_a_bound():
    assert quantile(0.9, SIMPLE) == Estimate(None, low=1.0)
    assert quantile(0.8, SIMPLE) == Estimate(1.0)
    assert quantile(0.5, {5.0: 0.0, INF: 40.0}) == Estimate(None, low=5.0)
    assert quantile(0.5, {0.1: 0.0, INF: 0.0}) == Estimate(None)
    assert quantile(0.5, {}) == Estimate(None)


def test_other_edges_are_never_added_as_they_stand():
    """Added blindly the medians 0.55 and 1.25 would come to 4.0, which lies outside of both."""
    assert quantile(0.5, FIRST).value == pytest.approx(0.55)
    assert quantile(0.5, SECOND).value == pytest.approx(1.25)
    blind = [*FIRST.items(), *SECOND.items()]
    assert prometheus_quantile(0.5, blind) == 4.0
    both = pooled(0.5, [FIRST, SECOND])
    assert both.value == pytest.approx(0.8125)  # where (x - .1)/.9 + (x - .5)/1.5 = 1
    assert (both.low, both.high) == pytest.approx((0.55, 1.25))
    assert pooled(0.5, [SIMPLE, SIMPLE, {}]) == quantile(0.5, SIMPLE)
    above = pooled(0.5, [{1.0: 0.0, INF: 10.0}, {2.0: 10.0, 5.0: 10.0, INF: 10.0}])
    assert above == Estimate(None, 1.0, 2.0)  # ten lie somewhere above 1
    assert pooled(0.5, [{}, {1.0: 0.0, INF: 0.0}]) == Estimate(None)


def test_shares_within_a_limit_are_bounded_by_the_edges():
    assert share_within(1.0, [SIMPLE]) == Estimate(0.8, 0.8, 0.8)
    found = share_within(0.55, [SIMPLE])
    assert found.value == pytest.approx(0.65)  # half way from .5 to .8
    assert (found.low, found.high) == (0.5, 0.8)
    assert share_within(30.0, [SIMPLE]) == Estimate(None, 0.8, 1.0)  # above the last edge
    assert share_within(1.0, [{1.0: 0.0, INF: 0.0}]) == Estimate(None)
    both = share_within(1.0, [FIRST, SECOND])  # 20 of 30 and, between 0.5 and 2, a third of ten
    assert both.value == pytest.approx((20 + 10 + 10 / 3) / 60)
    assert (both.low, both.high) == pytest.approx((30 / 60, 40 / 60))


@given(
    st.lists(st.floats(0.001, 100), min_size=1, max_size=200),
    st.lists(st.sampled_from([0.01, 0.1, 0.5, 1, 5, 20, 80, 200]), min_size=1, unique=True),
    st.floats(0, 1),
)
def test_the_quantile_lies_in_the_bucket_of_the_true_one(seen, edges, q):
    edges = [*sorted(edges), INF]
    buckets = {e: float(sum(value <= e for value in seen)) for e in edges}
    true = sorted(seen)[max(0, math.ceil(q * len(seen)) - 1)]
    found = quantile(q, buckets)
    if found.low is not None:
        assert true > found.low or math.isclose(q * len(seen), round(q * len(seen)))
    elif found.value is not None and q > 0:
        above = next(e for e in edges if e >= true)
        below = max((e for e in edges if e < true), default=0.0)
        assert below - 1e-9 <= found.value <= above + 1e-9


EDGES = st.lists(st.sampled_from([0.1, 0.5, 1, 2, 5, 20, 80]), min_size=2, unique=True)


@given(st.lists(st.floats(0.001, 100), min_size=1, max_size=50), EDGES, EDGES, st.floats(0.01, 1))
def test_a_pooled_quantile_lies_between_those_of_its_layouts(seen, one, other, q):
    """And with one layout it is the quantile of the sum; bounds hold the value wherever it is."""
    both = [
        {e: float(sum(value <= e for value in seen)) for e in [*sorted(edges), INF]}
        for edges in (one, other)
    ]
    found = pooled(q, both)
    if set(one) == set(other):
        summed = {edge: count + both[1][edge] for edge, count in both[0].items()}
        assert found == quantile(q, summed)
    elif found.value is not None:
        assert found.low is not None and found.low - 1e-9 <= found.value
        assert found.high is None or found.value <= found.high + 1e-9
    else:
        last = min(max(one), max(other))
        assert found.low is not None
        assert found.high is None or found.high > last or found.low <= found.high
