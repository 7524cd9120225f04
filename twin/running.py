"""A running twin: a deployment and its baseline on the same draws, with a knob log.

Every change is an entry of the log. The state at an entry or at any time is a checkpoint plus the
entries after it: restart, rewind, fork and forecast are all `RunningTwin.at`. No wall clock here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from .economics import bcr
from .engine import checkpoint
from .engine.frame import frame
from .engine.simulation import Simulation
from .engine.summary import courses, has_drc
from .engine.tiles import FEW, tiles
from .engine.turns import check_prices, turned
from .scenario import Scenario

CHECKPOINT_EVERY_S = 600.0
REMEMBERS_S = 1800.0
"""Tiles and courses reach back so far (simulated s)."""

HORIZON_S = 600.0
COMMON = ("workload.", "slo.", "prices.", "policy.output_prediction_sigma")
"""Settings that mean the same for the baseline: it is turned along."""

JUDGING = ("slo.", "prices.")
"""Settings that change what is said of requests and not their course: nothing has to show first."""

What = Literal["turn", "line_cut", "line_back", "instance_lost", "instance_back"]


class Entry(BaseModel):
    """One change of a running twin, at a simulated time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    at_s: float
    what: What
    setting: str | None = None
    value: Any = None
    pool: str | None = None
    instance: int = 0


class RunningTwin:
    """A deployment beside its baseline; both stand at the same simulated time."""

    def __init__(self, scenario: Scenario, baseline: Scenario | None = None, seed: int = 0) -> None:
        self.sim = Simulation(scenario, seed=seed, keep_s=REMEMBERS_S)
        self.baseline = (
            None if baseline is None else Simulation(baseline, seed=seed, keep_s=REMEMBERS_S)
        )
        self.entry = 0
        self.turned_at = 0.0

    @property
    def now(self) -> float:
        """Simulated time in s."""
        return self.sim.now

    def advance(self, until: float) -> None:
        """Go on to `until` (s), both."""
        self.sim.advance(until)
        if self.baseline is not None:
            self.baseline.advance(until)

    # --- changes

    def turn(self, setting: str, value: Any) -> Entry:
        """Turn a live setting now; TurnError or ScenarioError leaves the twin as it was."""
        return self.do(self._entry("turn", setting=setting, value=value))

    def happen(self, what: What, pool: str | None = None, instance: int = 0) -> Entry:
        """Let a failure or a repair happen now."""
        return self.do(self._entry(what, pool=pool, instance=instance))

    def _entry(self, what: What, **more: Any) -> Entry:
        return Entry(number=self.entry + 1, at_s=self.now, what=what, **more)

    def do(self, entry: Entry) -> Entry:
        """Carry out an entry at the present time."""
        if entry.what == "turn":
            self._turn(entry.setting or "", entry.value)
        else:
            self.sim.happen(entry.what, entry.pool, entry.instance)
        self.entry = entry.number
        if not (entry.setting or "").startswith(JUDGING):
            self.turned_at = self.now
        return entry

    def _turn(self, setting: str, value: Any) -> None:
        after = turned(self.sim.scenario, setting, value)
        check_prices(self.sim.scenario, after, setting, value)
        other = self.baseline
        if other is not None and setting.startswith(COMMON):
            along = turned(other.scenario, setting, value)  # both or neither
            other.become(along)
        self.sim.become(after)

    # --- copies

    def checkpoint(self) -> bytes:
        """The whole twin as bytes; what it remembers for its tiles and courses is left out."""
        return checkpoint.pack(
            {
                "entry": self.entry,
                "turned_at": self.turned_at,
                "twin": checkpoint.capture(self.sim),
                "baseline": (None if self.baseline is None else checkpoint.capture(self.baseline)),
            }
        )

    @classmethod
    def at(
        cls, packed: bytes, log: Sequence[Entry] = (), until: float | None = None
    ) -> RunningTwin:
        """The twin of a checkpoint, with the later entries of `log` replayed, at `until` (s).

        Entries after `until` are left out; without `until` it stands at the last entry. For tiles
        and courses to reach back, take a checkpoint that lies `REMEMBERS_S` before `until`.
        """
        state = checkpoint.unpack(packed)
        twin = cls.__new__(cls)
        twin.sim = checkpoint.restore(state["twin"])
        other = state["baseline"]
        twin.baseline = None if other is None else checkpoint.restore(other)
        twin.entry, twin.turned_at = state["entry"], state["turned_at"]
        for entry in log:
            if entry.number > twin.entry and (until is None or entry.at_s <= until):
                twin.advance(entry.at_s)
                twin.do(entry)
        if until is not None:
            twin.advance(until)
        return twin

    def memory(self) -> dict[str, Any]:
        """What tiles and courses reach back on, for a copy of the present (bytes and numbers)."""
        return {
            "twin": self.sim.recorder.memory(),
            "baseline": None if self.baseline is None else self.baseline.recorder.memory(),
        }

    def remember(self, memory: dict[str, Any]) -> None:
        """Take over the memory of the twin that this one is a copy of."""
        self.sim.recorder.remember(memory["twin"])
        if self.baseline is not None and memory["baseline"] is not None:
            self.baseline.recorder.remember(memory["baseline"])

    def digest(self) -> str:
        """Names the state: equal for equal twins at the same simulated time."""
        mine = checkpoint.digest(self.sim)
        return (
            mine if self.baseline is None else f"{mine[:32]}{checkpoint.digest(self.baseline)[:32]}"
        )

    # --- what it shows

    def frame(self) -> dict[str, Any]:
        """The twin's frame, the number of the last log entry, and the baseline's counts."""
        seen = frame(self.sim)
        seen["entry"] = self.entry
        return seen

    def tiles(self) -> dict[str, Any]:
        """Numbers since the course was changed, or of the last half hour; `before` while few.

        With `before` the numbers are of the time before the change: it has not shown yet.
        """
        now, turned_at = self.now, self.turned_at
        start = max(now - REMEMBERS_S, 0.0)
        said = tiles(self.sim, max(start, turned_at), now)
        before = said["requests"] < FEW and turned_at > start
        if before:
            said = tiles(self.sim, start, now)
        return {**said, **self._against_baseline(said), "before": before}

    def _against_baseline(self, said: dict[str, Any]) -> dict[str, Any]:
        if self.baseline is None:
            return {"bcr": None, "baseline_goodput_rps": None}
        other = tiles(self.baseline, said["from_s"], said["to_s"])
        goodput = other["goodput_rps"]
        return {
            "bcr": bcr(said["goodput_rps"], said["cost_units"], goodput, other["cost_units"]),
            "baseline_goodput_rps": goodput,
            "baseline_ttft_p50_s": other["ttft_p50_s"],
        }

    def courses(self, since: float = 0.0, of_baseline: bool = False) -> dict[str, Any]:
        """Courses after `since` (s): time_s and a list for each name; empty without a baseline."""
        sim = self.baseline if of_baseline else self.sim
        if sim is None:
            return {"time_s": [], "values": {}}
        samples = sim.recorder.series()
        # one sample before the first is needed for rates
        begin = max(0, int((samples[:, 0] <= since).sum()) - 1)
        part = samples[begin:]
        values = courses(part, has_drc(sim.scenario), sim.scenario.prefill_b is not None)
        skip = 1 if len(part) and part[0, 0] <= since else 0
        return {
            "time_s": part[skip:, 0].tolist(),
            "values": {name: course[skip:] for name, course in values.items()},
        }

    def forecast(self, horizon_s: float = HORIZON_S) -> dict[str, Any]:
        """Run ahead by `horizon_s` and tell what comes: this twin is used up by it."""
        start = self.now
        for sim in (self.sim, self.baseline):
            if sim is not None:  # all that comes is told, however far it looks
                sim.recorder.keep_s = max(horizon_s, REMEMBERS_S)
        self.advance(start + horizon_s)
        said = tiles(self.sim, start, self.now)
        return {
            "entry": self.entry,
            "from_s": start,
            "to_s": self.now,
            "tiles": {**said, **self._against_baseline(said), "before": False},
            **self.courses(start),
        }
