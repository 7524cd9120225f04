"""A claim, or several that share their runs, computed now."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..claims import CLAIMS, claim
from ..parallel import carried_out
from ..scenario import Scenario
from ..verdicts import verdict
from ..version import VERSION
from .cases import CASES, scenario_of
from .recipes import RECIPES, Recipe
from .results import ClaimResult, Deployment, state_of
from .tasks import Cache, Found, Task, carry_out

SEEDS = range(6)
"""The seeds that the bands speak of."""

Progress = Callable[[int, int], None]
"""Called with tasks done and tasks in all, before the first and after each."""


def compute(
    claim_id: str,
    seeds: Sequence[int] = SEEDS,
    progress: Progress | None = None,
    cache: Cache | None = None,
) -> ClaimResult:
    """One claim, in this process; KeyError when there is none of that number.

    Whoever wants to stop raises from `progress`, which is called between the runs of the seeds;
    what was found until then stays in `cache`. Claims computed with one cache share their runs.
    """
    cache = cache if cache is not None else Cache()
    told = progress or _silent
    tasks = _tasks(claim_id, seeds)
    told(0, len(tasks))
    for done, task in enumerate(tasks, start=1):
        cache.answer(task)
        told(done, len(tasks))
    return _result(claim_id, seeds, cache)


def compute_all(
    claim_ids: Sequence[str] = tuple(known.id for known in CLAIMS),
    seeds: Sequence[int] = SEEDS,
    workers: int = 1,
    progress: Progress | None = None,
    cache: Cache | None = None,
) -> list[ClaimResult]:
    """Several claims in the order asked; each run is made once, `workers` change no result."""
    cache = cache if cache is not None else Cache()
    told = progress or _silent
    tasks = cache.missing(task for one in claim_ids for task in _tasks(one, seeds))
    tasks.sort(key=lambda task: task.kind != "capacity")  # the longest first
    told(0, len(tasks))
    for done, (task, answer) in enumerate(carried_out(carry_out, tasks, workers), start=1):
        cache.answers[task] = answer
        told(done, len(tasks))
    return [compute(one, seeds, cache=cache) for one in claim_ids]


def _silent(done: int, total: int) -> None:
    """Tell nobody."""


def _tasks(claim_id: str, seeds: Sequence[int]) -> list[Task]:
    """Seed by seed, so that whoever stops early has whole seeds."""
    work = RECIPES[claim_id].work
    return [Task(kind, case, seed) for seed in seeds for kind, case in work]


def _result(claim_id: str, seeds: Sequence[int], cache: Cache) -> ClaimResult:
    known, recipe = claim(claim_id), RECIPES[claim_id]
    measured = recipe.measure(Found(cache, seeds))
    figures = tuple(verdict(known, band, measured[band.label]) for band in known.bands)
    return ClaimResult(
        claim=known.id, about=known.about, public=known.public, kind=known.kind,
        fitted_by=known.fitted_by, note=known.note, state=state_of(known.kind, figures),
        figures=figures, deployments=deployments(recipe.cases),
        seeds=tuple(seeds) if recipe.work else (), sla=sla(recipe), load=load(recipe),
        version=VERSION, cpu_s=sum(cache.answer(t).cpu_s for t in _tasks(claim_id, seeds)),
    )  # fmt: skip


def deployments(cases: Sequence[str]) -> tuple[Deployment, ...]:
    """The scenarios of cases as they are now."""
    return tuple(
        Deployment(
            case=name, shipped=CASES[name].shipped, digest=scenario_of(name).digest(),
            changes={path: value for path, (value, _) in CASES[name].changes.items()},
            traffic=CASES[name].traffic,
        )
        for name in cases
    )  # fmt: skip


def sla(recipe: Recipe) -> str:
    """The SLA of all scenarios behind a claim; empty where none is asked."""
    aims = [scenario_of(name).slo for name in recipe.cases if recipe.has_sla]
    told = (f"total within {aim.total_s:g} s for {100 * aim.share:g} % of requests" for aim in aims)
    return "; ".join(dict.fromkeys(told))


def load(recipe: Recipe) -> str:
    """The load of all scenarios behind a claim, each once; equal clients if no other word."""
    own = (CASES[name].traffic or _own_load(scenario_of(name)) for name in recipe.cases)
    return recipe.load if recipe.load is not None else "; ".join(dict.fromkeys(own))


def _own_load(scenario: Scenario) -> str:
    plan = scenario.run
    if plan.requests is not None:
        length = f"{plan.requests:,} requests"
    else:
        length = f"{(plan.duration_s or 0) / 3600:g} simulated hours"
    return f"{scenario.workload.clients} clients, {length}"
