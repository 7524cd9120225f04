"""From what the engine tells to what each page counts; docs/emulator.md says it in words."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count

from twin.engine.journey import DONE, NEVER, NOWHERE, Journey
from twin.engine.observer import MD, RLD
from twin.engine.pools import UP
from twin.engine.simulation import Simulation
from twin.policy import P_D, PB_MD

from .engine_counts import EngineCounts, Stay
from .families import FRONTEND, bounds
from .gauges import streamed
from .histogram import Counters

Place = tuple[str, int]
"""Pool by its setting name, and number of the instance in it."""


class Counting:
    """Listens to a simulation; `engines` by place, `frontend` for what users see.

    A first token is known when its request joins a batch and counts when it is due: `settle`.
    """

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        self.engines: dict[Place, EngineCounts] = {}
        self.order = count()
        self.due: list[tuple[float, int, Journey, EngineCounts | None]] = []
        self.new_frontend()
        for pool, found in sim.pipeline.pools().items():
            for index in range(len(found.instances) if found is not None else 0):
                self.engine(pool, index)

    def new_frontend(self) -> None:
        """The frontend starts: what is in the house counts as come, what was streamed does not."""
        self.frontend = Counters(bounds(FRONTEND))
        self.frontend.add("requests_started", len(self.sim.pipeline.live))
        self.streamed_before = streamed(self.sim.pipeline)
        self.shown_tokens = 0.0

    def engine(self, pool: str, index: int) -> EngineCounts:
        """Counters of an instance, new ones when it had none."""
        found = self.engines.get((pool, index))
        if found is None:
            found = self.engines[pool, index] = EngineCounts(self.sim.now)
        return found

    def reset(self, pool: str, index: int) -> None:
        """Counters of an instance start anew while it works on."""
        before = self.engine(pool, index)
        after = self.engines[pool, index] = EngineCounts(self.sim.now)
        after.stays, after.owed = before.stays, before.owed

    def forget(self, pool: str, index: int) -> None:
        """The process of an instance is gone, and its counters with it."""
        self.engines.pop((pool, index), None)

    def _at(self, pool: str, j: Journey | None, index: int) -> EngineCounts:
        """The instance that serves `j`; before it has one, the one that its number falls on."""
        if index != NOWHERE:
            return self.engine(pool, index)
        return self.engine(pool, self.home(pool, j.number if j is not None else 0))

    def home(self, pool: str, number: int) -> int:
        """The instance that stands for a request which has none yet."""
        found = self.sim.pipeline.pools()[pool]
        up = [i for i, one in enumerate(found.instances) if one.state == UP] if found else []
        return up[number % len(up)] if up else 0

    # --- what the engine tells

    def arrived(self, j: Journey) -> None:
        self.frontend.add("requests_started", 1)

    def prefilled(self, pool: str, j: Journey) -> None:
        new, cached = j.prompt - j.hit, j.hit
        if j.redone:  # only the tokens made so far are computed anew
            new, cached = float(max(j.made, 1)), j.prompt
        self.engine(pool, j.p_instance).prefill_done(j, new, cached)

    def kv_came(
        self, pool: str, j: Journey | None, held: float, nbytes: float, seconds: float
    ) -> None:
        prompt = held + nbytes / max(self.sim.pipeline.kv_per_token, 1.0)
        over = j is None or j.stage == DONE
        index = NOWHERE
        if j is not None:
            prompt = j.prompt
            if not over:
                index = j.r_instance if pool == RLD else j.m_instance
        engine = self._at(pool, j, index)
        engine.transfer(nbytes, seconds)
        engine.prompt(0.0, held, prompt - held)
        if over:
            engine.never_joined()

    def joined(self, pool: str, index: int, j: Journey) -> None:
        now, p = self.sim.now, self.sim.pipeline
        engine = self.engine(pool, index)
        found = p.main if pool == MD else p.relay
        assert found is not None
        itl = found.instances[index].itl
        handed = j.made if pool == MD else 0
        held = j.md_hit if pool == MD and j.pipeline not in (P_D, PB_MD) else 0.0
        if handed:
            engine.prompt(float(handed), 0.0, 0.0)
        stay = Stay(
            now, now + (1.0 + j.u_first) * itl, j.prefill_end, j.prompt + handed,
            j.prompt + handed - held,
        )  # fmt: skip
        engine.joined(j, stay)
        self._later(stay.first_s, j, engine)
        if handed and j.left != NEVER:  # the token after the handoff waited for it
            self.frontend.observe("inter_token_latency_seconds", now - j.left + itl)
        elif j.first > now:
            self._later(j.first, j, None)

    def _later(self, at_s: float, j: Journey, engine: EngineCounts | None) -> None:
        heappush(self.due, (at_s, next(self.order), j, engine))

    def decoded(self, pool: str, index: int, batch: int, each: float, itl_s: float) -> None:
        steps = self.sim.scenario.model.tokens_per_step
        seen = self.engine(pool, index).decoded(batch, each, itl_s, steps)
        if seen > 0:
            self.frontend.observe("inter_token_latency_seconds", itl_s, seen)

    def left(self, pool: str, index: int, j: Journey, made: int, virtual: float) -> None:
        self.settle(self.sim.now)
        why = "stop" if j.stage == DONE else "abort"
        self.engine(pool, index).left(j, made, virtual, self.sim.now, why)

    def lost(self, pool: str, index: int) -> None:
        self.forget(pool, index)

    def came_back(self, pool: str, index: int) -> None:
        self.engine(pool, index)

    def finished(self, j: Journey, last: float) -> None:
        self.settle(last)
        seen = self.frontend
        seen.add("requests", 1)
        seen.add("output_tokens", j.out)
        seen.observe("request_duration_seconds", last - j.arrival)
        seen.observe("output_sequence_tokens", j.out)
        seen.observe("cached_tokens", j.hit)

    # --- what is due

    def settle(self, now: float) -> None:
        """Count the first tokens that are out by `now`."""
        while self.due and self.due[0][0] <= now:
            at_s, _, j, engine = heappop(self.due)
            if engine is None:
                if j.first == at_s:
                    self.frontend.observe("time_to_first_token_seconds", at_s - j.arrival)
                    self.frontend.observe("input_sequence_tokens", j.prompt)
            elif (stay := engine.stays.get(j.number)) is not None and stay.first_s == at_s:
                engine.first_token(stay)
