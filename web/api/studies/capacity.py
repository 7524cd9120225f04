"""The capacity of one deployment: how much it serves while the required share keeps the SLA."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from twin.averages import mean_of, sd_of
from twin.scenario import Scenario
from twin.scenario_file import with_settings
from twin.search import capacity

from ..study import Arguments, Deployment, Progress, Study


class OneCapacity(Arguments):
    """What is asked."""

    deployment: Deployment = Field(description="The deployment, with its SLA and its traffic.")
    seeds: int = Field(1, ge=1, le=6, description="Seeds 0, 1, ...: one search on each.")
    requests: int = Field(20_000, ge=200, le=100_000, description="Requests of each run.")


def _scenario(asked: OneCapacity) -> Scenario:
    run = {"run.requests": asked.requests, "run.duration_s": None}
    return with_settings(asked.deployment.read(), run)


def work(asked: OneCapacity, progress: Progress) -> dict[str, Any]:
    """Search once for each seed."""
    scenario = _scenario(asked)
    found = []
    for seed in range(asked.seeds):
        found.append(capacity(scenario, seed))
        progress((seed + 1) / asked.seeds)
    rates = [one.rps for one in found]
    return {
        "seeds": list(range(asked.seeds)), "requests": asked.requests,
        "capacity_rps": mean_of(rates), "capacity_sd": sd_of(rates),
        "loads": [one.load for one in found],
        "why": next((one.why for one in found if one.why), ""),
    }  # fmt: skip


def check(asked: OneCapacity) -> None:
    """Refuse settings that are wrong before anything is run."""
    _scenario(asked)


STUDY = Study(
    "capacity", "How much one deployment serves within its SLA.", OneCapacity, work, check
)
