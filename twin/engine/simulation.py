"""A deployment on a clock: advance it, turn its settings, look at it, copy it, ask what it says."""

from __future__ import annotations

from ..scenario import Scenario
from .arrivals import Load, make_load
from .clock import LAST, Clock
from .deployment import SAMPLE
from .journey import Journey
from .pipeline import Pipeline
from .recorder import Recorder

SAMPLE_EVERY_S = 5.0


class Simulation:
    """`Simulation(scenario, load, seed)`; times in simulated seconds."""

    def __init__(
        self, scenario: Scenario, load: Load | None = None, seed: int = 0, keep_s: float | None = None
    ) -> None:
        self.scenario = scenario
        self.seed = seed
        self.load = load or make_load(scenario, seed, scenario.run.requests)
        self.clock = Clock()
        self.recorder = Recorder(keep_s)
        self.pipeline = p = Pipeline(scenario, self.clock, self._finished, self.load.block_tokens)
        self.clock.handlers = (
            self.load.arrive, p.prefilled, p.rdma_done, p.line_timer, p.landed, p.relay_timer,
            p.relay_leaves, p.main_joins, p.main_timer, self._script, self._sample,
        )  # fmt: skip
        self.load.begin(p)
        self.clock.at(0.0, SAMPLE, 0, LAST)

    def _finished(self, j: Journey, last: float) -> None:
        self.recorder.finished(j, last, self.pipeline.overhead_s)
        self.load.finished(j, last)

    def _script(self, integer: int) -> None:
        raise AssertionError

    def _sample(self, integer: int) -> None:
        self.recorder.sample(self.pipeline)
        if len(self.pipeline.live) or self.clock.next_time() is not None:
            self.clock.at(self.clock._now + SAMPLE_EVERY_S, SAMPLE, 0, LAST)

    def advance(self, until: float) -> None:
        """Go on to simulated time `until`."""
        self.clock.advance(until)
