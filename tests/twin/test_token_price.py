"""Prices per million tokens bring in exactly what the deployment costs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.errors import RunError
from twin.token_price import Billing, Traffic, token_prices

PUBLISHED = Traffic(rps=2.0, prompt_tokens=64_000, hit_share=0.9, output_tokens=1_000)


@given(
    hit=st.floats(0, 1), rps=st.floats(0.01, 100), cached=st.floats(0, 1), out=st.floats(0.1, 10),
    margin=st.floats(0, 2),
)  # fmt: skip
def test_an_hour_brings_in_its_cost(hit, rps, cached, out, margin):
    traffic = Traffic(rps, 64_000, hit, 1_000)
    prices = token_prices(100.0, traffic, Billing(cached, out), margin)
    earned = 3600 * rps / 1e6 * (
        prices.uncached_input * 64_000 * (1 - hit)
        + prices.cached_input * 64_000 * hit
        + prices.output * 1_000
    )  # fmt: skip
    assert earned == pytest.approx(100 * (1 + margin))


def test_by_hand():
    # 7,200 requests an hour; 6,400 + 5,760 + 4,000 = 16,160 units each
    prices = token_prices(81.75, PUBLISHED)
    assert prices.cost_per_request == pytest.approx(81.75 / 7200)
    assert prices.uncached_input == pytest.approx(81.75 / 7200 / 16_160 * 1e6)
    assert prices.cached_input == pytest.approx(prices.uncached_input / 10)
    assert prices.blended == pytest.approx(81.75 / 7200 / 65_000 * 1e6)


def test_bcr_says_what_a_token_costs():
    """C23 does not follow: a BCR of +37.5 % means a cost per token of -27.3 %."""
    one = token_prices(88, PUBLISHED).blended
    better = token_prices(88, Traffic(2.0 * 1.375, 64_000, 0.9, 1_000)).blended
    assert 100 * (better / one - 1) == pytest.approx(-27.3, abs=0.05)


@pytest.mark.parametrize("traffic", [Traffic(0.0, 1, 0, 1), Traffic(1, 0, 0, 0)])
def test_without_sales_there_is_no_price(traffic):
    with pytest.raises(RunError, match="above 0"):
        token_prices(1.0, traffic)


def test_negative_ratios_are_refused():
    with pytest.raises(RunError, match="not negative"):
        Billing(cached_ratio=-0.1)
