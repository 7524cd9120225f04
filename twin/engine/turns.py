"""Turning a setting of a deployment that runs; the sentence when it cannot be turned."""

from __future__ import annotations

from typing import Any

from ..errors import Problem, TurnError, shown
from ..physics.line import line_rates
from ..scenario import Scenario
from ..scenario_file import with_setting
from ..settings import setting_at
from .caches import capacity_bytes, decode_cache
from .failures import reopened
from .pipeline import Pipeline

FIXED_BECAUSE = {
    "model": "KV caches in flight belong to the model",
    "workload.arrivals": "clients and a Poisson stream cannot be mixed in one run",
    "line.discipline": "transfers under way follow one discipline",
    "caches.memory_usable_share": "slots are laid out when an instance starts",
    "caches.slot_context_tokens": "slots are laid out when an instance starts",
    "run": "the length of a run is set before it starts",
    "events": "the script of a run is set before it starts",
}
"""Why some settings stay as they are; the others are parts of the hardware or only names."""


def value_at(scenario: Scenario, path: str) -> Any:
    """The value of a setting, None where it is absent; ScenarioError when there is no such one."""
    setting_at(path)
    value: Any = scenario
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
    return value


def turned(scenario: Scenario, path: str, value: Any) -> Scenario:
    """`scenario` with a live setting turned; TurnError or ScenarioError when that cannot be."""
    setting = setting_at(path)
    if not setting.live:
        reasons = [
            why for start, why in FIXED_BECAUSE.items() if f"{path}.".startswith(f"{start}.")
        ]
        reason = reasons[0] if reasons else "it is part of the hardware or the description"
        raise TurnError(
            Problem(path, shown(value), f"cannot be turned while the twin runs: {reason}; "
                    "start a new twin from a changed scenario")
        )  # fmt: skip
    return with_setting(scenario, path, value)


def check_prices(before: Scenario, after: Scenario, path: str, value: Any) -> None:
    """TurnError for the price of a chip that nothing here is made of."""
    for kind in ("chips", "chips_high"):
        made = {pool.chip.name for pool in after.pools().values()} | set(before.prices.chips)
        extra = sorted(set(getattr(after.prices, kind)) - made)
        if extra:
            remedy = f"no pool here is made of {extra[0]}; chips here are {', '.join(sorted(made))}"
            raise TurnError(Problem(path, shown(value), remedy))


def apply(p: Pipeline, after: Scenario) -> None:
    """Bring the running deployment from its scenario to `after` (turned settings only)."""
    before = p.scenario
    p.adopt(after)
    _turn_line(p, after)
    _turn_caches(p, before, after)
    _turn_pools(p, before, after)
    if not after.policy.load_gate:
        p.gate_closed = False
    if p.relay is not None and p.watch_relay:
        p.relay_changed(p.relay)


def _turn_line(p: Pipeline, after: Scenario) -> None:
    if p.line is not None and after.line is not None:
        line = after.line
        rates = line_rates(line.bandwidth_gbps, line.goodput_share, line.per_flow_cap_gbps)
        if rates != (p.line.capacity, p.line.flow_cap):
            p.line.set_capacity(*rates, p.clock.now)


def _turn_caches(p: Pipeline, before: Scenario, after: Scenario) -> None:
    if before.caches.drc_enabled != after.caches.drc_enabled:
        p.drc = decode_cache(after, p.block_tokens)  # it starts empty
    elif before.caches.drc_tb != after.caches.drc_tb:
        p.drc.resize(capacity_bytes(after.caches.drc_tb))
    if before.caches.prefill_tb != after.caches.prefill_tb:
        p.prompts.resize(capacity_bytes(after.caches.prefill_tb))


def _turn_pools(p: Pipeline, before: Scenario, after: Scenario) -> None:
    pools = p.pools()
    for name, described in after.pools().items():
        pool = pools[name]
        count = described.instances
        if pool is not None and count != before.pools()[name].instances:
            pool.set_instances(count, p.clock.now)
            reopened(p, name)
