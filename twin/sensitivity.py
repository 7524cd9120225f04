"""Which claims leave their band when one fitted parameter is changed, one at a time.

Only what a claim is measured by is computed anew: runs of the deployments that have the parameter,
and capacities of the two that claims compare. Capacity is a search over the load, so the load as
such does not change it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from .claims import FITTED, PDD, SAME_DC, Fitted
from .compare import Job, Progress, carry_out
from .parallel import carried_out
from .result import Result
from .scenario import Scenario
from .scenario_file import with_settings
from .search import Capacity, load_setting
from .verdicts import Evidence, Verdict, verdicts

WITH_CAPACITY = (SAME_DC, PDD)
"""Deployments whose capacity a claim is measured by."""

FACTORS = (0.9, 1.1)


class Changed(BaseModel):
    """What a changed parameter does: all verdicts with it, and those outside their band.

    `settings` are the values of the settings that stand for it, as changed.
    """

    model_config = ConfigDict(frozen=True)

    parameter: str
    factor: float
    settings: dict[str, float]
    verdicts: list[Verdict]
    outside: list[Verdict]


class Sensitivity(BaseModel):
    """Every fitted parameter, down and up, and the CPU seconds it took to find out."""

    model_config = ConfigDict(frozen=True)

    changes: list[Changed]
    cpu_s: float


@dataclass(frozen=True)
class _Variant:
    """The deployments that have a parameter, with it changed."""

    parameter: str
    factor: float
    settings: dict[str, float]
    scenarios: Mapping[str, Scenario]


def sensitivity(
    scenarios: Mapping[str, Scenario],
    evidence: Evidence,
    seeds: Sequence[int],
    workers: int = 1,
    progress: Progress | None = None,
    parameters: Sequence[Fitted] = tuple(FITTED.values()),
    factors: Sequence[float] = FACTORS,
) -> Sensitivity:
    """Change each parameter by each factor; `evidence` is that of the unchanged `scenarios`.

    `scenarios` are by name as in `claims`, `evidence` has a run and a capacity for each of `seeds`.
    """
    variants = [_variant(scenarios, p, factor) for p in parameters for factor in factors]
    jobs = [
        Job(i, scenario, seed, kind)
        for i, variant in enumerate(variants)
        for name, scenario in variant.scenarios.items()
        for kind in _kinds(variant, name, scenarios[name])
        for seed in seeds
    ]
    said: dict[tuple[int, str, str, int], Result | Capacity] = {}
    cpu_s = 0.0
    for done, (job, (answer, cpu)) in enumerate(carried_out(carry_out, jobs, workers), start=1):
        said[job.index, job.kind, job.scenario.name, job.seed] = answer
        cpu_s += cpu
        if progress is not None:
            progress(done, len(jobs))
    changes = [_changed(i, v, evidence, seeds, said) for i, v in enumerate(variants)]
    return Sensitivity(changes=changes, cpu_s=cpu_s)


def settings_of(parameter: Fitted, scenario: Scenario) -> dict[str, float]:
    """The settings of a scenario that stand for a parameter, with their values."""
    chip, dot, name = parameter.path.removeprefix("chip ").partition(".")
    if parameter.path.startswith("chip "):
        pools = [path for path, pool in scenario.pools().items() if pool.chip.name == chip]
        paths = [f"{pool}.chip{dot}{name}" for pool in pools]
    else:
        paths = [parameter.path]
    values = {path: _value_at(scenario, path) for path in paths}
    return {path: value for path, value in values.items() if isinstance(value, int | float)}


def _value_at(scenario: Scenario, path: str) -> Any:
    value: Any = scenario
    for step in path.split("."):
        value = getattr(value, step, None)
    return value


def _variant(scenarios: Mapping[str, Scenario], parameter: Fitted, factor: float) -> _Variant:
    told: dict[str, float] = {}
    changed: dict[str, Scenario] = {}
    for name, scenario in scenarios.items():
        values = settings_of(parameter, scenario)
        after = {p: _scaled(value, factor) for p, value in values.items()}
        if after:
            changed[name] = with_settings(scenario, after)
            told |= after
    return _Variant(parameter.name, factor, told, changed)


def _scaled(value: float, factor: float) -> float:
    return round(value * factor) if isinstance(value, int) else value * factor


def _kinds(variant: _Variant, name: str, before: Scenario) -> tuple[str, ...]:
    only_load = set(variant.settings) <= {load_setting(before)}
    return ("run",) if only_load or name not in WITH_CAPACITY else ("run", "capacity")


def _changed(
    index: int,
    variant: _Variant,
    before: Evidence,
    seeds: Sequence[int],
    said: Mapping[tuple[int, str, str, int], Result | Capacity],
) -> Changed:
    runs, capacities = dict(before.runs), dict(before.capacities)
    for name in variant.scenarios:
        answers = [said[index, "run", name, seed] for seed in seeds]
        runs[name] = [answer for answer in answers if isinstance(answer, Result)]
        if (index, "capacity", name, seeds[0]) in said:
            found = [said[index, "capacity", name, seed] for seed in seeds]
            capacities[name] = [c.rps for c in found if isinstance(c, Capacity)]
    judged = verdicts(Evidence(runs, capacities, before.costs))
    return Changed(
        parameter=variant.parameter,
        factor=variant.factor,
        settings=variant.settings,
        verdicts=judged,
        outside=[v for v in judged if v.inside is False],
    )
