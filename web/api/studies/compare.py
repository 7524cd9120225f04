"""Compare deployments on the same requests: quantiles, stages, cost, capacity and BCR."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from twin.compare import as_data, compare, on_same_requests
from twin.scenario import Scenario
from twin.scenario_file import with_settings

from ..strict_body import Values
from ..study import Arguments, Deployment, Progress, Study

QUICK_REQUESTS = 500_000
"""Some 15 s of one core."""


class Compare(Arguments):
    """What is compared, and on which requests."""

    deployments: list[Deployment] = Field(
        min_length=2, max_length=4,
        description="Two to four deployments; the first is the baseline and brings the requests.",
    )  # fmt: skip
    shared: Values = Field({}, description="Settings of all deployments, such as workload.clients.")
    load: Literal["clients", "rate"] = Field(
        "clients", description="Equal clients, or clients enough that all serve the same rate."
    )
    rate_rps: float | None = Field(
        None, gt=0, le=1e5, description="The equal rate in requests/s; none for the baseline's own."
    )
    seeds: int = Field(
        1, ge=1, le=6, description="Seeds 0, 1, ...: one run of each deployment on each."
    )
    requests: int = Field(20_000, ge=200, le=100_000, description="Requests of a run.")
    capacity: bool = Field(False, description="Search for the capacities too, which takes longer.")


def scenarios(asked: Compare) -> list[Scenario]:
    """The deployments as they are run; ScenarioError when a setting is wrong."""
    several = [one.read() for one in asked.deployments]
    first = with_settings(
        several[0], {**asked.shared, "run.requests": asked.requests, "run.duration_s": None}
    )
    return on_same_requests(first, *several[1:])


def work(asked: Compare, progress: Progress) -> dict[str, Any]:
    """Run all deployments, and say how they did beside each other."""
    several = scenarios(asked)
    rate_rps = asked.rate_rps
    if asked.load == "rate" and rate_rps is None:
        rate_rps = compare(several[:1], [0], with_capacity=False).results[0].runs[0].throughput_rps
    found = compare(
        several, range(asked.seeds), asked.capacity,
        progress=lambda done, of: progress(done / of),
        rate_rps=rate_rps if asked.load == "rate" else None,
    )  # fmt: skip
    told = as_data(found)
    for one, scenario in zip(told["results"], several, strict=True):
        one["title"] = scenario.title
        one["scenario_data"] = scenario.model_dump(mode="json")
    return {
        **told,
        "rate_rps": rate_rps if asked.load == "rate" else None,
        "requests": asked.requests,
    }


def check(asked: Compare) -> None:
    """Refuse settings that are wrong before anything is run."""
    scenarios(asked)


def long(asked: Compare) -> bool:
    """Whether it takes more than some seconds."""
    return asked.capacity or asked.requests * asked.seeds * len(asked.deployments) > QUICK_REQUESTS


STUDY = Study(
    "compare", "Two to four deployments on the same requests.", Compare, work, check, long
)
