"""Cost and BCR against the published figures."""

from __future__ import annotations

import pytest

from tests.deployments import shipped
from twin.economics import bcr, cost_units, cost_units_high

BASELINE, PDD = shipped("same_dc_88a"), shipped("pdd_43a_32b")


def test_costs_by_hand() -> None:
    assert cost_units(BASELINE) == 88
    assert cost_units(PDD) == pytest.approx(35 + 8 + 32 * 1.2 + 0.35)
    assert cost_units_high(PDD) == pytest.approx(43 + 32 * 1.3 + 0.35)
    assert cost_units_high(BASELINE) is None
    assert cost_units(shipped("cross_dc_plain")) == pytest.approx(88.35)


def test_saving_is_the_published_one() -> None:
    """C07: -7.1 % with B at 1.2, -3.5 % at 1.3."""
    high = cost_units_high(PDD)
    assert high is not None
    assert cost_units(PDD) / 88 - 1 == pytest.approx(-0.071, abs=5e-4)
    assert high / 88 - 1 == pytest.approx(-0.035, abs=5e-4)


def test_bcr_of_the_published_capacities() -> None:
    """C08: +27.8 % capacity for 81.75 against 88 units: +37.5 %; the arithmetic of 2.23 -> 2.86."""
    assert bcr(1.278, cost_units(PDD), 1.0, 88) == pytest.approx(1.375, abs=1e-3)
    assert bcr(2.86, cost_units(PDD), 2.23, 88) == pytest.approx(1.381, abs=1e-3)


def test_cost_per_token_falls_by_less_than_bcr_rises() -> None:
    """C23 is refused: BCR +37.5 % is a cost per token of -27.3 %."""
    assert pytest.approx(-0.273, abs=1e-3) == 1 / 1.375 - 1


@pytest.mark.parametrize("unknown", [None, 0.0])
def test_bcr_of_the_unknown(unknown: float | None) -> None:
    assert bcr(unknown, 81, 2.0, 88) is None
    assert bcr(2.0, 81, unknown, 88) is None


def test_bcr_against_itself_is_one() -> None:
    assert bcr(2.0, 88, 2.0, 88) == 1
