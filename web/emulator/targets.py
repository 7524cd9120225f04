"""The pages of a cluster: role, number and datacenter of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from twin.engine.observer import MD, PB, RLD, P
from twin.errors import Problem, RunError, shown
from twin.scenario import Scenario

FRONTEND, LINE = "frontend", "line"
ENGINES = (P, RLD, MD, PB)


class Target(NamedTuple):
    """One page."""

    role: str
    instance: int
    dc: str


def targets_of(
    scenario: Scenario, frontend: bool = True, instances: Mapping[str, int] | None = None
) -> list[Target]:
    """Every page there is; `instances` by pool where they differ from those of the scenario."""
    here = scenario.datacenter_a.name
    there = (scenario.datacenter_b or scenario.datacenter_a).name
    found = []
    for role, pool in scenario.pools().items():
        count = pool.instances if instances is None else instances[role]
        found += [Target(role, i, there if role in (MD, PB) else here) for i in range(count)]
    if frontend:
        found.append(Target(FRONTEND, 0, here))
    if scenario.line is not None:
        found.append(Target(LINE, 0, here))
    return found


def check_known(targets: list[Target], role: str, instance: int) -> None:
    """RunError when there is no such target."""
    if any(t.role == role and t.instance == instance for t in targets):
        return
    roles = sorted({t.role for t in targets})
    last = max((t.instance for t in targets if t.role == role), default=0)
    known = f"{role} has instances 0 to {last}" if role in roles else (
        f"roles here are {', '.join(roles)}")  # fmt: skip
    raise RunError(Problem("target", shown(f"{role} {instance}"), known))
