"""How to scrape the cluster: for Prometheus, and as a sources file of the ingester."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import yaml

from twin.engine.observer import MD, PB, RLD, P

from .line_page import DEVICE
from .targets import FRONTEND, LINE, Target

PortOf = Callable[[Target], int]

JOBS = {P: "vllm", PB: "vllm", RLD: "vllm", MD: "vllm", FRONTEND: "dynamo", LINE: "node"}
"""Name of the job under which each role is scraped."""

FIRST = {FRONTEND: 1, LINE: 2, P: 100, RLD: 200, MD: 300, PB: 400}
"""Ports of a role begin so far above the control port."""


def fixed_port(base: int) -> PortOf:
    """Where a target listens when the control endpoint listens on `base`."""
    return lambda target: base + FIRST[target.role] + target.instance


def _address(port: int) -> str:
    return f"127.0.0.1:{port}"


def scrape_config(targets: Iterable[Target], port_of: PortOf, every_s: float = 5.0) -> str:
    """A configuration of Prometheus that scrapes every page, with roles as labels."""
    jobs: dict[str, dict[tuple[str, str], list[str]]] = {}
    for target in targets:
        groups = jobs.setdefault(JOBS[target.role], {})
        groups.setdefault((target.role, target.dc), []).append(_address(port_of(target)))
    every = f"{round(every_s * 1000)}ms"
    config: dict[str, Any] = {
        "global": {"scrape_interval": every, "scrape_timeout": every},
        "scrape_configs": [
            {
                "job_name": job,
                "static_configs": [
                    {"targets": addresses, "labels": {"pdd_role": role, "dc": dc}}
                    for (role, dc), addresses in groups.items()
                ],
            }
            for job, groups in jobs.items()
        ],
    }
    return yaml.safe_dump(config, sort_keys=False)


def sources(targets: Iterable[Target], port_of: PortOf, every_s: float = 5.0) -> str:
    """A sources file that scrapes every page directly, with the mapping of roles."""
    known = list(targets)
    listed = [
        {
            "url": f"http://{_address(port_of(t))}/metrics",
            "labels": {"job": JOBS[t.role], "pdd_role": t.role, "dc": t.dc},
        }
        for t in known
    ]
    scrape = {
        "name": "emulator", "kind": "scrape", "every_s": every_s,
        "timeout_s": round(min(0.9, 0.9 * every_s), 3), "targets": listed,
    }  # fmt: skip
    said = {"sources": [scrape], "roles": _roles(known)}
    return yaml.safe_dump(said, sort_keys=False)


def _roles(targets: Iterable[Target]) -> dict[str, Any]:
    roles: dict[str, Any] = {}
    for role, _, dc in targets:
        mapped: dict[str, Any] = {"match": {"pdd_role": role}}
        if role == LINE:
            mapped["device"] = DEVICE
        elif role != FRONTEND:
            mapped = {"dc": dc, **mapped}
        roles[role] = mapped
    roles.pop(PB, None)  # the twin's mapping has no such role
    return roles
