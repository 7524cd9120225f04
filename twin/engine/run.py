"""One run of a scenario from start to end."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..result import Result
from ..scenario import Scenario
from .arrivals import Load
from .simulation import Progress, Simulation
from .summary import summarize

CpuClock = Callable[[], float]


def run(
    scenario: Scenario,
    seed: int = 0,
    load: Load | None = None,
    progress: Progress | None = None,
    series: bool = True,
    cpu_clock: CpuClock = time.process_time,
) -> Result:
    """Run `scenario` on its own drawn requests, or on those of `load`, and say what it showed.

    RunError when requests can never finish. The CPU clock only fills `cpu_s`.
    """
    began = cpu_clock()
    total = scenario.run.requests
    sim = Simulation(scenario, load, seed=seed, total=total)
    sim.advance_to_end(progress)
    return summarize(sim, cpu_s=cpu_clock() - began, series=series)
