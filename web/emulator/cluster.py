"""The cluster in process: a running engine paced by a clock, and the page of each of its targets.

`Cluster(scenario, seed, clock).page(role, instance)` needs no socket; with a clock of its own a
test lives in simulated time.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from twin.engine.observer import Observer
from twin.engine.pools import DRAINING, LOST, DecodeInstance
from twin.running import Entry, RunningTwin, What
from twin.scenario import Scenario

from .counting import Counting
from .engine_page import CONTENT_TYPE as ENGINE_TYPE
from .engine_page import engine_page
from .line_page import CONTENT_TYPE as LINE_TYPE
from .line_page import line_page
from .targets import ENGINES, FRONTEND, LINE, Target, check_known, targets_of
from .troubles import Troubles
from .user_page import CONTENT_TYPE as USER_TYPE
from .user_page import user_page
from .warming import WARM_S, warmed

Clock = Callable[[], float]
"""Unix time in s; it may be a test's own."""


class PageDown(Exception):
    """The target does not answer now."""


class Cluster:
    """`clock` gives Unix seconds; `pace` simulated seconds pass in each of them.

    `checkpoint` (as `warmed` gives it) takes the place of `scenario`, `seed` and `warm_s`.
    """

    def __init__(
        self, scenario: Scenario, seed: int, clock: Clock, *, warm_s: float = WARM_S,
        pace: float = 1.0, frontend: bool = True, checkpoint: bytes | None = None,
    ) -> None:  # fmt: skip
        self.clock = clock
        self.pace = pace
        self.has_frontend = frontend
        self.seed = seed
        packed = warmed(scenario, seed, warm_s) if checkpoint is None else checkpoint
        self.twin = RunningTwin.at(packed)
        self.sim = self.twin.sim
        self.counting = Counting(self.sim)
        self.observer = Observer(self.sim, self.counting)
        self.troubles = Troubles()
        self.began = (clock(), self.sim.now)
        self.agenda: list[tuple[float, int, What, str, int]] = []
        self.sent_before = self._sent()

    # --- time

    def simulated(self, unix_s: float) -> float:
        """Simulated time at a time of the clock."""
        unix, simulated = self.began
        return simulated + (unix_s - unix) * self.pace

    def unix(self, simulated_s: float) -> float:
        """Time of the clock at a simulated time."""
        unix, simulated = self.began
        return unix + (simulated_s - simulated) / self.pace

    def advance_to(self, unix_s: float) -> None:
        """Bring the cluster to a time of the clock; it never goes back."""
        until = self.simulated(unix_s)
        while self.agenda and self.agenda[0][0] <= until:
            at_s, _, what, pool, index = heappop(self.agenda)
            self._advance(at_s)
            if self._state(pool, index) == LOST:
                self.twin.happen(what, pool, index)
                self.observer.look()
        self._advance(until)

    def _advance(self, until: float) -> None:
        if until > self.sim.now:
            self.twin.advance(until)
        self.counting.settle(self.sim.now)

    def _now(self) -> float:
        now = self.clock()
        self.advance_to(now)
        self.observer.flush()
        return now

    # --- pages

    def targets(self) -> list[Target]:
        """Every page there is, those that are down included."""
        pools = self.sim.pipeline.pools()
        counts = {name: len(pool.instances) for name, pool in pools.items() if pool is not None}
        return targets_of(self.sim.scenario, self.has_frontend, counts)

    def page(self, role: str, instance: int = 0) -> str:
        """The page of a target as it is now; PageDown when it does not answer."""
        now = self._now()
        check_known(self.targets(), role, instance)
        if self.troubles.misses(role, instance, now):
            raise PageDown(f"{role} {instance}")
        if role == FRONTEND:
            return user_page(self.counting)
        if role == LINE:
            return line_page(self.sim.pipeline, self.sent_before)
        if not self._there(role, instance):
            self.counting.forget(role, instance)
            raise PageDown(f"{role} {instance}")
        seats = self.observer.seats.get(role)
        members = seats[instance].members if seats and instance < len(seats) else {}
        started = self.unix(self.counting.engine(role, instance).started_s)
        names = self.troubles.names_of(role, instance)
        return engine_page(self.counting, members, role, instance, started, names)

    def content_type(self, role: str) -> str:
        """The content type that the real program answers with."""
        return {FRONTEND: USER_TYPE, LINE: LINE_TYPE}.get(role, ENGINE_TYPE)

    def _state(self, role: str, index: int) -> int:
        pool = self.sim.pipeline.pools()[role]
        assert pool is not None
        return pool.instances[index].state

    def _there(self, role: str, index: int) -> bool:
        """Whether the process of an instance runs: a drained one ends when it holds nothing."""
        pool = self.sim.pipeline.pools()[role]
        assert pool is not None
        one = pool.instances[index]
        if one.state != DRAINING:
            return one.state != LOST
        busy = one.used if isinstance(one, DecodeInstance) else one.free_s > self.sim.now
        return bool(busy)

    # --- what is done to it

    def turn(self, setting: str, value: Any) -> Entry:
        """Turn a live setting now, unseen but by its effects; TurnError or ScenarioError."""
        self._now()
        entry = self.twin.turn(setting, value)
        self.observer.look()
        return entry

    def fail(self, what: What, pool: str | None = None, instance: int = 0) -> None:
        """Let a failure or repair of the engine happen now (`RunningTwin.happen`)."""
        self._now()
        self.twin.happen(what, pool, instance)
        self.observer.look()

    def restart(self, role: str, instance: int = 0, for_s: float = 10.0) -> None:
        """Stop the process of a target, and start it again after `for_s` of the clock.

        Requests on an engine go elsewhere as when it is lost. Its counters begin at 0.
        """
        now = self._now()
        check_known(self.targets(), role, instance)
        if role in ENGINES:
            if self._state(role, instance) != LOST:
                self.fail("instance_lost", role, instance)
            back = self.simulated(now + for_s)
            heappush(self.agenda, (back, len(self.agenda), "instance_back", role, instance))
            return
        self.troubles.miss(role, instance, now + for_s)
        self.reset(role, instance)

    def reset(self, role: str, instance: int = 0) -> None:
        """Let the counters of a target begin at 0 while it works on."""
        self._now()
        check_known(self.targets(), role, instance)
        if role == FRONTEND:
            self.counting.new_frontend()
        elif role == LINE:
            self.sent_before = self._sent()
        else:
            if role in self.observer.seats:
                self.observer.recount(role, instance)
            self.counting.reset(role, instance)

    def miss(self, role: str | None = None, instance: int | None = None, for_s: float = 10) -> None:
        """Let scrapes of these targets (None: of all) fail for `for_s` of the clock."""
        now = self._now()
        for target in self._matching(role, instance):
            self.troubles.miss(target.role, target.instance, now + for_s)

    def rename(self, version: str, role: str | None = None, instance: int | None = None) -> None:
        """Let these engines (None: all) print the names of another version of vLLM."""
        chosen = [t for t in self._matching(role, instance) if t.role in ENGINES]
        self.troubles.rename(version, [(t.role, t.instance) for t in chosen])

    def _matching(self, role: str | None, instance: int | None) -> list[Target]:
        if role is not None:
            check_known(self.targets(), role, instance or 0)
        return [
            t for t in self.targets() if role in (None, t.role) and instance in (None, t.instance)
        ]

    def _sent(self) -> float:
        line = self.sim.pipeline.line
        return 0.0 if line is None else line.totals(self.sim.now)[0]
