"""Whether a deployment is steady, swings or collapses, by its own record, and what brings it back.

A swing is found by amplitude and anti-phase: RLD's batch goes again and again from its upper mark
to below a quarter of it, while the flows on the line move against it. A collapse is found by drift:
MD's hit rate has left that of P. The period of a swing is random and is not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .averages import correlation
from .engine.recorder import REQUEST_COLUMNS, SAMPLE_COLUMNS
from .engine.simulation import Simulation
from .engine.summary import has_drc, within_slo
from .errors import Problem, RunError
from .feasibility import most_new_kv
from .loop_gain import Gain, measured_gain
from .physics.profile import formulas_apply
from .scenario import Scenario
from .scenario_file import with_settings

Course = NDArray[np.float64]
Table = NDArray[np.float64]
State = Literal["steady", "swinging", "collapsing"]

TWO_HOURS_S = 7_200.0
BLOCK_S = 240.0
"""Hit rates and shares are taken over blocks of this length."""

ANTI_PHASE = -0.2
"""A correlation of batch and flows below this is a swing's (law L17)."""

LEAST_FALLS = 3
LEAST_UPPER = 10.0
"""A swing falls so often, from an upper mark of at least so many requests."""

DRIFTED = 0.05
"""MD's hit rate has left P's when it lags by more than this at the end."""

POINTS = 600


@dataclass(frozen=True)
class Swing:
    """RLD's batch against the line: correlation (None: one is still), marks, and falls."""

    correlation: float | None
    upper: float
    lower: float
    falls: int

    @property
    def swings(self) -> bool:
        """Whether amplitude and anti-phase both say so."""
        against = self.correlation is not None and self.correlation < ANTI_PHASE
        return against and self.falls >= LEAST_FALLS and self.upper >= LEAST_UPPER


@dataclass(frozen=True)
class Drift:
    """P's hit rate minus MD's, and the share finished locally, early and late in the window."""

    lag_early: float | None
    lag_late: float | None
    local_early: float
    local_late: float

    @property
    def drifted(self) -> bool:
        """Whether MD's hit rate has left P's."""
        return self.lag_late is not None and self.lag_late > DRIFTED


@dataclass(frozen=True)
class Remedy:
    """Settings that bring it back, and why."""

    settings: dict[str, Any]
    why: str


@dataclass(frozen=True)
class Courses:
    """Courses for pictures, each an array; the block ones at the ends of blocks of 240 s.

    `relay_batch` against `line_flows` is the phase portrait.
    """

    time_s: Course
    relay_batch: Course
    line_flows: Course
    block_s: Course
    p_hit: Course
    md_hit: Course | None
    local_share: Course


@dataclass(frozen=True)
class Oscillation:
    """What a run shows of its feedback, from `from_s` to `to_s`."""

    scenario: str
    seed: int
    from_s: float
    to_s: float
    state: State
    words: str
    swing: Swing
    drift: Drift
    gain: Gain
    sla_ok_share: float | None
    remedies: tuple[Remedy, ...]
    courses: Courses
    relay_changes: tuple[tuple[float, int, float], ...]


def study(scenario: Scenario, seed: int = 0, duration_s: float = TWO_HOURS_S) -> Oscillation:
    """Run `scenario` for `duration_s` of simulated time and say how it behaves."""
    relayed(scenario)
    whole = {"run.requests": None, "run.duration_s": duration_s}
    sim = Simulation(with_settings(scenario, whole), seed=seed)
    sim.advance_to_end()
    return observe(sim)


def relayed(scenario: Scenario) -> None:
    """RunError when there is no relay decode that could swing."""
    if scenario.relay_decode is None:
        remedy = "there is no relay decode: choose a deployment that has one"
        raise RunError(Problem("relay_decode", "absent", remedy))


def observe(sim: Simulation, from_s: float | None = None) -> Oscillation:
    """What the record of a simulation shows from `from_s` (None: once warmed up) until now."""
    scenario = sim.scenario
    relayed(scenario)
    plan = scenario.run
    since = max(plan.warmup_s, plan.warmup_share * sim.now) if from_s is None else from_s
    samples = sim.recorder.series()
    samples = samples[samples[:, 0] >= since]
    if len(samples) < 4:
        raise RunError(Problem("the record", f"{len(samples)} samples", "let it run for longer"))
    rows = sim.recorder.arrived_between(since, sim.now)
    courses = _courses(samples, has_drc(scenario))
    swing = swing_of(_of(samples, "relay_batch"), _of(samples, "line_flows"))
    drift = _drift(courses)
    gain = measured_gain(
        scenario,
        *(rows[:, REQUEST_COLUMNS.index(n)] for n in ("prompt", "hit", "md_hit", "pipeline")),
    )
    state: State = "swinging" if swing.swings else "collapsing" if drift.drifted else "steady"
    good = float(within_slo(rows, scenario.slo).mean()) if len(rows) else None
    return Oscillation(
        scenario.name, sim.seed, since, sim.now, state, _words(state, swing, drift, gain),
        swing, drift, gain, good, remedies(scenario, state, drift), courses,
        tuple(sim.scaler.changes),
    )  # fmt: skip


def swing_of(relay_batch: Course, line_flows: Course) -> Swing:
    """Amplitude and phase of two courses; the upper mark is what one sample in twenty exceeds."""
    upper, lower = np.quantile(relay_batch, (0.95, 0.05)).tolist()
    together = correlation(relay_batch, line_flows)
    return Swing(together, upper, lower, falls(relay_batch, upper))


def falls(course: Course, upper: float) -> int:
    """How often a course goes from `upper` to below a quarter of it."""
    count, armed = 0, False
    for value in course:
        if value >= upper:
            armed = True
        elif armed and value < upper / 4:
            count, armed = count + 1, False
    return count


def _of(samples: Table, name: str) -> Course:
    return samples[:, SAMPLE_COLUMNS.index(name)]


def _courses(samples: Table, drc: bool) -> Courses:
    thin = samples[:: max(1, ceil(len(samples) / POINTS))]
    time = samples[:, 0]
    marks = np.arange(time[0], time[-1], BLOCK_S)
    ends = samples[np.searchsorted(time, np.append(marks, time[-1]))]
    if len(ends) < 3:
        ends = samples[[0, len(samples) // 2, -1]]

    def rate(top: str, below: str) -> Course:
        tops, belows = np.diff(_of(ends, top)), np.diff(_of(ends, below))
        return np.divide(tops, belows, out=np.zeros_like(tops), where=belows > 0)

    return Courses(
        thin[:, 0], _of(thin, "relay_batch"), _of(thin, "line_flows"), ends[1:, 0],
        rate("hit_tokens", "prompt_tokens"),
        rate("md_hit_tokens", "prompt_tokens") if drc else None,
        rate("routed_local", "arrived"),
    )  # fmt: skip


def _drift(courses: Courses) -> Drift:
    part = max(1, len(courses.block_s) // 4)
    early, late = slice(0, part), slice(-part, None)
    local = courses.local_share
    lag = None if courses.md_hit is None else courses.p_hit - courses.md_hit
    return Drift(
        None if lag is None else float(lag[early].mean()),
        None if lag is None else float(lag[late].mean()),
        float(local[early].mean()), float(local[late].mean()),
    )  # fmt: skip


def _words(state: State, swing: Swing, drift: Drift, gain: Gain) -> str:
    stands = (
        "" if gain.gain is None
        else f" The loop gain is {gain.gain:.2f}; it can never exceed {gain.limit:.2f}."
    )  # fmt: skip
    if state == "swinging":
        text = (
            f"Swinging: RLD's batch fell {swing.falls} times from {swing.upper:.0f} to below "
            f"{swing.upper / 4:.0f}, against the flows on the line (correlation "
            f"{swing.correlation:.2f})."
        )
    elif state == "collapsing":
        cause = (
            f"{drift.local_late:.0%} of the requests are finished locally and never reach MD"
            if drift.local_late > 0
            else "KV comes too late to be held for the next turn"
        )
        text = f"Collapsing: MD's hit rate lags {100 * (drift.lag_late or 0):.0f} points: {cause}."
    else:
        text = (
            "Steady: MD's hit rate follows P's, and batch and line do not move against each other."
        )
    return text + stands


def remedies(scenario: Scenario, state: State, drift: Drift) -> tuple[Remedy, ...]:
    """What brings a deployment back, the most direct first; nothing for a steady one."""
    if state == "steady":
        return ()
    found = []
    if scenario.policy.p_rld:
        found.append(
            Remedy(
                {"policy.p_rld": False, "policy.load_gate": False},
                "let both pipelines end in MD: its cache then stays aligned with P's",
            )
        )
    if scenario.workload.singular is not None and not scenario.policy.singular_filter:
        found.append(Remedy({"policy.singular_filter": True}, "keep one-off requests off the line"))
    found += _wider_line(scenario)
    if not found and drift.local_late == 0:
        found.append(
            Remedy(_fewer_clients(scenario), "less load, until what is queued has crossed")
        )
    return tuple(found)


def _wider_line(scenario: Scenario) -> list[Remedy]:
    """A line for all that prefill can make, where this one is thinner and formulas can say it."""
    if scenario.line is None or not formulas_apply(scenario):
        return []
    most = most_new_kv(scenario)
    if most.line_carries_it:
        return []
    needed = ceil(most.gbps / scenario.line.goodput_share * 10) / 10
    why = f"a line that carries all the KV that P can make ({most.gbps:.1f} Gbps of payload)"
    return [Remedy({"line.bandwidth_gbps": needed}, why)]


def _fewer_clients(scenario: Scenario) -> dict[str, Any]:
    workload = scenario.workload
    if workload.arrivals == "sessions":
        return {"workload.clients": max(1, round(0.8 * workload.clients))}
    return {"workload.rate_rps": 0.8 * workload.rate_rps}
