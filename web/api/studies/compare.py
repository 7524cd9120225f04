"""Compare deployments on the same requests: figures, curves, stages, and what it is in words."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from pydantic import Field

from twin.averages import averaged
from twin.compare import on_same_requests
from twin.differences import differences
from twin.scenario import Scenario
from twin.scenario_file import with_settings
from twin.side_by_side import Side, side_by_side

from ..strict_body import Values
from ..study import Arguments, Deployment, Progress, Study

QUICK_REQUESTS = 500_000
"""Some 15 s of one core."""


class Compared(Arguments):
    """Which deployments are compared, and on which requests."""

    deployments: list[Deployment] = Field(
        min_length=2, max_length=4,
        description="Two to four deployments; the first is the baseline and brings the requests.",
    )  # fmt: skip
    shared: Values = Field({}, description="Settings of all deployments, such as workload.clients.")
    seeds: int = Field(1, ge=1, le=6, description="Seeds 0, 1, ...: a run of each on each.")
    requests: int = Field(20_000, ge=200, le=100_000, description="Requests of a run.")


class Compare(Compared):
    """What is compared, on which requests, and what is equal."""

    load: Literal["clients", "rate"] = Field(
        "clients", description="Equal clients, or clients enough to serve the baseline's rate."
    )


def scenarios(asked: Compared) -> list[Scenario]:
    """The deployments as they are run, each with a name of its own; ScenarioError when wrong."""
    first, *others = [one.read() for one in asked.deployments]
    run = {"run.requests": asked.requests, "run.duration_s": None}
    several = on_same_requests(with_settings(first, {**asked.shared, **run}), *others)
    names = [one.name for one in several]
    return [
        one.model_copy(update={"name": f"{one.name} {names[: i + 1].count(one.name)}"})
        if names.count(one.name) > 1
        else one
        for i, one in enumerate(several)
    ]


def work(asked: Compare, progress: Progress) -> dict[str, Any]:
    """Run all deployments, and say how they did beside each other."""
    several = scenarios(asked)
    sides = side_by_side(
        several, range(asked.seeds), "equal rate" if asked.load == "rate" else "equal clients",
        progress=lambda done, of: progress(done / of),
    )  # fmt: skip
    told = differences(sides, sla_s=several[0].slo.total_s)
    return {
        "seeds": list(range(asked.seeds)),
        "requests": asked.requests,
        "load": asked.load,
        "deployments": [
            _deployment(scenario, side) for scenario, side in zip(several, sides, strict=True)
        ],
        "differences": [asdict(one) for one in told],
    }


def _deployment(scenario: Scenario, side: Side) -> dict[str, Any]:
    means = averaged(side.runs)
    del means["runs"], means["series"]
    return {
        **means,
        "name": scenario.name,
        "title": scenario.title,
        "clients": side.clients,
        "ttft_curve": {"levels": list(side.levels), "seconds": list(side.ttft_s)},
        "stacks": {name: stack.stages for name, stack in side.stacks.items()},
        "line_share": asdict(side.line),
        "values": scenario.model_dump(mode="json"),
    }


def check(asked: Compared) -> None:
    """Refuse settings that are wrong before anything is run."""
    scenarios(asked)


def long(asked: Compare) -> bool:
    """Whether it takes more than some seconds."""
    return asked.requests * asked.seeds * len(asked.deployments) > QUICK_REQUESTS


STUDY = Study(
    "compare", "Two to four deployments on the same requests.", Compare, work, check, long,
    revision=2,
)  # fmt: skip
