"""Money: hardware cost of a deployment, and BCR, its benefit per cost against a baseline."""

from __future__ import annotations

from .scenario import Prices, Scenario


def cost_units(scenario: Scenario) -> float:
    """Hardware cost in units of one chip A: chips x price of each pool, plus the line."""
    return _cost(scenario, scenario.prices.chips)


def cost_units_high(scenario: Scenario) -> float | None:
    """The cost at the upper end of the prices given as ranges; None when none is."""
    prices = scenario.prices
    used = {pool.chip.name for pool in scenario.pools().values()}
    if not used & set(prices.chips_high):
        return None
    return _cost(scenario, {**prices.chips, **prices.chips_high})


def _cost(scenario: Scenario, chip_prices: dict[str, float]) -> float:
    prices: Prices = scenario.prices
    chips = sum(pool.chips * chip_prices[pool.chip.name] for pool in scenario.pools().values())
    return chips + (prices.line if scenario.line is not None else 0.0)


def bcr(
    benefit: float | None, cost: float, baseline_benefit: float | None, baseline_cost: float
) -> float | None:
    """(benefit / cost) / (baseline's benefit / cost); None where a benefit is unknown or zero.

    Benefit is capacity or goodput in requests/s, for both of the same kind.
    """
    if not benefit or not baseline_benefit:
        return None
    return (benefit / cost) / (baseline_benefit / baseline_cost)
