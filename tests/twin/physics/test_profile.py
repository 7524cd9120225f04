"""Measured profiles between and beyond their points: through each of them, straight, monotone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployments import round_pdd, shipped
from twin.physics.chip import prefill_cost, prefill_seconds, step_cost, step_seconds
from twin.physics.profile import (
    Curve,
    added,
    curve,
    kv_curve,
    measured_steps,
    prefill_curve,
    value,
    values_at,
)
from twin.profiles import ItlPoint, KvPoint

POINTS = [(1000.0, 0.44), (8000.0, 0.72), (32_000.0, 1.84), (128_000.0, 7.40)]
"""Prefill of the 1T hybrid model on 8 x H200, seconds by tokens (arXiv 2604.15039)."""


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    steps = draw(st.lists(st.tuples(st.floats(0.5, 1e4), st.floats(0, 10)), min_size=2, max_size=9))
    x, y = np.cumsum([dx for dx, _ in steps]), np.cumsum([dy for _, dy in steps])
    return curve(list(zip(x.tolist(), y.tolist(), strict=True)))


LENGTHS = st.floats(0, 2e5)


def test_through_the_points_straight_between_and_beyond() -> None:
    profile = curve(POINTS)
    assert [value(profile, x) for x, _ in POINTS] == [y for _, y in POINTS]
    assert value(profile, 20_000) == pytest.approx((0.72 + 1.84) / 2)
    assert value(profile, 0) == pytest.approx(0.40)  # .44 - .28 / 7
    assert value(profile, 224_000) == pytest.approx(7.40 + 5.56)
    assert value(curve([(10, 1.0), (11, 3.0)]), 5) == 0  # never below
    assert value(curve([(10, 1.5)]), 99) == 1.5


@given(curves(), LENGTHS, LENGTHS)
def test_it_never_falls(profile: Curve, a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert 0 <= value(profile, low) <= value(profile, high) * (1 + 1e-12) + 1e-12


@given(curves(), st.lists(LENGTHS, min_size=1, max_size=20))
def test_many_at_once_are_as_one_by_one(profile: Curve, where: list[float]) -> None:
    assert values_at(profile, np.array(where)).tolist() == [value(profile, x) for x in where]


@given(curves(), LENGTHS, LENGTHS, LENGTHS)
def test_more_new_tokens_never_cost_less(profile: Curve, new: float, more: float, c: float) -> None:
    assert added(profile, new, c) <= added(profile, new + more, c) * (1 + 1e-12) + 1e-9
    assert added(profile, new, 0) == value(profile, new)


@given(st.integers(0, 60), st.integers(0, 60))
def test_a_cached_prefix_costs_what_the_roofline_says(new: int, cached: int) -> None:
    """Exact for the formula of the roofline: measure it without a cache, and ask with one."""
    scenario = shipped("pdd_43a_32b")
    cost = prefill_cost(scenario.prefill, scenario.model)
    measured = curve([(1000.0 * k, prefill_seconds(cost, 1000 * k, 0)) for k in range(121)])
    told = added(measured, 1000 * new, 1000 * cached)
    assert told == pytest.approx(prefill_seconds(cost, 1000 * new, 1000 * cached), rel=1e-9)


def test_sizes_of_a_hybrid_model_hold_its_fixed_state() -> None:
    sizes = kv_curve([KvPoint(tokens=1000, kv_bytes=300.0), KvPoint(tokens=2000, kv_bytes=400.0)])
    assert sizes is not None
    assert value(sizes, 0) == 200
    assert added(sizes, 500, 1000) == 250  # 500 tokens and the state
    assert kv_curve(()) is None
    assert prefill_curve(()) is None


def test_measured_steps_take_the_place_of_the_tables() -> None:
    points = [ItlPoint(batch=1, itl_ms=10), ItlPoint(batch=5, itl_ms=18)]
    cost = measured_steps(points, 2.0, 8)
    steps = [step_seconds(cost, batch, context) for batch, context in ((1, 0), (3, 9e9), (8, 5))]
    assert steps == pytest.approx([0.020, 0.028, 0.048])  # two tokens a step
    pool = round_pdd().main_decode
    assert len(cost.weights_s) == len(step_cost(pool, round_pdd().model, 8).weights_s)
