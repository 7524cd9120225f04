"""One request watched through a run: every moment at which something about it changes.

The simulation is only read: a watched run is the same run, event for event.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .journey import HANDOFF, MAIN, NOWHERE, RELAY, Journey
from .pools import DecodeInstance
from .simulation import Simulation

STEP_S = 20.0
"""Simulated seconds between two looks whether the watch is over."""

LONGEST_S = 3_600.0
"""How long a flow is followed after its request is done."""


class Moment(NamedTuple):
    """The request right after an event; times in s, `itl_s` 0 while it is not decoded.

    `progress` is tokens made, with the part of the one under way; `batch` the requests in its
    batch; `flows` those on the line while its KV is on it, and `rate` the bytes/s of each.
    """

    at_s: float
    stage: int
    progress: float
    itl_s: float
    batch: int
    on_line: bool
    flows: int
    rate: float
    sent: bool
    landed: bool
    main_held: bool
    relay_left: bool
    prefill_start: float


class Watch:
    """What was seen: `moments` in order, the request itself, and its last token (s)."""

    def __init__(self, sim: Simulation, number: int) -> None:
        self.sim = sim
        self.number = number
        self.moments: list[Moment] = []
        self.journey: Journey | None = None
        self.last_s: float | None = None
        self.line_left_s: float | None = None
        self.landed_s: float | None = None

    def run(self, until_s: float | None = None) -> None:
        """Go on until the request is done and its KV has landed, or to `until_s`, or to the end."""
        sim = self.sim
        before, told = sim.clock.handlers, sim.pipeline.finished
        sim.clock.handlers = tuple(self._followed(handler) for handler in before)
        sim.pipeline.finished = self._finished(told)
        try:
            while not self._over() and not sim.over:
                if until_s is not None and sim.now >= until_s:
                    return
                step = sim.now + STEP_S
                sim.advance(step if until_s is None else min(step, until_s))
        finally:
            sim.clock.handlers, sim.pipeline.finished = before, told

    def _over(self) -> bool:
        if self.last_s is None:
            return False
        flow = self.journey.flow if self.journey is not None else NOWHERE
        line = self.sim.pipeline.line
        crossing = line is not None and flow in line.flows
        return not crossing or self.sim.now > self.last_s + LONGEST_S

    def _followed(self, handler: Callable[[int], None]) -> Callable[[int], None]:
        def follow(integer: int) -> None:
            handler(integer)
            self._look()

        return follow

    def _finished(self, told: Callable[[Journey, float], None]) -> Callable[[Journey, float], None]:
        def finished(j: Journey, last: float) -> None:
            if j.number == self.number:
                self.journey, self.last_s = j, last
            told(j, last)

        return finished

    def _look(self) -> None:
        j = self.sim.pipeline.live.get(self.number)
        if j is not None:
            self.journey = j
            moment = self._moment(j)
            if not self.moments or moment[1:] != self.moments[-1][1:]:
                self.moments.append(moment)
        if self.journey is not None:
            self._look_at_line(self.journey)

    def _look_at_line(self, j: Journey) -> None:
        line = self.sim.pipeline.line
        if line is None or j.flow == NOWHERE or self.landed_s is not None:
            return
        flow, now = line.flows.get(j.flow), self.sim.now
        if flow is not None and not flow.on_line and self.line_left_s is None:
            self.line_left_s = now
        elif flow is None:
            self.landed_s = now
            self.line_left_s = now if self.line_left_s is None else self.line_left_s

    def _moment(self, j: Journey) -> Moment:
        p, now = self.sim.pipeline, self.sim.now
        instance = self._decoded_on(j)
        progress, itl, batch = float(j.made), 0.0, 0
        if instance is not None and instance.batch:
            itl, batch = instance.itl, instance.batch
            virtual = instance.virtual + ((now - instance.at) / itl if itl else 0.0)
            progress = j.made + virtual - j.virtual
        line = p.line
        flow = None if line is None else line.flows.get(j.flow)
        on_line = flow is not None and flow.on_line
        return Moment(
            now, j.stage, progress, itl, batch, on_line,
            line.alive if line is not None and on_line else 0,
            line.rate if line is not None and on_line else 0.0,
            j.flow != NOWHERE, j.landed >= 0, j.m_instance != NOWHERE, j.left >= 0,
            j.prefill_start,
        )  # fmt: skip

    def _decoded_on(self, j: Journey) -> DecodeInstance | None:
        """The instance whose batch makes its tokens now."""
        p = self.sim.pipeline
        if j.stage == MAIN and j.m_instance != NOWHERE:
            return p.main.instances[j.m_instance]
        if j.stage in (RELAY, HANDOFF) and p.relay is not None and j.r_instance != NOWHERE:
            return p.relay.instances[j.r_instance]
        return None
