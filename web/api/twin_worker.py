"""A worker process that runs one twin: paces it, shows it, carries out what is asked of it.

It keeps nothing: entries, checkpoints and times go to the server, which can make the same twin
again in another process. What it cannot explain ends it, so that a twin never goes on half turned.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from twin.errors import TwinError
from twin.running import CHECKPOINT_EVERY_S, Entry, RunningTwin
from twin.scenario import Scenario

from .looks import Looks
from .orders import Order, carry_out
from .pacing import Pacer, Stride
from .wire import Ended, Wire

FRAME_EVERY_S = 0.1
BEAT_EVERY_S = 1.0
"""Without viewers only the time is told, this often (wall s)."""

BUSY_S = 0.05
"""At most so long (wall s) is advanced at once before the worker listens again."""

QUIET_S = 1.0
"""After a turn a checkpoint is taken once nothing has been turned for so long, and at once when
the last one is older than that: in a drag there is one a second (wall s)."""

MEMORY_EVERY_S = 1.0
MOST_MEMORY_BYTES = 2**24
"""What the twin remembers goes along with a checkpoint, for the case that this worker dies; not
more often than this (wall s), and not when it is larger."""

MOST_IN_FLIGHT = 20_000
"""A twin with more requests in flight stands still until it is turned: it would fill the memory."""


@dataclass(frozen=True)
class Made:
    """What a twin is made of: either a scenario to begin with, or a state to go on from."""

    name: str
    pace: float
    paused: bool
    viewers: int = 0
    scenario: dict[str, Any] | None = None
    baseline: dict[str, Any] | None = None
    seed: int = 0
    checkpoint: bytes | None = None
    memory: bytes | None = None
    log: Sequence[dict[str, Any]] = ()
    until: float | None = None


def make(made: Made) -> RunningTwin:
    """The twin that is described, at `until` when it goes on from a state; or TwinError."""
    if made.checkpoint is None:
        baseline = None if made.baseline is None else Scenario.model_validate(made.baseline)
        return RunningTwin(Scenario.model_validate(made.scenario), baseline, made.seed)
    log = [Entry.model_validate(entry) for entry in made.log]
    if made.memory is None:
        return RunningTwin.at(made.checkpoint, log, made.until)
    twin = RunningTwin.at(made.checkpoint)
    twin.remember(pickle.loads(made.memory))
    for entry in log:
        twin.advance(entry.at_s)
        twin.do(entry)
    twin.advance(max(twin.now, made.until or 0.0))
    return twin


class TwinWorker:
    """Runs the twin that it is told to make; `clock` gives wall seconds that only grow."""

    def __init__(self, wire: Wire, clock: Callable[[], float] = time.monotonic) -> None:
        self.wire = wire
        self.clock = clock
        self.viewers = 0
        self.beat_due = clock()
        self.checkpoint_due: float | None = None
        self.checkpoint_at = float("-inf")
        self.memory_at = float("-inf")
        self.most_in_flight = MOST_IN_FLIGHT
        self.doing: dict[str, Callable[..., Any]] = {
            "make": self._make, "orders": self._orders, "pace": self._pace,
            "viewers": self._viewers, "whole": self._whole, "frame": self._frame,
            "state": self._state, "digest": self._digest, "advance": self._advance,
            "courses": self._courses, "scenario": self._scenario,
        }  # fmt: skip

    def run(self) -> None:
        """Work until the server is gone or says so."""
        while True:
            now = self.clock()
            if hasattr(self, "twin") and now >= self.beat_due:
                self._tick(now)
            wait = max(0.0, self.beat_due - self.clock()) if hasattr(self, "twin") else None
            message = self.wire.receive(wait)
            if message is not None:
                self._answer(*message)

    def _answer(self, what: str, ask: int, *args: Any) -> None:
        """Every question gets one answer: what was said, or why not."""
        try:
            said = self.doing[what](*args)
        except TwinError as error:
            problems = [(p.place, p.found, p.remedy) for p in error.problems]
            self.wire.send(("refused", ask, type(error).__name__, problems))
            return
        self.wire.send(("said", ask, said))
        if what == "orders":
            self._turned()
        elif what in ("whole", "pace", "make", "advance"):
            self._show(with_tiles=True)

    # --- what is asked

    def _make(self, made: Made) -> dict[str, Any]:
        if made.checkpoint is None:
            self._begin(make(made), made)
            self._send_checkpoint()
            self._advance(made.until or 0.0)
        else:
            self._begin(make(made), made)
        return self._standing()

    def _begin(self, twin: RunningTwin, made: Made) -> None:
        self.twin = twin
        self.viewers = made.viewers
        self.looks = Looks(made.name, twin)
        self.stride = Stride()
        self.pacer = Pacer(made.pace, made.paused, twin.now, self.clock())
        self.checkpoint_s = (twin.now // CHECKPOINT_EVERY_S + 1) * CHECKPOINT_EVERY_S
        # one that goes on from a state soon gives its own: the next death is cheaper
        self.checkpoint_due = None if made.checkpoint is None else self.clock()
        self.beat_due = self.clock()

    def _standing(self) -> dict[str, Any]:
        return {"t": self.twin.now, "entry": self.twin.entry, "note": self.note()}

    def _orders(self, orders: Sequence[Order]) -> list[dict[str, Any]]:
        entries = carry_out(self.twin, orders)
        self.stride.restart()
        self.most_in_flight = max(MOST_IN_FLIGHT, int(1.1 * self._in_flight()))
        return [entry.model_dump(mode="json") for entry in entries]

    def _turned(self) -> None:
        """The first frame under the new setting at once, then a checkpoint when there is time."""
        self._show(with_tiles=True)
        now = self.clock()
        self.checkpoint_due = now + (0.0 if now - self.checkpoint_at > QUIET_S else QUIET_S)

    def _pace(self, pace: float, paused: bool) -> dict[str, Any]:
        self.pacer.turn(pace, paused, self.twin.now, self.clock())
        self.beat_due = self.clock()
        return self._standing()

    def _viewers(self, count: int) -> None:
        self.viewers = count
        self.beat_due = min(self.beat_due, self.clock() + FRAME_EVERY_S)

    def _whole(self, viewers: int) -> dict[str, bytes]:
        self._show(with_tiles=False)  # what the others still lack goes out before the newcomer's
        self._viewers(viewers)
        return self.looks.whole()

    def _scenario(self) -> dict[str, Any]:
        return self.twin.sim.scenario.model_dump(mode="json")

    def _frame(self) -> bytes:
        looks = Looks(self.looks.name, self.twin)
        pacer = self.pacer
        return looks.frame(pacer.pace, pacer.paused, pacer.real_pace, 0.0, with_tiles=True)[0]

    def _state(self, with_memory: bool) -> dict[str, Any]:
        memory = pickle.dumps(self.twin.memory()) if with_memory else None
        return {**self._standing(), "checkpoint": self.twin.checkpoint(), "memory": memory}

    def _digest(self) -> dict[str, Any]:
        return {"t": self.twin.now, "entry": self.twin.entry, "digest": self.twin.digest()}

    def _courses(self, of_baseline: bool) -> dict[str, Any]:
        return self.twin.courses(of_baseline=of_baseline)

    def _advance(self, until: float) -> dict[str, Any]:
        """Go to `until` (simulated s) as fast as can be, with checkpoints on the way."""
        while self.twin.now < until:
            self.twin.advance(min(until, self.checkpoint_s))
            self._checkpoint_if_due()
        self.pacer.turn(self.pacer.pace, self.pacer.paused, self.twin.now, self.clock())
        return self._standing()

    # --- time

    def _tick(self, now: float) -> None:
        self._pursue(now)
        self._checkpoint_if_due()
        if self.viewers and not self.pacer.paused:
            self._show(with_tiles=False)
        else:
            self.wire.send(("beat", self.twin.now, self.twin.entry, self.note()))
        every = FRAME_EVERY_S if self.viewers and not self.pacer.paused else BEAT_EVERY_S
        if self.pacer.pace * every > CHECKPOINT_EVERY_S:
            every = FRAME_EVERY_S
        self.beat_due = max(self.beat_due + every, self.clock())

    def _pursue(self, now: float) -> None:
        """Advance towards the time that is due, as far as a share of the beat allows."""
        deadline = now + BUSY_S
        due = self.pacer.due(now)
        while self.twin.now < due and now < deadline and self._in_flight() <= self.most_in_flight:
            self.twin.advance(min(due, self.twin.now + self.stride.length_s))
            after = self.clock()
            self.stride.took(after - now)
            now = after
        self.pacer.reached(self.twin.now, now)

    def _in_flight(self) -> int:
        other = self.twin.baseline
        beside = 0 if other is None else len(other.pipeline.live)
        return max(len(self.twin.sim.pipeline.live), beside)

    def note(self) -> str | None:
        """Why the twin stands although it is not paused, if it does."""
        if self._in_flight() <= self.most_in_flight:
            return None
        return (
            f"{self._in_flight():,} requests are in flight and more come than can be served: "
            "the twin stands still until the load is turned down or the twin rewound"
        )

    def _checkpoint_if_due(self) -> None:
        now = self.clock()
        by_turn = self.checkpoint_due is not None and now >= self.checkpoint_due
        if not by_turn and self.twin.now < self.checkpoint_s:
            return
        self.checkpoint_s = (self.twin.now // CHECKPOINT_EVERY_S + 1) * CHECKPOINT_EVERY_S
        self.checkpoint_due, self.checkpoint_at = None, now
        self._send_checkpoint()

    def _send_checkpoint(self) -> None:
        twin = self.twin
        self.wire.send(("checkpoint", twin.now, twin.entry, twin.checkpoint(), self._memory()))

    def _memory(self) -> bytes | None:
        if self.clock() - self.memory_at < MEMORY_EVERY_S:
            return None
        self.memory_at = self.clock()
        memory = pickle.dumps(self.twin.memory())
        return memory if len(memory) <= MOST_MEMORY_BYTES else None

    def _show(self, with_tiles: bool) -> None:
        pacer = self.pacer
        look, carries = self.looks.frame(
            pacer.pace, pacer.paused, pacer.real_pace, self.clock(), with_tiles
        )
        self.wire.send(("frame", self.twin.now, self.twin.entry, look, carries))


def work(wire: Wire) -> None:
    """Run one twin until the server ends it."""
    try:
        TwinWorker(wire).run()
    except Ended:
        return
