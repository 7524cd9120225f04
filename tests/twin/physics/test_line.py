"""Rates and tails of the line, and the router's estimate."""

from __future__ import annotations

from math import inf, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.line import (
    estimate_seconds,
    flow_rate,
    line_rates,
    slow_start_seconds,
)

GB_S = 1.25e9
"""10 Gbps in bytes/s."""


def test_goodput_share_is_of_the_line_only() -> None:
    assert line_rates(100, 0.87, 10) == pytest.approx((10.875e9, 1.25e9))


def test_no_limits() -> None:
    line, flow = line_rates(None, 0.87, None)
    assert 1e14 < line < inf  # above any bandwidth that can be set
    assert flow == inf


@pytest.mark.parametrize(("flows", "rate"), [(1, 3.0), (3, 3.0), (4, 2.5), (10, 1.0)])
def test_equal_shares_up_to_the_cap(flows: int, rate: float) -> None:
    assert flow_rate(10.0, 3.0, flows) == rate


def test_slow_start_by_hand() -> None:
    # a transfer longer than f x RTT: x = 26.25 MB; .021 log2(1 + 26.25e6 / 14.6e3) - .021
    ramp = GB_S * 0.021
    expected = 0.021 * log2(1 + ramp / 14_600) - 0.021
    assert slow_start_seconds(1e9, GB_S, 0.021, 14_600) == pytest.approx(expected)
    # a short one counts with its own bytes
    expected = 0.021 * log2(1 + 1e6 / 14_600) - 1e6 / GB_S
    assert slow_start_seconds(1e6, GB_S, 0.021, 14_600) == pytest.approx(expected)


def test_slow_start_of_nothing_or_without_delay() -> None:
    assert slow_start_seconds(0, GB_S, 0.021, 14_600) == 0
    assert slow_start_seconds(1e9, GB_S, 0.0, 14_600) == 0
    assert slow_start_seconds(1e9, inf, 0.0, 14_600) == 0


def test_slow_start_without_a_cap_grows_with_the_bytes() -> None:
    assert slow_start_seconds(1e9, inf, 0.02, 1e6) == pytest.approx(0.02 * log2(1001))


@given(st.floats(1, 1e11), st.floats(1e3, 1e11), st.floats(1e-4, 1), st.floats(1e3, 1e8))
def test_slow_start_is_never_negative(nbytes: float, f: float, rtt: float, iw: float) -> None:
    assert slow_start_seconds(nbytes, f, rtt, iw) >= 0


def test_estimate_counts_the_new_flow() -> None:
    assert estimate_seconds(3e9, 8e9, 4e9, 0, 0.5) == 1.25  # capped
    assert estimate_seconds(3e9, 8e9, 4e9, 3, 0.5) == 2.0  # a quarter of the line
    assert estimate_seconds(3e9, 0.0, 4e9, 0, 0.5) == inf  # cut


def test_handoff_of_100_tokens_by_kv_takes_as_long_as_published() -> None:
    """C14: 4,649 KB at 10 Gbps and an RTT of 21 ms: mean 185 ms; ours with jitter U(0, .3 RTT)."""
    tail = 0.0105 + 0.5 * 0.3 * 0.021 + slow_start_seconds(4.649e6, GB_S, 0.021, 14_600)
    mean_ms = (4.649e6 / GB_S + tail) * 1e3
    assert 170 <= mean_ms <= 200
    longest_ms = mean_ms + 0.5 * 0.3 * 21 + 320  # with a retransmission timeout
    assert 480 < longest_ms < 540
