"""Several deployments on the same requests: runs, capacities, cost and BCR against the first.

Equal clients: every deployment serves the same draws of the same workload. Capacity and BCR take
the load at which the required share is just within the SLA. Results do not depend on `workers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from .averages import averaged, mean_of, sd_of
from .economics import bcr
from .engine.replay import ReplayLoad
from .engine.run import run
from .errors import Problem, RunError
from .parallel import carried_out
from .result import Result
from .running import COMMON
from .scenario import Scenario
from .scenario_file import from_data
from .search import Capacity, capacity
from .workload.trace_table import Trace

Progress = Callable[[int, int], None]
"""Called with jobs done and jobs in all."""


class Spread(BaseModel):
    """Mean, standard deviation and single values of a figure over seeds.

    Mean and deviation are None where one of the values is unknown.
    """

    model_config = ConfigDict(frozen=True)

    mean: float | None
    sd: float | None
    values: list[float | None]


class Compared(BaseModel):
    """One deployment of a comparison: its runs (one per seed), capacity, cost and BCR."""

    model_config = ConfigDict(frozen=True)

    scenario: str
    runs: list[Result]
    capacity_rps: Spread | None
    capacity_load: Spread | None
    capacity_why: str
    cost_units: float
    cost_units_high: float | None
    bcr: float | None
    bcr_high_price: float | None


class Comparison(BaseModel):
    """Deployments beside a baseline, on the same requests."""

    model_config = ConfigDict(frozen=True)

    baseline: str
    basis: str
    seeds: list[int]
    results: list[Compared]
    cpu_s: float


@dataclass(frozen=True)
class Job:
    """One run, or one capacity search, of a scenario on the draws of a seed."""

    index: int
    scenario: Scenario
    seed: int
    kind: str
    trace: Trace | None = None


def spread(values: Iterable[float | None]) -> Spread:
    """Mean and standard deviation of values, all of them known, and the values."""
    listed = list(values)
    return Spread(mean=mean_of(listed), sd=sd_of(listed), values=listed)


def compare(
    scenarios: Sequence[Scenario],
    seeds: Sequence[int] = (0,),
    with_capacity: bool = True,
    workers: int = 1,
    progress: Progress | None = None,
    trace: Trace | None = None,
) -> Comparison:
    """Compare `scenarios`; the first is the baseline. RunError when their workloads differ.

    With a `trace` each serves its requests instead; then there is no load to search a capacity by.
    """
    same_requests(scenarios, trace)
    kinds = ("run", "capacity") if with_capacity and trace is None else ("run",)
    jobs = [
        Job(i, s, seed, kind, trace)
        for kind in kinds
        for seed in seeds
        for i, s in enumerate(scenarios)
    ]
    said: dict[tuple[int, int, str], tuple[Result | Capacity, float]] = {}
    for done, (job, answer) in enumerate(carried_out(carry_out, jobs, workers), start=1):
        said[job.index, job.seed, job.kind] = answer
        if progress is not None:
            progress(done, len(jobs))
    results = [_compared(i, s, seeds, said) for i, s in enumerate(scenarios)]
    return Comparison(
        baseline=scenarios[0].name,
        basis=_basis(scenarios[0], "capacity" in kinds, trace),
        seeds=list(seeds),
        results=[_with_bcr(result, results[0]) for result in results],
        cpu_s=sum(cpu for _, cpu in said.values()),
    )


def _basis(baseline: Scenario, with_capacity: bool, trace: Trace | None) -> str:
    if trace is not None:
        return f"every deployment serves the {len(trace):,} requests of {trace.name}; no capacity"
    load = baseline.workload
    equal = (
        f"{load.clients} clients"
        if load.arrivals == "sessions"
        else f"{load.rate_rps:g} requests/s"
    )
    slo = baseline.slo
    aim = f"P(total <= {slo.total_s:g} s) = {slo.share:g}"
    return f"runs at equal load ({equal}) on the same draws; " + (
        f"capacity and BCR at {aim}" if with_capacity else f"the SLA is {aim}"
    )


def on_same_requests(first: Scenario, *others: Scenario) -> list[Scenario]:
    """All of them, each under the requests, the aims and the run of the first; prices stay."""
    same_run = {"run": first.run}
    return [first, *(beside(other, first).model_copy(update=same_run) for other in others)]


def beside(baseline: Scenario, scenario: Scenario) -> Scenario:
    """The baseline under the same requests and aims as the scenario that runs beside it.

    What means the same for both, all that a turn of one turns in the other, is the scenario's;
    only prices stay, for the two may be made of different chips.
    """
    data = baseline.model_dump(mode="json")
    for name in {path.partition(".")[0] for path in COMMON if path.endswith(".")} - {"prices"}:
        data[name] = getattr(scenario, name).model_dump(mode="json")
    data["policy"]["output_prediction_sigma"] = scenario.policy.output_prediction_sigma
    data["sources"] = {
        path: source
        for path, source in baseline.sources.items()
        if not path.startswith(("workload.", "slo."))
    }
    return from_data(data)


def same_requests(scenarios: Sequence[Scenario], trace: Trace | None = None) -> None:
    """RunError unless all scenarios would serve the same requests, by the same SLA."""
    first = scenarios[0]
    parts = ("workload", "slo", "run") if trace is None else ("slo",)
    wrong = [
        Problem(
            f"{s.name}: {part}", "different from the baseline's",
            f"{first.name} and {s.name} must have the same {part} to see the same requests",
        )
        for s in scenarios[1:]
        for part in parts
        if getattr(s, part) != getattr(first, part)
    ]  # fmt: skip
    if wrong:
        raise RunError(wrong)


def carry_out(job: Job) -> tuple[Job, tuple[Result | Capacity, float]]:
    """The job with its answer and the CPU seconds it took."""
    spent, trace = 0.0, job.trace
    load = None if trace is None else ReplayLoad(trace, job.scenario, job.seed)

    def counted(scenario: Scenario, seed: int) -> Result:
        nonlocal spent
        result = run(scenario, seed, load, series=False)
        spent += result.cpu_s or 0.0
        return result

    if job.kind == "run":
        return job, (counted(job.scenario, job.seed), spent)
    found = capacity(job.scenario, job.seed, counted)
    return job, (found, spent)


def _compared(
    index: int,
    scenario: Scenario,
    seeds: Sequence[int],
    said: dict[tuple[int, int, str], tuple[Result | Capacity, float]],
) -> Compared:
    runs = [said[index, seed, "run"][0] for seed in seeds]
    found = [
        said[index, seed, "capacity"][0] for seed in seeds if (index, seed, "capacity") in said
    ]
    capacities = [c for c in found if isinstance(c, Capacity)]
    results = [r for r in runs if isinstance(r, Result)]
    return Compared(
        scenario=scenario.name,
        runs=results,
        capacity_rps=spread(c.rps for c in capacities) if capacities else None,
        capacity_load=spread(c.load for c in capacities) if capacities else None,
        capacity_why="; ".join(sorted({c.why for c in capacities if c.why})),
        cost_units=results[0].cost_units,
        cost_units_high=results[0].cost_units_high,
        bcr=None,
        bcr_high_price=None,
    )


def _with_bcr(result: Compared, baseline: Compared) -> Compared:
    """BCR by capacity, at the lower and the upper end of prices given as ranges."""
    mine = result.capacity_rps.mean if result.capacity_rps else None
    theirs = baseline.capacity_rps.mean if baseline.capacity_rps else None
    high = result.cost_units_high
    return result.model_copy(
        update={
            "bcr": bcr(mine, result.cost_units, theirs, baseline.cost_units),
            "bcr_high_price": (
                None if high is None else bcr(mine, high, theirs, baseline.cost_units)
            ),
        }
    )


def as_data(comparison: Comparison) -> dict[str, Any]:
    """A comparison as plain data: each of `results` as a run, averaged over seeds, with more.

    `capacity_rps` is the mean over seeds, `capacity_spread` the deviation and the single values;
    `runs` has every run by itself.
    """
    return {
        "baseline": comparison.baseline,
        "basis": comparison.basis,
        "seeds": comparison.seeds,
        "results": [_result_data(result) for result in comparison.results],
        "cpu_s": comparison.cpu_s,
    }


def _result_data(result: Compared) -> dict[str, Any]:
    rps, load = result.capacity_rps, result.capacity_load
    return {
        **averaged(result.runs),
        "capacity_rps": None if rps is None else rps.mean,
        "capacity_spread": None if rps is None else rps.model_dump(exclude={"mean"}),
        "capacity_load": None if load is None else load.mean,
        "capacity_why": result.capacity_why,
        "bcr": result.bcr,
        "bcr_high_price": result.bcr_high_price,
    }
