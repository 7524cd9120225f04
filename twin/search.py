"""Capacity: the throughput at the load at which just the required share is served within the SLA.

The load (clients, or the rate of a Poisson stream) is bracketed from the scenario's own, and the
throughput is interpolated linearly at the required share. Random numbers are common to all loads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from .engine.run import run
from .result import Result
from .scenario import Scenario
from .scenario_file import with_setting
from .settings import setting_at

STEP = 1.08
"""Factor between loads tried while bracketing."""

CLOSE = 1.03
"""A bracket is close enough to interpolate when its ends differ by less than this factor."""

MOST_RUNS = 24


@dataclass(frozen=True)
class Capacity:
    """Throughput (requests/s) and load (clients or requests/s) at the required share.

    `rps` is None when even the smallest load misses the SLA, the largest tried still meets it, or
    a run is too short to measure anything; `why` says which. `runs` lists (load, share within SLA,
    throughput) in order of trial.
    """

    rps: float | None
    load: float | None
    share: float
    seed: int
    runs: tuple[tuple[float, float, float], ...]
    why: str = ""


Runner = Callable[[Scenario, int], Result]


def _run(scenario: Scenario, seed: int) -> Result:
    return run(scenario, seed, series=False)


def load_setting(scenario: Scenario) -> str:
    """The setting that stands for the load."""
    return "workload.clients" if scenario.workload.arrivals == "sessions" else "workload.rate_rps"


def capacity(scenario: Scenario, seed: int = 0, runner: Runner = _run) -> Capacity:
    """Capacity of a scenario on the requests of `seed`."""
    return _Search(scenario, seed, runner).find()


class _NothingMeasured(Exception):
    """A run of which no request counts: it is shorter than its warm-up."""


class _Search:
    def __init__(self, scenario: Scenario, seed: int, runner: Runner) -> None:
        self.scenario = scenario
        self.seed = seed
        self.runner = runner
        self.path = load_setting(scenario)
        self.whole = self.path == "workload.clients"
        self.most = setting_at(self.path).high or inf
        workload = scenario.workload
        self.start = float(workload.clients) if self.whole else workload.rate_rps
        self.tried: dict[float, tuple[float, float]] = {}

    def find(self) -> Capacity:
        try:
            return self._found(self.scenario.slo.share)
        except _NothingMeasured as error:
            asked = self.scenario.run.requests
            length = "a run" if asked is None else f"a run of {asked:,} requests"
            why = f"at a load of {error.args[0]:g} {length} ends in its warm-up: make it longer"
            return self._capacity(None, None, why)

    def _found(self, target: float) -> Capacity:
        low, high = self._bracket(target)
        if low is None or high is None:
            why = "even the least load misses the SLA" if low is None else "no load misses the SLA"
            return self._capacity(None, None, why)
        while high / low > CLOSE and len(self.tried) < MOST_RUNS:
            middle = self._load((low * high) ** 0.5)
            if middle in (low, high):
                break
            if self._share(middle) >= target:
                low = middle
            else:
                high = middle
        above, below = self.tried[low], self.tried[high]
        part = (above[0] - target) / (above[0] - below[0])
        rps = above[1] + part * (below[1] - above[1])
        return self._capacity(rps, low + part * (high - low), "")

    def _capacity(self, rps: float | None, load: float | None, why: str) -> Capacity:
        runs = tuple((load, *said) for load, said in self.tried.items())
        return Capacity(rps, load, self.scenario.slo.share, self.seed, runs, why)

    def _load(self, load: float) -> float:
        return float(max(1, round(load))) if self.whole else load

    def _next(self, load: float, factor: float) -> float:
        """The load that follows, a different one unless the setting ends here."""
        following = self._load(load * factor)
        if following == load and self.whole:
            following = load + 1 if factor > 1 else max(1.0, load - 1)
        return min(following, self.most)

    def _bracket(self, target: float) -> tuple[float | None, float | None]:
        """The greatest load tried that meets the target and the least that misses it."""
        load = self._load(self.start)
        meets = self._share(load) >= target
        step = STEP
        while len(self.tried) < MOST_RUNS:
            following = self._next(load, step if meets else 1 / step)
            if following == load:  # down to one client, or up to all there may be
                break
            if (self._share(following) >= target) != meets:
                return (load, following) if meets else (following, load)
            load, step = following, step * STEP
        return (load, None) if meets else (None, load)

    def _share(self, load: float) -> float:
        if load not in self.tried:
            value = int(load) if self.whole else load
            said = self.runner(with_setting(self.scenario, self.path, value), self.seed)
            if said.sla_ok_share is None and not said.saturated:
                raise _NothingMeasured(load)
            self.tried[load] = (said.sla_ok_share or 0.0, said.throughput_rps or 0.0)
        return self.tried[load][0]
