"""The single pieces of work behind the claims, each of one seed; claims share them by a cache."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from ..claims import PUBLISHED_EDGES
from ..engine.run import run
from ..engine.streams import Streams
from ..result import Result
from ..scenario import Scenario
from ..search import Capacity, capacity
from .cases import scenario_of
from .microbench import by_ids, by_kv
from .swing import settled

Kind = Literal["run", "capacity", "settled", "by_kv", "by_ids", "drawn"]


@dataclass(frozen=True)
class Task:
    """One piece of work on a case and the draws of a seed."""

    kind: Kind
    case: str
    seed: int


class Answer(NamedTuple):
    """What was found, and the CPU seconds it took."""

    found: Any
    cpu_s: float


class Searched(NamedTuple):
    """A capacity, and the first run of its search: that of the scenario's own load."""

    capacity: Capacity
    first: Result


class Drawn(NamedTuple):
    """Hit rates of the requests that are drawn: mean, share above .95, share in each bucket."""

    mean: float
    above_95: float
    buckets: tuple[float, ...]


def carry_out(task: Task) -> tuple[Task, Answer]:
    """The task with its answer; a function of the task and the program version alone."""
    began = time.process_time()
    found = _WORK[task.kind](scenario_of(task.case), task.seed)
    return task, Answer(found, time.process_time() - began)


def _run(scenario: Scenario, seed: int) -> Result:
    return run(scenario, seed, series=False)


def _searched(scenario: Scenario, seed: int) -> Searched:
    runs: list[Result] = []

    def kept(tried: Scenario, seed: int) -> Result:
        runs.append(_run(tried, seed))
        return runs[-1]

    found = capacity(scenario, seed, kept)
    return Searched(found, runs[0])


def _drawn(scenario: Scenario, seed: int) -> Drawn:
    """The turns of a whole run, as the engine draws them."""
    clients, requests = scenario.workload.clients, scenario.run.requests or 0
    turns = -(-requests // clients)
    hits = np.array(Streams(scenario.workload, seed, clients, turns).block(0, 0).hit_share)
    buckets = np.histogram(hits, PUBLISHED_EDGES)[0] / len(hits)
    return Drawn(float(hits.mean()), float((hits > 0.95).mean()), tuple(buckets.tolist()))


_WORK = {
    "run": _run, "capacity": _searched, "settled": settled, "by_kv": by_kv, "by_ids": by_ids,
    "drawn": _drawn,
}  # fmt: skip


@dataclass
class Cache:
    """Answers by task. A search holds the run at the scenario's own load as well."""

    answers: dict[Task, Answer] = field(default_factory=dict)

    def known(self, task: Task) -> Answer | None:
        """The answer if it is there."""
        found = self.answers.get(task)
        if found is None and task.kind == "run":
            searched = self.answers.get(Task("capacity", task.case, task.seed))
            if searched is not None:
                return Answer(searched.found.first, searched.found.first.cpu_s or 0.0)
        return found

    def answer(self, task: Task) -> Answer:
        """The answer, worked out now if it is not there."""
        found = self.known(task)
        if found is None:
            found = self.answers[task] = carry_out(task)[1]
        return found

    def missing(self, tasks: Iterable[Task]) -> list[Task]:
        """What must be worked out to know all of these: each once, no run that a search makes."""
        wanted = dict.fromkeys(task for task in tasks if self.known(task) is None)
        return [
            task
            for task in wanted
            if not (task.kind == "run" and Task("capacity", task.case, task.seed) in wanted)
        ]


@dataclass(frozen=True)
class Found:
    """The answers that one claim is measured by, by kind and case, in the order of the seeds."""

    cache: Cache
    seeds: Sequence[int]

    def of(self, kind: Kind, case: str) -> list[Any]:
        """One answer for each seed."""
        return [self.cache.answer(Task(kind, case, seed)).found for seed in self.seeds]
