"""Finding scenarios: those that come with the twin, those that were saved, those just written."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from db import scenarios
from twin.engine.turns import value_at
from twin.errors import Problem, ScenarioError, TwinError, shown
from twin.scenario import Scenario
from twin.scenario_file import (
    from_data,
    is_assumed,
    load,
    shipped_folder,
    source_of,
    with_setting,
)
from twin.settings import settings

from .errors import ApiError
from .memory import Memory

FIGURES = ("number", "whole", "numbers", "prices")
MOST_REQUESTS = 1_000_000
LONGEST_RUN_S = 30 * 86_400.0
"""How much a run here may compute; the command line takes more."""

WITHOUT_SOURCE = ("run.",)
"""Settings that are a choice of whoever runs it and need no source."""


@cache
def shipped() -> Mapping[str, Scenario]:
    """The scenarios that come with the twin, by name."""
    found = (load(path) for path in sorted(shipped_folder().glob("*.yaml")))
    return {scenario.name: scenario for scenario in found}


def shipped_file(name: str) -> Path:
    """The file of a shipped scenario."""
    return shipped_folder() / f"{name}.yaml"


async def named(memory: Memory, name: str, version: int | None = None) -> Scenario:
    """A scenario by its name; ApiError when there is none."""
    found = shipped().get(name)
    if found is not None and version is None:
        return found
    row = await memory.read(scenarios.find, name, version)
    if row is None:
        known = ", ".join(shipped())
        raise ApiError("not_found", f"there is no scenario {shown(name)}; shipped are {known}")
    return from_data(row.content)


def assumed(scenario: Scenario) -> list[str]:
    """Settings of a scenario whose figures have no source, in the order of the model."""
    told = [one for one in settings() if one.kind in FIGURES and "[]" not in one.path]
    return [
        one.path
        for one in told
        if value_at(scenario, one.path) is not None
        and not one.path.startswith(WITHOUT_SOURCE)
        and is_assumed(source_of(scenario, one.path))
    ]


async def asked_for(memory: Memory, asked: str | dict[str, Any]) -> Scenario:
    """The scenario that is named, or given with all its values."""
    return await named(memory, asked) if isinstance(asked, str) else from_data(asked)


def with_values(scenario: Scenario, values: Mapping[str, Any]) -> Scenario:
    """A scenario with several settings changed, in any order that works; ScenarioError if none."""
    waiting = dict(values)
    while waiting:
        errors: list[TwinError] = []
        for path, value in waiting.items():
            try:
                scenario = with_setting(scenario, path, value)
            except ScenarioError as error:
                errors.append(error)
                continue
            del waiting[path]
            break
        else:
            raise errors[0]
    return scenario


def check_prices(baseline: Scenario, scenario: Scenario) -> None:
    """ScenarioError when the two price the same chip differently: their costs say nothing then."""
    mine, theirs = scenario.prices.chips, baseline.prices.chips
    wrong = [
        Problem(f"prices.chips.{name}", shown(mine[name]), f"the baseline has {theirs[name]:g}")
        for name in sorted(set(mine) & set(theirs))
        if mine[name] != theirs[name]
    ]
    if wrong:
        raise ScenarioError(wrong)


def check_length(scenario: Scenario) -> None:
    """ScenarioError when a run of it would be longer than what is computed here."""
    plan, wrong = scenario.run, []
    if plan.requests is not None and plan.requests > MOST_REQUESTS:
        remedy = f"at most {MOST_REQUESTS:,} here; the command line takes more"
        wrong.append(Problem("run.requests", shown(plan.requests), remedy))
    if plan.duration_s is not None and plan.duration_s > LONGEST_RUN_S:
        remedy = f"at most {LONGEST_RUN_S:,.0f} s here; the command line takes more"
        wrong.append(Problem("run.duration_s", shown(plan.duration_s), remedy))
    if wrong:
        raise ScenarioError(wrong)
