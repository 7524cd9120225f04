"""One request of a run, whole: intervals, tokens and gaps; the same one elsewhere too."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pydantic import Field

from twin.compare import on_same_requests
from twin.microscope import LANES, Gantt, gantt, same_request
from twin.scenario import Scenario
from twin.scenario_file import with_settings

from ..study import Arguments, Deployment, Progress, Study


class OneRequest(Arguments):
    """Which request of which run, and where else it is looked at."""

    deployment: Deployment = Field(description="The deployment.")
    beside: Deployment | None = Field(
        None, description="Another deployment, which serves the same requests."
    )
    seed: int = Field(0, ge=0, le=9999, description="The seed of the runs.")
    requests: int = Field(20_000, ge=200, le=50_000, description="Requests of a run.")
    number: int = Field(ge=0, lt=50_000, description="Number in order of arrival, from 0.")


def scenarios(asked: OneRequest) -> list[Scenario]:
    """The one deployment, or both on the same requests; ScenarioError when a setting is wrong."""
    first = with_settings(
        asked.deployment.read(), {"run.requests": asked.requests, "run.duration_s": None}
    )
    if asked.beside is None:
        return [first]
    return on_same_requests(first, asked.beside.read())


def work(asked: OneRequest, progress: Progress) -> dict[str, Any]:
    """Run it with a watch on the request, and the other one on its counterpart."""
    first, *more = scenarios(asked)
    found = [(first, gantt(first, asked.number, asked.seed))]
    progress(0.3)
    for other in more:
        number = same_request(first, other, asked.number, asked.seed)
        found.append((other, gantt(other, number, asked.seed)))
    return {
        "seeds": [asked.seed], "requests": asked.requests, "lanes": LANES,
        "told": [{"scenario": s.name, "title": s.title, **as_data(one)} for s, one in found],
    }  # fmt: skip


def as_data(one: Gantt) -> dict[str, Any]:
    """A request as plain data, times in s since its arrival."""
    return {
        **asdict(one), "token_s": one.token_s.round(6).tolist(),
        "gaps_s": one.gaps_s.round(6).tolist(),
    }  # fmt: skip


def check(asked: OneRequest) -> None:
    """Refuse settings that are wrong before anything is run."""
    scenarios(asked)


STUDY = Study(
    "one_request", "One request of a run as intervals, tokens and gaps.", OneRequest, work, check
)
