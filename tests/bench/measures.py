"""What is measured: the engine, comparisons, capacity, memory, and a running twin's own work."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from twin.compare import compare
from twin.engine.run import run
from twin.running import RunningTwin
from twin.scenario import Scenario
from twin.scenario_file import load, shipped_folder, with_setting
from twin.search import capacity

from . import scale
from .calibration import cpu_seconds

PUBLISHED = ("same_dc_88a", "cross_dc_plain", "pdd_43a_32b")
WARM_S = 7200.0


@dataclass(frozen=True)
class Measure:
    """One figure; `budget` is None where there is none, `better` tells which way it counts.

    `cpu_s` are the CPU seconds behind it for one unit of work, to be told in steps of the
    calibrating loop; None for sizes.
    """

    what: str
    value: float
    unit: str
    digits: int = 2
    budget: float | None = None
    better: Literal["more", "less"] = "less"
    cpu_s: float | None = None

    @property
    def kept(self) -> bool | None:
        """Whether the budget is kept; None without one."""
        if self.budget is None:
            return None
        return self.value >= self.budget if self.better == "more" else self.value <= self.budget


def shipped(name: str, requests: int | None = None) -> Scenario:
    """A shipped scenario, with another number of requests if one is given."""
    scenario = load(shipped_folder() / f"{name}.yaml")
    return scenario if requests is None else with_setting(scenario, "run.requests", requests)


def best(work: Callable[[], object], repeat: int) -> float:
    """Least CPU seconds of some trials."""
    return min(cpu_seconds(work) for _ in range(repeat))


def engine(name: str, requests: int | None, repeat: int, budget: float | None) -> Iterator[Measure]:
    """Requests per CPU second and events per request, recorder on, no viewer."""
    scenario = shipped(name, requests)
    results = [run(scenario, seed=0) for _ in range(repeat)]
    cpu_s = min(result.cpu_s or 0.0 for result in results)
    done, events = results[0].requests.finished, results[0].events
    what = f"engine on {name}"
    yield Measure(what, done / cpu_s, "requests/CPU s", 0, budget, "more", cpu_s=cpu_s / done)
    yield Measure(f"{what}: events", events / done, "per request", 2, 10.0)


def comparison(requests: int | None, repeat: int) -> Iterator[Measure]:
    """Three deployments on the same requests, without capacity."""
    scenarios = [shipped(name, requests) for name in PUBLISHED]
    cpu_s = best(lambda: compare(scenarios, with_capacity=False), repeat)
    yield Measure("comparison of three deployments", cpu_s, "CPU s", 2, 4.0, cpu_s=cpu_s)


def capacities(requests: int | None) -> Iterator[Measure]:
    """Capacity of each published deployment, on one seed."""
    for name in PUBLISHED:
        scenario = shipped(name, requests)
        cpu_s = cpu_seconds(lambda scenario=scenario: capacity(scenario))
        yield Measure(f"capacity of {name}", cpu_s, "CPU s", 2, 8.0, cpu_s=cpu_s)


def scales(numbers: Sequence[int]) -> Iterator[Measure]:
    """Memory and time of longer and longer runs; a budget stands for a million requests."""
    found = [scale.measured(number) for number in numbers]
    for one in found:
        million = one.requests >= 1_000_000
        what = f"{one.requests:,} requests"
        mib = one.peak_bytes / 2**20
        yield Measure(f"{what}: memory at most", mib, "MiB", 0, 1024.0 if million else None)
        yield Measure(f"{what}: time", one.cpu_s, "CPU s", cpu_s=one.cpu_s)
    if len(found) > 1:
        first, last = found[0], found[-1]
        held = (last.peak_bytes - first.peak_bytes) / (last.requests - first.requests)
        yield Measure("held for each further request", held, "bytes", 0, 600.0)


def running_twin(warm_s: float, repeat: int) -> Iterator[Measure]:
    """What a running twin and its baseline do beside simulating: copies, frames, forecasts."""
    twin = RunningTwin(shipped("pdd_43a_32b"), shipped("same_dc_88a"))
    twin.advance(warm_s)
    packed, memory = twin.checkpoint(), twin.memory()

    def forecast() -> None:
        copy = RunningTwin.at(packed)
        copy.remember(memory)
        copy.forecast()

    work: tuple[tuple[str, Callable[[], object]], ...] = (
        ("checkpoint", twin.checkpoint),
        ("restore", lambda: RunningTwin.at(packed)),
        ("forecast of ten minutes, from a checkpoint", forecast),
        ("frame", twin.frame),
        ("tiles", twin.tiles),
        ("state digest", twin.digest),
    )
    for what, doing in work:
        cpu_s = best(doing, repeat)
        yield Measure(f"twin: {what}", 1e3 * cpu_s, "CPU ms", cpu_s=cpu_s)
    yield Measure("twin: size of a checkpoint", len(packed) / 1e3, "KB", 1)
    frame = json.dumps(twin.frame(), separators=(",", ":"))
    yield Measure("twin: size of a frame", len(frame) / 1e3, "KB", 1)
