"""A deployment on a clock: advance it, turn its settings, script its failures."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

from ..errors import Problem, RunError, TurnError, shown
from ..scenario import Scenario
from .arrivals import Load, make_load
from .clock import FIRST, LAST, Clock
from .deployment import SAMPLE, SCRIPT
from .failures import cut_line, lose_instance, restore_instance
from .journey import Journey
from .pipeline import Pipeline
from .recorder import Recorder
from .scaler import RelayScaler
from .turns import apply, check_prices, turned, value_at

SAMPLE_EVERY_S = 5.0
RAMP_STEPS = 600
"""Most steps of a scripted ramp; a step is a second where that suffices."""

STUCK_AFTER_S = 4 * 86_400.0
"""A run in which nothing arrives or finishes for so long (simulated s) is stuck."""

Progress = Callable[[float], None]
"""Called with the share of a run that is done, 0 to 1."""


class Simulation:
    """`Simulation(scenario, load, seed)`; times in simulated seconds.

    Without a `load` the workload of the scenario is drawn from `seed`: `total` requests, or without
    end (None). `keep_s` bounds what the recorder remembers (None: everything).
    """

    def __init__(
        self,
        scenario: Scenario,
        load: Load | None = None,
        seed: int = 0,
        total: int | None = None,
        keep_s: float | None = None,
    ) -> None:
        self.scenario = scenario
        self.seed = seed
        self.load: Load = load or make_load(scenario, seed, total)
        self.clock = Clock()
        self.recorder = Recorder(keep_s)
        self.scaler = RelayScaler()
        self.ramps: dict[int, float] = {}
        self.moved_s = 0.0
        self.pipeline = p = Pipeline(scenario, self.clock, self._finished, self.load.block_tokens)
        self.clock.handlers = (
            self.load.arrive, p.prefilled, p.rdma_done, p.line_timer, p.landed, p.relay_timer,
            p.relay_leaves, p.main_joins, p.main_timer, self._script, self._sample, p.piece,
        )  # fmt: skip
        for index, event in enumerate(scenario.events):
            self.clock.at(event.at_s, SCRIPT, index * (RAMP_STEPS + 1), FIRST)
        self.clock.at(0.0, SAMPLE, 0, LAST)
        self.load.begin(p)

    # --- time

    @property
    def now(self) -> float:
        """Simulated time in s."""
        return self.clock.now

    def advance(self, until: float) -> None:
        """Go on to simulated time `until` (s); standing there already is no error."""
        self.clock.advance(until)

    @property
    def over(self) -> bool:
        """All requests that will ever come are finished."""
        return self.load.exhausted() and not self.pipeline.live

    def advance_to_end(self, progress: Progress | None = None) -> None:
        """Go on until all requests are finished, or to the scenario's `duration_s`."""
        plan, step = self.scenario.run, 200.0
        if plan.duration_s is not None and self.load.generated:
            while self.now < plan.duration_s:
                self.advance(min(self.now + step, plan.duration_s))
                if progress is not None:
                    progress(self.now / plan.duration_s)
            return
        while not self.over:
            self._advance_or_fail(step)
            if progress is not None:
                progress(self.load.progress(self.pipeline.counts["finished"]))

    def _advance_or_fail(self, step: float) -> None:
        """A run whose requests can never finish (line cut for good, pool lost) must not hang."""
        counts = self.pipeline.counts
        before = counts["finished"] + counts["arrived"]
        self.advance(self.now + step)
        if before != counts["finished"] + counts["arrived"]:
            self.moved_s = self.now
        elif self.now - self.moved_s > STUCK_AFTER_S:
            raise RunError(
                Problem(
                    "run", f"{len(self.pipeline.live)} requests in flight at {self.now:.0f} s",
                    "nothing has moved for simulated days: bring the line or the instance back, "
                    "or end the run by duration_s",
                )
            )  # fmt: skip

    # --- turns and scripts

    def turn(self, path: str, value: Any) -> None:
        """Turn a live setting now; TurnError or ScenarioError leaves everything as it was."""
        after = turned(self.scenario, path, value)
        check_prices(self.scenario, after, path, value)
        self.become(after)

    def become(self, after: Scenario) -> None:
        """Go on as `after`, which differs from the present scenario in live settings only."""
        self.scenario = after
        apply(self.pipeline, after)
        self.load.adopt(after)

    def happen(self, what: str, pool: str | None = None, instance: int = 0) -> None:
        """Let a failure or repair happen now: line_cut, line_back, instance_lost, instance_back."""
        if what in ("line_cut", "line_back"):
            cut_line(self.pipeline, what == "line_cut")
        elif what == "instance_lost":
            lose_instance(self.pipeline, pool or "", instance)
        elif what == "instance_back":
            restore_instance(self.pipeline, pool or "", instance)
        else:
            raise RunError(Problem("what", what, "known are line_cut, line_back, instance_lost, "
                                   "instance_back"))  # fmt: skip

    def _script(self, integer: int) -> None:
        index, step = divmod(integer, RAMP_STEPS + 1)
        event = self.scenario.events[index]
        if event.what != "turn":
            self.happen(event.what, event.pool, event.instance)
        elif event.over_s <= 0:
            self.turn(event.setting or "", event.value)
        else:
            self._ramp(index, step)

    def _ramp(self, index: int, step: int) -> None:
        """One step of a ramp from the value at its start to the value asked."""
        event = self.scenario.events[index]
        path = event.setting or ""
        present = value_at(self.scenario, path)
        for value in (present, event.value):
            if isinstance(value, bool) or not isinstance(value, int | float):
                remedy = "a turn takes time only from a number to a number; leave over_s out"
                raise TurnError(Problem(f"events[{index}].over_s", shown(value), remedy))
        steps = min(RAMP_STEPS, max(1, ceil(event.over_s)))
        start = self.ramps.setdefault(index, float(present))
        value = start + (event.value - start) * step / steps if step < steps else event.value
        self.turn(path, round(value) if isinstance(present, int) else value)
        if step < steps:
            when = event.at_s + event.over_s * (step + 1) / steps
            self.clock.at(when, SCRIPT, index * (RAMP_STEPS + 1) + step + 1, FIRST)

    def script_state(self) -> list[tuple[int, float]]:
        """Where ramps under way began, as data."""
        return sorted(self.ramps.items())

    def restore_script(self, state: list[tuple[int, float]]) -> None:
        """Take back what `script_state` gave."""
        self.ramps = dict(state)

    # --- record

    def _finished(self, j: Journey, last: float) -> None:
        self.recorder.finished(j, last)
        self.load.finished(j, last)

    def _sample(self, integer: int) -> None:
        self.recorder.sample(self.pipeline)
        self.scaler.sample(self.pipeline)
        if not self.over:
            self.clock.at(self.clock.now + SAMPLE_EVERY_S, SAMPLE, 0, LAST)
