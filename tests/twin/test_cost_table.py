"""C07 as a table and a waterfall, and prices that break even by definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployments import shipped
from twin.cost_table import (
    PUBLISHED,
    PUBLISHED_LINE,
    PUBLISHED_PRICES,
    Hardware,
    PriceRange,
    break_even,
    cost_table,
    line_verdict,
    prices_in,
    waterfall,
)
from twin.economics import cost_units, cost_units_high
from twin.list_prices import LineFee, Rent

SAME, PDD = (Hardware.of(shipped(name)) for name in ("same_dc_88a", "pdd_43a_32b"))
H100 = Rent(1.3, 1.3, "USD", 2026, "3-year contract", "test")


def fee(low: float, high: float, gbps: float = 10) -> LineFee:
    return LineFee(low, high, "USD", 2024, "test", "test", gbps)


def test_the_hardware_of_both_deployments():
    assert (SAME.chips, SAME.line) == ({"A": 88}, False)
    assert (PDD.chips, PDD.line) == ({"A": 43, "B": 32}, True)


def test_the_published_table():
    table = cost_table(PDD)
    assert (table.low, table.high) == (pytest.approx(81.75), pytest.approx(84.95))
    assert [row.item for row in table.rows] == ["chip A", "chip B", "line"]
    assert table.rows[1].price.source == PUBLISHED
    assert cost_table(SAME).low == cost_table(SAME).high == 88


@pytest.mark.parametrize("name", ["same_dc_88a", "cross_dc_plain", "pdd_43a_32b"])
def test_the_table_agrees_with_the_cost_of_a_run(name):
    scenario = shipped(name)
    table = cost_table(Hardware.of(scenario), *prices_in(scenario))
    high = cost_units_high(scenario)
    assert table.low == pytest.approx(cost_units(scenario))
    assert table.high == pytest.approx(table.low if high is None else high)


def test_the_waterfall_from_88_a():
    falls = waterfall(SAME, PDD)
    assert [fall.label for fall in falls] == [
        "same_dc_88a", "-45 chips A", "+32 chips B", "the line"
    ]  # fmt: skip
    assert [fall.reached_low for fall in falls] == pytest.approx([88, 43, 81.4, 81.75])
    assert [fall.reached_high for fall in falls] == pytest.approx([88, 43, 84.6, 84.95])
    assert falls[-1].reached_low / falls[0].reached_low - 1 == pytest.approx(-0.071, abs=0.0005)


@given(
    a=st.floats(0.1, 10), b=st.floats(0.1, 10), line=st.floats(0, 50), back=st.booleans(),
)  # fmt: skip
def test_a_waterfall_ends_at_the_cost_of_what_it_leads_to(a, b, line, back):
    prices = {"A": PriceRange(a, a, "test"), "B": PriceRange(b, 2 * b, "test")}
    fee_range = PriceRange(line, line, "test")
    start, end = (PDD, SAME) if back else (SAME, PDD)
    last, table = waterfall(start, end, prices, fee_range)[-1], cost_table(end, prices, fee_range)
    assert (last.reached_low, last.reached_high) == pytest.approx((table.low, table.high))


@given(benefit=st.floats(0.9, 2), b=st.floats(0.5, 1.35), line=st.floats(0, 3))
def test_at_a_break_even_price_bcr_is_one(benefit, b, line):
    found = break_even(SAME, PDD, "B", {"A": 1.0, "B": b}, line, benefit)
    if found.line is not None:
        assert 43 + 32 * b + found.line == pytest.approx(88 * benefit)
    if found.chip is not None:
        assert 43 + 32 * found.chip + line == pytest.approx(88 * benefit)


def test_break_even_of_the_published_deployment():
    at_12 = break_even(SAME, PDD, "B", {"A": 1.0, "B": 1.2}, 0.35)
    assert at_12.line == pytest.approx(6.6)
    assert at_12.chip == pytest.approx(1.3953, abs=1e-4)
    assert break_even(SAME, PDD, "B", {"A": 1.0, "B": 1.3}, 0.35).line == pytest.approx(3.4)
    assert break_even(SAME, PDD, "B", {"A": 1.0, "B": 1.5}, 0.35).line is None
    assert break_even(SAME, SAME, "A", {"A": 1.0}, 0.0).line is None


@pytest.mark.parametrize(
    ("asked", "survives"),
    [(fee(2200, 2200), "all"), (fee(1500, 4000), "some"), (fee(15_000, 15_000, 100), "none")],
)
def test_whether_the_saving_survives_a_published_line(asked, survives):
    verdict = line_verdict(asked, H100, SAME, PDD)
    assert verdict.survives == survives
    assert verdict.low > PUBLISHED_LINE.low
    low, high = verdict.saving_low, verdict.saving_high
    assert (low > 0, high > 0) == (survives == "all", survives != "none")


def test_the_saving_is_told_at_both_ends():
    verdict = line_verdict(fee(2200, 2200), H100, SAME, PDD)
    line = 2200 / (1.3 * 730)
    assert verdict.saving_high == pytest.approx(1 - (81.4 + line) / 88)
    assert verdict.saving_low == pytest.approx(1 - (84.6 + line) / 88)
    assert "0.35 by the claim" in verdict.words


def test_the_default_price_of_b_is_the_published_one():
    b = PUBLISHED_PRICES["B"]
    assert (b.low, b.high, b.source) == (1.2, 1.3, PUBLISHED)
