"""Deployments on the same requests, with whole distributions: TTFT curves and stages as stacks.

Equal clients: every deployment has the clients of its scenario, on the same draws. Equal rate: each
has as many clients as bring about the throughput of the first one, so that a faster deployment does
not pay for being asked more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .averages import mean_of
from .compare import Progress, same_requests
from .economics import cost_units, cost_units_high
from .engine.recorder import REQUEST_COLUMNS
from .engine.run import run
from .engine.simulation import Simulation
from .engine.summary import TOTAL_STAGES, TTFT_STAGES, summarize
from .errors import Problem, RunError
from .parallel import carried_out
from .policy import P_RLD_MD
from .result import Result
from .scenario import Scenario
from .scenario_file import with_setting

Basis = Literal["equal clients", "equal rate"]
Numbers = NDArray[np.float64]

LEVELS: tuple[float, ...] = tuple(np.linspace(0, 1, 101).round(4).tolist())
"""Levels of the cumulative curves."""

BANDS = {"all": (0.0, 1.0), "median": (0.45, 0.55), "tail": (0.90, 1.0)}
"""Requests by the place of their TTFT; the stages of a band are means over it, so that they sum."""

CLOSE = 0.01
"""Throughputs count as equal within this share."""

MOST_STEPS = 8


@dataclass(frozen=True)
class Stack:
    """Mean seconds of each stage over the requests of a band; the first six sum to its TTFT."""

    band: str
    stages: dict[str, float]

    @property
    def ttft_s(self) -> float:
        """Mean TTFT of the band."""
        return sum(self.stages[name] for name in TTFT_STAGES)


@dataclass(frozen=True)
class LineShare:
    """The line at the median of the requests that crossed it, and of those that were relayed.

    `line_s`: from the end of prefill until KV has landed. `relayed_line_s` the same of relayed
    ones, of which the relay hides `hidden_s`; `relayed` is their share. None: there were none.
    """

    line_s: float | None
    relayed_line_s: float | None
    hidden_s: float | None
    relayed: float


@dataclass(frozen=True)
class Side:
    """One deployment: its curves and stacks, means over seeds of the quantiles of each.

    `ttft_s` and `total_s` belong to `levels`; the SLA share counts unfinished ones as late. `runs`
    are the whole results, one of each seed.
    """

    scenario: str
    clients: int | None
    seeds: tuple[int, ...]
    levels: tuple[float, ...]
    ttft_s: tuple[float, ...]
    total_s: tuple[float, ...]
    stacks: dict[str, Stack]
    line: LineShare
    throughput_rps: float | None
    sla_ok_share: float | None
    cost: float
    cost_high: float | None
    runs: tuple[Result, ...] = ()

    def ttft_at(self, level: float) -> float:
        """A quantile of TTFT in s."""
        return float(np.interp(level, self.levels, self.ttft_s))


@dataclass(frozen=True)
class _Job:
    index: int
    scenario: Scenario
    seed: int


@dataclass(frozen=True)
class _Seen:
    ttft: Numbers
    total: Numbers
    stacks: dict[str, dict[str, float]]
    line: tuple[float | None, float | None, float | None, float]
    said: Result


def side_by_side(
    scenarios: Sequence[Scenario],
    seeds: Sequence[int] = (0,),
    basis: Basis = "equal clients",
    workers: int = 1,
    progress: Progress | None = None,
) -> list[Side]:
    """Run two to four deployments; the first is the one that the others are held against.

    RunError when their workloads or SLAs differ, or when a throughput cannot be reached.
    """
    same_requests(scenarios)
    if basis == "equal rate":
        scenarios = at_equal_rate(scenarios, seeds[0])
    jobs = [_Job(i, s, seed) for i, s in enumerate(scenarios) for seed in seeds]
    said: dict[tuple[int, int], _Seen] = {}
    for done, (job, seen) in enumerate(carried_out(_carry_out, jobs, workers), start=1):
        said[job.index, job.seed] = seen
        if progress is not None:
            progress(done, len(jobs))
    return [_side(s, seeds, [said[i, seed] for seed in seeds]) for i, s in enumerate(scenarios)]


def at_equal_rate(scenarios: Sequence[Scenario], seed: int = 0) -> list[Scenario]:
    """The deployments with so many clients that all have the throughput of the first one.

    A Poisson load has equal rates as it is. RunError when a deployment cannot keep up.
    """
    first = scenarios[0]
    if first.workload.arrivals != "sessions":
        return list(scenarios)
    wanted = _throughput(first, seed)
    return [first, *(_with_throughput(s, seed, wanted) for s in scenarios[1:])]


def _throughput(scenario: Scenario, seed: int) -> float:
    return run(scenario, seed, series=False).throughput_rps or 0.0


def _with_throughput(scenario: Scenario, seed: int, wanted: float) -> Scenario:
    """A search over clients by the secant through the last count and none (X = N / (Z + R))."""
    best, error = scenario, float("inf")
    clients = scenario.workload.clients
    for _ in range(MOST_STEPS):
        tried = with_setting(scenario, "workload.clients", clients)
        found = _throughput(tried, seed)
        off = found / wanted - 1 if wanted else 0.0
        if abs(off) < error:
            best, error = tried, abs(off)
        following = max(1, round(clients / (1 + off))) if off > -1 else clients + 1
        if abs(off) <= CLOSE or following == clients:
            break
        clients = following
    if error > 5 * CLOSE:
        remedy = f"cannot reach {wanted:.2f} requests/s, which {scenario.name} would have to: "
        raise RunError(Problem("equal rate", scenario.name, remedy + "compare at equal clients"))
    return best


def _carry_out(job: _Job) -> tuple[_Job, _Seen]:
    scenario = job.scenario
    sim = Simulation(scenario, seed=job.seed, total=scenario.run.requests)
    sim.advance_to_end()
    said = summarize(sim, series=False)
    rows = sim.recorder.arrived_between(said.window.from_s, said.window.to_s)
    if not len(rows):
        remedy = "no request finished in the measured window: make the run longer"
        raise RunError(Problem(scenario.name, "", remedy))
    ttft, total = (rows[:, REQUEST_COLUMNS.index(name)] for name in ("ttft", "total"))
    return job, _Seen(
        np.quantile(ttft, LEVELS), np.quantile(total, LEVELS), _stacks(rows, ttft), _line(rows),
        said,
    )  # fmt: skip


def _stacks(rows: Numbers, ttft: Numbers) -> dict[str, dict[str, float]]:
    order = np.argsort(ttft, kind="stable")
    found = {}
    for band, (low, high) in BANDS.items():
        at = order[int(low * len(order)) : max(int(high * len(order)), int(low * len(order)) + 1)]
        found[band] = {
            name: float(rows[at, REQUEST_COLUMNS.index(name)].mean()) for name in TOTAL_STAGES
        }
    return found


def _line(rows: Numbers) -> tuple[float | None, float | None, float | None, float]:
    landed, sent, transfer, pipeline = (
        rows[:, REQUEST_COLUMNS.index(name)]
        for name in ("landed_after", "nbytes", "transfer", "pipeline")
    )
    crossed = (landed >= 0) & (sent > 0)
    relayed = crossed & (pipeline == P_RLD_MD)
    if not crossed.any():
        return None, None, None, 0.0
    line = float(np.median(landed[crossed]))
    if not relayed.any():
        return line, None, None, 0.0
    hidden = np.maximum(landed[relayed] - transfer[relayed], 0.0)
    share = float(relayed.sum() / len(rows))
    return line, float(np.median(landed[relayed])), float(np.median(hidden)), share


def _side(scenario: Scenario, seeds: Sequence[int], seen: Sequence[_Seen]) -> Side:
    def grid(values: Sequence[Numbers]) -> tuple[float, ...]:
        return tuple(np.mean(values, axis=0).tolist())

    stacks = {
        band: Stack(band, {n: fmean(s.stacks[band][n] for s in seen) for n in TOTAL_STAGES})
        for band in BANDS
    }
    line, relayed_line, hidden = (mean_of([s.line[i] for s in seen]) for i in range(3))
    relayed = fmean(s.line[3] for s in seen)
    sessions = scenario.workload.arrivals == "sessions"
    runs = tuple(s.said for s in seen)
    return Side(
        scenario.name, scenario.workload.clients if sessions else None, tuple(seeds), LEVELS,
        grid([s.ttft for s in seen]), grid([s.total for s in seen]), stacks,
        LineShare(line, relayed_line, hidden, relayed),
        mean_of([one.throughput_rps for one in runs]), mean_of([one.sla_ok_share for one in runs]),
        cost_units(scenario), cost_units_high(scenario), runs,
    )  # fmt: skip
