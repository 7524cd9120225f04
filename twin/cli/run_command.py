"""`run`: one scenario on one seed or several, on its own requests or those of a trace."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..averages import averaged
from ..engine.replay import ReplayLoad
from ..engine.run import run
from ..parallel import carried_out
from ..result import Result
from ..scenario import Scenario
from ..workload.trace_table import Trace
from . import inputs
from .console import Console, json_text
from .export import Export
from .run_table import course_table, run_table


@dataclass(frozen=True)
class Job:
    """One run, small enough to be sent to a worker process."""

    scenario: Scenario
    seed: int
    trace: Trace | None
    series: bool


def carry_out(job: Job, progress: Callable[[float], None] | None = None) -> Result:
    """The result of a job."""
    trace = job.trace
    load = None if trace is None else ReplayLoad(trace, job.scenario, job.seed)
    return run(job.scenario, job.seed, load, progress, series=job.series)


def run_command(args: Namespace, console: Console) -> int:
    """Run, write, tell; all that can be wrong with the input is found first."""
    (scenario,) = inputs.scenarios([args.scenario], args.set)
    export = Export(args.out)
    trace = inputs.trace(args.trace, console)
    seeds = range(args.seed, args.seed + args.seeds)
    jobs = [Job(scenario, seed, trace, args.series) for seed in seeds]
    with console.progress(f"running {scenario.name}") as progress:
        results = _results(jobs, args.workers, progress)
    data = results[0].model_dump(mode="json") if len(results) == 1 else averaged(results)
    export.write(data, list(_course_rows(results)) if args.series else _rows(results))
    console.put(json_text(data) if args.json else _text(scenario, data, results[0], args.series))
    return 0


def _results(jobs: Sequence[Job], workers: int, progress: Callable[..., None]) -> list[Result]:
    """The results by seed."""
    if len(jobs) == 1:
        return [carry_out(jobs[0], progress)]
    found: list[Result] = []
    for result in carried_out(carry_out, jobs, workers):
        found.append(result)
        progress(len(found), len(jobs))
    return sorted(found, key=lambda result: result.seed)


def _rows(results: Sequence[Result]) -> list[dict[str, Any]]:
    return [result.model_dump(mode="json") for result in results]


def _course_rows(results: Sequence[Result]) -> Iterator[dict[str, Any]]:
    for result in results:
        if result.series is not None:
            columns = result.series.values
            for i, time_s in enumerate(result.series.time_s):
                yield {
                    "seed": result.seed,
                    "time_s": time_s,
                    **{name: values[i] for name, values in columns.items()},
                }


def _text(scenario: Scenario, data: dict[str, Any], first: Result, series: bool) -> str:
    text = run_table(scenario, data)
    if series and first.series is not None:
        text = f"{text}\n\nCourse of seed {first.seed}, means of each stretch:\n"
        text += course_table(first.series)
    return text
