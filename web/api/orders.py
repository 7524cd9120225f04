"""Carrying out what is asked of a running twin: several turns at once, all of them or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from twin.engine.turns import turned
from twin.errors import TwinError
from twin.running import COMMON, Entry, RunningTwin, What
from twin.scenario import Scenario


@dataclass(frozen=True)
class Order:
    """A turn of a setting, or something that happens."""

    what: What = "turn"
    setting: str | None = None
    value: Any = None
    pool: str | None = None
    instance: int = 0


def carry_out(twin: RunningTwin, orders: Sequence[Order]) -> list[Entry]:
    """Carry out all orders now; TwinError leaves the twin as it was."""
    if len(orders) > 1:
        beside = None if twin.baseline is None else twin.baseline.scenario
        orders = sorted_out(twin.sim.scenario, beside, orders)
    entries = []
    for order in orders:
        if order.what == "turn":
            entries.append(twin.turn(order.setting or "", order.value))
        else:
            entries.append(twin.happen(order.what, order.pool, order.instance))
    return entries


def sorted_out(
    scenario: Scenario, baseline: Scenario | None, orders: Sequence[Order]
) -> list[Order]:
    """Turns in the order given, save that one which does not go yet waits for those after it.

    Two marks that may not cross can only be moved one after the other, and nobody should have to
    know which one first. Raises the error of the first that cannot go at all. What happens, other
    than a turn, is not looked at.
    """
    waiting, works = list(orders), []
    while waiting:
        errors: list[TwinError] = []
        for order in list(waiting):
            try:
                scenario, baseline = _after(scenario, baseline, order)
            except TwinError as error:
                errors.append(error)
                continue
            waiting.remove(order)
            works.append(order)
            break
        else:
            raise errors[0]
    return works


def _after(
    scenario: Scenario, baseline: Scenario | None, order: Order
) -> tuple[Scenario, Scenario | None]:
    if order.what != "turn":
        return scenario, baseline
    setting = order.setting or ""
    after = turned(scenario, setting, order.value)
    if baseline is not None and setting.startswith(COMMON):
        baseline = turned(baseline, setting, order.value)
    return after, baseline
