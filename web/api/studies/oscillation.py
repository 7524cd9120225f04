"""Whether deployments are steady, swing or collapse, each run on the same seed."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from twin.engine.simulation import Simulation
from twin.oscillation import Courses, Oscillation, observe, relayed
from twin.scenario import Scenario
from twin.scenario_file import with_settings

from ..study import Arguments, Deployment, Progress, Study

DIGITS = 4


class Feedback(Arguments):
    """Which deployments are run, for how long, on which draws."""

    deployments: list[Deployment] = Field(
        min_length=1, max_length=8, description="Deployments with relay decode."
    )
    seed: int = Field(0, ge=0, le=10**6, description="The seed that all of them share.")
    duration_s: float = Field(
        7200, ge=1200, le=28_800, description="Simulated seconds; caches drift apart slowly."
    )
    courses: bool = Field(True, description="Give the courses over time too.")


def scenarios(asked: Feedback) -> list[Scenario]:
    """The deployments as they are run; a TwinError when one is wrong or has no relay."""
    several = [one.read() for one in asked.deployments]
    for one in several:
        relayed(one)
    whole = {"run.requests": None, "run.duration_s": asked.duration_s}
    return [with_settings(one, whole) for one in several]


def work(asked: Feedback, progress: Progress) -> dict[str, Any]:
    """Run each of them, and say how it behaves."""
    told = []
    several = scenarios(asked)
    for i, scenario in enumerate(several):
        sim = Simulation(scenario, seed=asked.seed)
        sim.advance_to_end()
        told.append(as_data(observe(sim), asked.courses))
        progress((i + 1) / len(several))
    return {"seeds": [asked.seed], "results": told}


def as_data(found: Oscillation, courses: bool = True) -> dict[str, Any]:
    """An observation as plain data; what cannot be said is null."""
    return {
        "state": found.state, "words": found.words, "from_s": found.from_s, "to_s": found.to_s,
        "swing": {**vars(found.swing), "swings": found.swing.swings},
        "drift": {**vars(found.drift), "drifted": found.drift.drifted},
        "gain": vars(found.gain), "sla_ok_share": found.sla_ok_share,
        "remedies": [vars(one) for one in found.remedies],
        "courses": _courses(found.courses) if courses else None,
        "relay_changes": [list(one) for one in found.relay_changes],
    }  # fmt: skip


def _courses(courses: Courses) -> dict[str, Any]:
    return {
        name: None if values is None else [round(float(one), DIGITS) for one in values]
        for name, values in vars(courses).items()
    }


def check(asked: Feedback) -> None:
    """Refuse what cannot swing before anything is run."""
    scenarios(asked)


STUDY = Study(
    "oscillation", "Whether deployments are steady, swing or collapse.", Feedback, work, check,
    long=lambda asked: asked.duration_s * len(asked.deployments) > 80_000,
)  # fmt: skip
