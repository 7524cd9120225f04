"""All requests of a run as points, and the worst of them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from twin.engine.simulation import Simulation
from twin.engine.summary import measured_window
from twin.microscope import Points, points
from twin.policy import PIPELINES

from ..study import Arguments, Deployment, Progress, Study

WORST = ("ttft_s", "gap_s", "total_s")
MOST_WORST = 10
MOST_POINTS = 2_000


class RequestPoints(Arguments):
    """Which run."""

    deployment: Deployment = Field(description="The deployment.")
    seed: int = Field(0, ge=0, le=9999, description="The seed of the run.")
    requests: int = Field(20_000, ge=200, le=50_000, description="Requests of the run.")


def work(asked: RequestPoints, progress: Progress) -> dict[str, Any]:
    """Run it, and keep what arrived while it was measured: after the warm-up, before the end."""
    scenario = asked.deployment.read()
    sim = Simulation(scenario, seed=asked.seed, total=asked.requests)
    sim.advance_to_end()
    progress(0.9)
    from_s, to_s = measured_window(sim)
    found = points(sim, from_s, to_s)
    return {
        "seeds": [asked.seed], "requests": asked.requests, "count": len(found.number),
        "from_s": from_s, "to_s": to_s, "pipelines": PIPELINES,
        "points": _columns(found.thinned(MOST_POINTS)),
        "worst": {by: _columns(_chosen(found, by)) for by in WORST},
        "of_pipeline": {
            name: int((found.pipeline == i).sum()) for i, name in enumerate(PIPELINES)
        },
    }  # fmt: skip


def _columns(found: Points) -> dict[str, Any]:
    return {name: getattr(found, name).tolist() for name in found.__dataclass_fields__}


def _chosen(found: Points, by: str) -> Points:
    """The worst by one measure, worst first."""
    place = {int(number): i for i, number in enumerate(found.number)}
    rows = [place[number] for number in found.worst(by, MOST_WORST)]
    return Points(*(getattr(found, name)[rows] for name in found.__dataclass_fields__))


def check(asked: RequestPoints) -> None:
    """Refuse settings that are wrong before anything is run."""
    asked.deployment.read()


STUDY = Study(
    "request_points", "All requests of a run as points, and its worst.", RequestPoints, work, check
)
