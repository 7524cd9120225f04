"""Handoff by token ids: the times of one-shot and catch-up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.handoff import catch_up, extend_seconds, one_shot


@pytest.mark.parametrize(
    ("ids", "steps"), [(0, 0), (0.2, 1), (1, 1), (5, 1), (5.01, 2), (100, 20), (101, 21)]
)
def test_extend_counts_whole_steps(ids: float, steps: int) -> None:
    assert extend_seconds(ids, 0.0105, 0.014, 0.5, 5) == pytest.approx(
        0.0105 + 0.014 * (0.5 + steps)
    )


def test_one_shot_frees_rld_at_once() -> None:
    plan = one_shot(100, 0.0105, 0.014, 0.5, 5)
    assert plan.relay_leaves_after_s == 0
    assert plan.gap_s == plan.main_joins_after_s == pytest.approx(0.0105 + 0.014 * 20.5)
    assert plan.rounds == 1


def test_catch_up_by_hand() -> None:
    # 200 ids, 10 ms steps, w = 5, hop 10 ms, RLD 20 ms a token:
    # ext(200) = .01 + .01 x 40.5 = .415 -> 20.75 ids: .01 + .01 x 5.5 = .065 -> 3.25: the last
    plan = catch_up(200, 0.01, 0.01, 0.5, 5, 0.02, 6)
    assert plan.relay_leaves_after_s == pytest.approx(0.48)
    assert plan.gap_s == pytest.approx(0.01 + 0.01 * 1.5)
    assert plan.main_joins_after_s == pytest.approx(0.505)
    assert plan.rounds == 3


def test_few_ids_need_no_catching_up() -> None:
    assert catch_up(5, 0.01, 0.01, 0.5, 5, 0.02, 6) == one_shot(5, 0.01, 0.01, 0.5, 5)


def test_rounds_are_bounded() -> None:
    plan = catch_up(50, 0.01, 0.02, 0.5, 1, 0.02, 6)  # MD is no faster than RLD
    assert plan.rounds == 6


@given(st.integers(0, 5000), st.floats(0.001, 0.05), st.floats(0, 1), st.floats(0.01, 0.1))
def test_catch_up_never_leaves_a_greater_gap(
    eager: int, step: float, phase: float, itl: float
) -> None:
    smooth = catch_up(eager, 0.0105, step, phase, 5, itl, 6)
    at_once = one_shot(eager, 0.0105, step, phase, 5)
    if step / 5 < itl * 0.5 and eager > 64:
        assert smooth.gap_s <= at_once.gap_s
    assert smooth.relay_leaves_after_s >= 0


def test_handoff_of_100_tokens_by_ids_takes_as_long_as_published() -> None:
    """C15: MD batch 10 (steps of 14.0 to 14.3 ms), uniform phase: mean 305, sd 4.8, max 321 ms."""
    phases = (np.arange(1000) + 0.5) / 1000
    for step_ms in (14.0, 14.3):
        took = np.array([one_shot(100, 0.0105, step_ms / 1e3, u, 5).gap_s * 1e3 for u in phases])
        assert 290 <= took.mean() <= 320
        assert took.std() < 8
        assert took.max() < 340
