"""Pacing against a clock that the test holds: keeping pace, falling behind, strides."""

from __future__ import annotations

import pytest

from web.api.pacing import FIRST_STRIDE_S, LONGEST_STRIDE_S, MOST_BEHIND_S, Pacer, Stride


def test_due_time_follows_the_clock():
    pacer = Pacer(10, paused=False, at_s=100, wall_s=5)
    assert pacer.due(5) == 100
    assert pacer.due(5.5) == 105


def test_a_paused_twin_is_never_behind():
    pacer = Pacer(600, paused=True, at_s=100, wall_s=0)
    assert pacer.due(1e6) == 100
    pacer.reached(100, 1e6)
    assert pacer.real_pace == 0
    pacer.turn(2, False, 100, 1e6)
    assert pacer.due(1e6 + 3) == 106


def test_another_pace_goes_on_from_where_the_twin_is():
    pacer = Pacer(10, paused=False, at_s=0, wall_s=0)
    pacer.turn(600, False, 7, 1)
    assert pacer.due(1) == 7
    assert pacer.due(2) == 607


def test_a_small_debt_is_made_up_for():
    pacer = Pacer(10, paused=False, at_s=0, wall_s=0)
    pacer.reached(5, 0.9)
    assert pacer.due(1) == 10


def test_a_large_debt_is_dropped():
    pacer = Pacer(600, paused=False, at_s=0, wall_s=0)
    stalled_for = 3600
    pacer.reached(10, stalled_for)
    assert pacer.due(stalled_for) == 10
    assert pacer.due(stalled_for + 1) == 610


def test_the_debt_that_is_left_is_bounded():
    pacer = Pacer(100, paused=False, at_s=0, wall_s=0)
    at = 0.0
    for tick in range(1, 200):
        at += 2  # a fifth of what is due in a tenth of a second
        pacer.reached(at, tick / 10)
        assert pacer.due(tick / 10) - at <= 100 * MOST_BEHIND_S + 1e-9


def test_the_real_pace_is_told():
    pacer = Pacer(600, paused=False, at_s=0, wall_s=0)
    assert pacer.real_pace == 600
    for tick in range(1, 31):
        pacer.reached(tick * 5, tick / 10)
    assert pacer.real_pace == pytest.approx(50)


def test_strides_grow_while_they_are_quick_and_shrink_when_they_are_slow():
    stride = Stride()
    assert stride.length_s == FIRST_STRIDE_S
    for _ in range(30):
        stride.took(0.001)
    assert stride.length_s == LONGEST_STRIDE_S
    stride.took(0.5)
    assert stride.length_s == LONGEST_STRIDE_S / 2
    stride.took(0.006)
    assert stride.length_s == LONGEST_STRIDE_S / 2
    stride.restart()
    assert stride.length_s == FIRST_STRIDE_S
    for _ in range(30):
        stride.took(1.0)
    assert stride.length_s == FIRST_STRIDE_S / 8
