"""The pure decisions: which pipeline, when the gate closes, which handoff."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.policy import (
    P_MD,
    P_RLD,
    P_RLD_MD,
    SINGULAR,
    choose_pipeline,
    gate_next,
    handoff_mode,
    relay_busy_next,
)
from twin.scenario import Policy


def chosen(
    estimate: float, predicted: float = 1000, itl: float = 0.02, closed: bool = False,
    **settings: Any,
) -> int:  # fmt: skip
    return choose_pipeline(Policy(**settings), estimate, predicted, itl, closed)


@pytest.mark.parametrize(
    ("estimate", "pipeline"), [(0.0, P_MD), (0.6, P_MD), (0.600001, P_RLD_MD), (1e9, P_RLD_MD)]
)
def test_relay_above_theta(estimate: float, pipeline: int) -> None:
    assert chosen(estimate) == pipeline


def test_local_above_its_threshold_when_allowed() -> None:
    assert chosen(2.5) == P_RLD_MD
    assert chosen(2.5, p_rld=True) == P_RLD
    assert chosen(2.0, p_rld=True) == P_RLD_MD
    assert chosen(0.5, p_rld=True) == P_MD


def test_local_comes_before_relay() -> None:
    """P-RLD with a threshold below theta leaves nothing to relay."""
    assert chosen(0.5, p_rld=True, p_rld_threshold_s=0.4) == P_RLD


def test_a_closed_gate_sends_local_ones_to_main_decode_and_lets_relays_go_on() -> None:
    gate = {"p_rld": True, "load_gate": True}
    assert chosen(2.5, closed=False, **gate) == P_RLD
    assert chosen(2.5, closed=True, **gate) == P_MD
    assert chosen(1.5, closed=True, **gate) == P_RLD_MD


@pytest.mark.parametrize(
    ("predicted", "itl", "estimate", "pipeline"),
    [
        (499, 0.02, 10.0, SINGULAR),
        (500, 0.02, 10.1, P_RLD_MD),  # not below 500 tokens
        (300, 0.02, 6.0, P_RLD_MD),  # RLD would not be done before the KV comes
        (300, 0.02, 6.01, SINGULAR),
        (300, 0.03, 6.01, P_RLD_MD),
        (5, 0.02, 0.3, SINGULAR),  # a short answer, though the transfer is short too
    ],
)
def test_filter(predicted: float, itl: float, estimate: float, pipeline: int) -> None:
    assert chosen(estimate, predicted, itl, singular_filter=True) == pipeline
    assert chosen(estimate, predicted, itl) in (P_MD, P_RLD_MD)


def test_filter_comes_before_local_and_before_the_gate() -> None:
    both = {"singular_filter": True, "p_rld": True, "load_gate": True}
    assert chosen(10.0, 100, closed=True, **both) == SINGULAR


@given(st.floats(0, 100), st.floats(0, 100))
def test_a_longer_transfer_never_leaves_the_relay(one: float, other: float) -> None:
    shorter, longer = sorted((one, other))
    if chosen(shorter) == P_RLD_MD:
        assert chosen(longer) == P_RLD_MD


def test_gate_closes_and_opens_at_its_marks() -> None:
    policy = Policy(load_gate=True, load_gate_high=50, load_gate_low=3)
    course = [(0, False), (49, False), (50, True), (30, True), (4, True), (3, False), (49, False)]
    closed = False
    for used, expected in course:
        closed = gate_next(policy, closed, used)
        assert closed is expected


@pytest.mark.parametrize(
    ("eager", "mode"), [(0, "one_shot"), (64, "one_shot"), (65, "catch_up"), (900, "catch_up")]
)
def test_auto_goes_by_the_number_of_ids(eager: int, mode: str) -> None:
    assert handoff_mode(Policy(), eager, relay_busy=True) == mode


@pytest.mark.parametrize("mode", ["one_shot", "catch_up"])
def test_a_fixed_mode_is_kept(mode: Any) -> None:
    policy = Policy(handoff_mode=mode, handoff_load_switch=True)
    assert {handoff_mode(policy, n, b) for n in (1, 900) for b in (True, False)} == {mode}


def test_load_switch_goes_by_load_alone() -> None:
    policy = Policy(handoff_load_switch=True)
    assert {handoff_mode(policy, n, True) for n in (1, 900)} == {"one_shot"}
    assert {handoff_mode(policy, n, False) for n in (1, 900)} == {"catch_up"}


def test_busy_has_hysteresis() -> None:
    policy = Policy(handoff_load_switch=True, handoff_load_high=0.8, handoff_load_low=0.6)
    busy, course = False, []
    for share in (0.7, 0.8, 0.81, 0.7, 0.6, 0.59, 0.75):
        busy = relay_busy_next(policy, busy, share)
        course.append(busy)
    assert course == [False, False, True, True, True, False, False]
