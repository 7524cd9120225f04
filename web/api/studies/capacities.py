"""Capacities of deployments on the same requests, and their benefit per cost by these."""

from __future__ import annotations

from typing import Any

from twin.compare import spread
from twin.economics import bcr, cost_units, cost_units_high
from twin.engine.run import run
from twin.result import Result
from twin.scenario import Scenario
from twin.search import Capacity, capacity

from ..study import Progress, Study
from .compare import Compared, check, scenarios

Found = dict[str, Any]


def work(asked: Compared, progress: Progress) -> Found:
    """Search every capacity, and hold the others against the first."""
    several, of = scenarios(asked), len(asked.deployments) * asked.seeds
    searches: list[list[Capacity]] = []
    for scenario in several:
        searches.append([])
        for seed in range(asked.seeds):
            before = (len(searches) - 1) * asked.seeds + seed
            searches[-1].append(_searched(scenario, seed, _part(progress, before, of)))
    told = [_told(one, found) for one, found in zip(several, searches, strict=True)]
    return {
        "seeds": list(range(asked.seeds)),
        "requests": asked.requests,
        "share": several[0].slo.share,
        "total_s": several[0].slo.total_s,
        "deployments": [{**one, **_benefit(one, told[0])} for one in told],
    }


def _part(progress: Progress, before: int, of: int) -> Progress:
    """Progress of one search of several."""
    return lambda share: progress((before + share) / of)


def _searched(scenario: Scenario, seed: int, progress: Progress) -> Capacity:
    tried = 0

    def counted(scenario: Scenario, seed: int) -> Result:
        nonlocal tried
        tried += 1
        progress(1 - 0.8**tried)  # how many there will be is not known
        return run(scenario, seed, series=False)

    return capacity(scenario, seed, counted)


def _told(scenario: Scenario, found: list[Capacity]) -> Found:
    rps, load = spread(one.rps for one in found), spread(one.load for one in found)
    return {
        "name": scenario.name,
        "capacity_rps": rps.mean,
        "sd": rps.sd,
        "load": load.mean,
        "why": "; ".join(sorted({one.why for one in found if one.why})),
        "cost": cost_units(scenario),
        "cost_high": cost_units_high(scenario),
    }


def _benefit(one: Found, first: Found) -> Found:
    """BCR at the lower and, where prices are ranges, at the upper end of the prices."""
    mine, theirs, high = one["capacity_rps"], first["capacity_rps"], one["cost_high"]
    return {
        "bcr": bcr(mine, one["cost"], theirs, first["cost"]),
        "bcr_high_price": None if high is None else bcr(mine, high, theirs, first["cost"]),
    }


STUDY = Study(
    "capacities", "The load that each of several deployments can serve within the SLA.", Compared,
    work, check, long=lambda _: True,
)  # fmt: skip
