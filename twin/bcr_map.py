"""BCR over the line's bandwidth and the mean hit rate: each cell is a search on runs of the engine.

Cells come coarse first: corners and middle lines, then what lies between, so that a picture stands
early. Every cell is on the same seeds; few requests make a quick and somewhat noisy map.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from .economics import bcr, cost_units
from .errors import Problem, RunError, shown
from .parallel import carried_out
from .scenario import Scenario
from .scenario_file import with_settings
from .search import Capacity, capacity
from .workload.hit_shares import mean_hit, shares_with_mean

REQUESTS = 4_000
"""Requests of a run; at one seed BCR of a cell then has a deviation of about a tenth."""

BANDWIDTHS_GBPS = (2.5, 5.0, 7.5, 10.0, 15.0, 25.0, 50.0)
MEAN_HITS = (0.70, 0.75, 0.80, 0.85, 0.90, 0.93, 0.96)


@dataclass(frozen=True)
class MapPlan:
    """The grid, how exactly each cell is found, and what more bandwidth costs.

    The line costs what the scenario says, plus `line_price_per_gbps` (chips A) for each Gbps above
    the bandwidth of the scenario, or minus that below; never less than nothing.
    """

    bandwidths_gbps: tuple[float, ...] = BANDWIDTHS_GBPS
    mean_hits: tuple[float, ...] = MEAN_HITS
    requests: int = REQUESTS
    seeds: tuple[int, ...] = (0,)
    line_price_per_gbps: float = 0.0

    def __post_init__(self) -> None:
        for name in ("bandwidths_gbps", "mean_hits"):
            values = getattr(self, name)
            if not values or list(values) != sorted(set(values)):
                raise RunError(Problem(name, shown(values), "give rising values, at least one"))
        if not self.seeds:
            raise RunError(Problem("seeds", "none", "give at least one"))


@dataclass(frozen=True)
class Cell:
    """One cell: its place on the grid, capacities in requests/s, cost in chips A, and BCR.

    What no load could tell is None, with the reason in `why`. `level` 0 is the coarsest.
    """

    row: int
    column: int
    bandwidth_gbps: float
    mean_hit: float
    level: int
    capacity_rps: float | None
    baseline_rps: float | None
    cost: float
    bcr: float | None
    why: str


@dataclass(frozen=True)
class Told:
    """A step of the job: the cell that is done, and cells done and in all."""

    cell: Cell
    done: int
    of: int


@dataclass(frozen=True)
class BcrMap:
    """All cells; rows are mean hit rates, columns bandwidths. None: not known (yet)."""

    bandwidths_gbps: tuple[float, ...]
    mean_hits: tuple[float, ...]
    bcr: tuple[tuple[float | None, ...], ...]
    present_gbps: float | None
    present_hit: float
    line: tuple[tuple[float, float], ...] = field(default=())

    @property
    def complete(self) -> bool:
        """Whether every cell has a value."""
        return all(value is not None for row in self.bcr for value in row)


def bcr_cells(
    scenario: Scenario, baseline: Scenario, plan: MapPlan | None = None, workers: int = 1
) -> Iterator[Told]:
    """The cells one by one, coarse to fine; closing the generator ends the work.

    RunError when the scenario has no line to turn, or a mean hit rate cannot be.
    """
    plan = plan or MapPlan()
    if scenario.line is None:
        raise RunError(
            Problem("line", "absent", "a map over bandwidth needs a deployment with one")
        )
    shares = [shares_with_mean(scenario.workload, hit) for hit in plan.mean_hits]
    return _cells(_Map(scenario, baseline, plan, shares), workers)


@dataclass(frozen=True)
class _Map:
    scenario: Scenario
    baseline: Scenario
    plan: MapPlan
    shares: list[tuple[float, ...]]

    def at(self, row: int, column: int) -> Scenario:
        changes = {"line.bandwidth_gbps": self.plan.bandwidths_gbps[column]}
        return with_settings(self.scenario, self._load(row) | changes)

    def base(self, row: int) -> Scenario:
        workload = self.scenario.workload
        return with_settings(
            self.baseline.model_copy(update={"workload": workload, "slo": self.scenario.slo}),
            self._load(row),
        )

    def _load(self, row: int) -> dict[str, object]:
        run = {"run.requests": self.plan.requests, "run.duration_s": None}
        return {"workload.hit_shares": self.shares[row], **run}

    def cost(self, column: int) -> float:
        line = self.scenario.line
        prices = self.scenario.prices
        present = None if line is None else line.bandwidth_gbps
        more = 0.0
        if present is not None:
            more = self.plan.line_price_per_gbps * (self.plan.bandwidths_gbps[column] - present)
        return cost_units(self.scenario) + max(more, -prices.line)


@dataclass(frozen=True)
class _Job:
    """A capacity of one row: of a cell, or (column None) of the baseline."""

    row: int
    column: int | None
    seed: int
    scenario: Scenario


def _search(job: _Job) -> tuple[_Job, Capacity]:
    return job, capacity(job.scenario, job.seed)


def levels(rows: int, columns: int) -> list[list[tuple[int, int]]]:
    """The cells of a grid by level: ends and middle of both sides first, then halves again."""
    steps = [_order(rows), _order(columns)]
    deepest = max(max(steps[0]), max(steps[1]))
    return [
        [
            (r, c)
            for r in range(rows)
            for c in range(columns)
            if max(steps[0][r], steps[1][c]) == level
        ]
        for level in range(deepest + 1)
    ]


def _order(count: int) -> list[int]:
    """The level at which each of `count` places is first looked at."""
    level = [-1] * count
    level[0] = level[-1] = 0
    spans, at = [(0, count - 1)], 0
    while any(known < 0 for known in level):
        following = []
        for low, high in spans:
            middle = (low + high) // 2
            if high - low > 1:
                level[middle] = at
                following += [(low, middle), (middle, high)]
        spans, at = following, at + 1
    return level


def _cells(grid: _Map, workers: int) -> Iterator[Told]:
    plan = grid.plan
    of = len(plan.mean_hits) * len(plan.bandwidths_gbps)
    base: dict[tuple[int, int], Capacity] = {}
    done = 0
    for level, places in enumerate(levels(len(plan.mean_hits), len(plan.bandwidths_gbps))):
        mine: dict[tuple[int, int], list[Capacity]] = {place: [] for place in places}
        for job, found in carried_out(_search, _jobs(grid, places, base), workers):
            if job.column is None:
                base[job.row, job.seed] = found
            else:
                mine[job.row, job.column].append(found)
            for place in [p for p in mine if _ready(p, mine[p], base, plan.seeds)]:
                done += 1
                yield Told(_cell(grid, place, level, mine.pop(place), base), done, of)


def _jobs(
    grid: _Map, places: Sequence[tuple[int, int]], base: dict[tuple[int, int], Capacity]
) -> list[_Job]:
    """Searches of a level, row by row, the baseline of a row before its cells."""
    jobs = []
    for row in dict.fromkeys(row for row, _ in places):
        columns = [column for r, column in places if r == row]
        for seed in grid.plan.seeds:
            if (row, seed) not in base:
                jobs.append(_Job(row, None, seed, grid.base(row)))
            jobs += [_Job(row, column, seed, grid.at(row, column)) for column in columns]
    return jobs


def _ready(
    place: tuple[int, int],
    found: list[Capacity],
    base: dict[tuple[int, int], Capacity],
    seeds: tuple[int, ...],
) -> bool:
    return len(found) == len(seeds) and all((place[0], seed) in base for seed in seeds)


def _cell(
    grid: _Map,
    place: tuple[int, int],
    level: int,
    found: list[Capacity],
    base: dict[tuple[int, int], Capacity],
) -> Cell:
    row, column = place
    below = [base[row, seed] for seed in grid.plan.seeds]
    mine, theirs = _mean(found), _mean(below)
    cost = grid.cost(column)
    reasons = [c.why for c in found if c.why] + [f"baseline: {c.why}" for c in below if c.why]
    return Cell(
        row, column, grid.plan.bandwidths_gbps[column], grid.plan.mean_hits[row], level,
        mine, theirs, cost, bcr(mine, cost, theirs, cost_units(grid.baseline)),
        "; ".join(dict.fromkeys(reasons)),
    )  # fmt: skip


def _mean(found: Sequence[Capacity]) -> float | None:
    """The mean over seeds, in the order of seeds whatever came first; None if one is unknown."""
    ordered = sorted(found, key=lambda capacity: capacity.seed)
    known = [c.rps for c in ordered if c.rps is not None]
    return fmean(known) if len(known) == len(found) else None


def as_map(
    scenario: Scenario, cells: Sequence[Cell], plan: MapPlan | None = None, level: float = 1.0
) -> BcrMap:
    """The cells so far as a map, with the line on which BCR is `level` and where one stands now."""
    plan = plan or MapPlan()
    table: list[list[float | None]] = [[None] * len(plan.bandwidths_gbps) for _ in plan.mean_hits]
    for cell in cells:
        table[cell.row][cell.column] = cell.bcr
    line = scenario.line
    return BcrMap(
        plan.bandwidths_gbps, plan.mean_hits, tuple(map(tuple, table)),
        None if line is None else line.bandwidth_gbps, mean_hit(scenario.workload),
        tuple(_crossings(plan, table, level)),
    )  # fmt: skip


def _crossings(
    plan: MapPlan, table: Sequence[Sequence[float | None]], level: float
) -> Iterator[tuple[float, float]]:
    """Points (Gbps, mean hit) between neighbouring cells at which BCR passes `level`."""
    gbps, hits = plan.bandwidths_gbps, plan.mean_hits
    for r, row in enumerate(table):
        for c, value in enumerate(row):
            right = row[c + 1] if c + 1 < len(row) else None
            above = table[r + 1][c] if r + 1 < len(table) else None
            for other, end in ((right, (c + 1, r)), (above, (c, r + 1))):
                if value is not None and other is not None and (value < level) != (other < level):
                    part = (level - value) / (other - value)
                    yield (
                        gbps[c] + part * (gbps[end[0]] - gbps[c]),
                        hits[r] + part * (hits[end[1]] - hits[r]),
                    )
