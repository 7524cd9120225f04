"""Small drawings of deployments: pools in their datacenters, and the line between them."""

from __future__ import annotations

import math
from typing import Any

from twin.scenario import Pool, Scenario

from .components.widgets import widget
from .texts.deployments import DRAWING, POOLS

ROLES = {"prefill": "p", "relay_decode": "rld", "main_decode": "md", "prefill_b": "p"}

IN_B = ("main_decode", "prefill_b")


def drawing(scenario: Scenario, key: str) -> None:
    """Draw a deployment; its parts are explained on hover."""
    widget("deployment", key, {"drawing": described(scenario)})


def described(scenario: Scenario) -> dict[str, Any]:
    """What stands where, in words and numbers."""
    by_site: dict[str, list[dict[str, Any]]] = {"a": [], "b": []}
    far = scenario.line is not None
    for name, pool in scenario.pools().items():
        site = "b" if far and name in IN_B else "a"
        by_site[site].append(_pool(name, pool, far))
    sites = [(scenario.datacenter_a, "a"), (scenario.datacenter_b, "b")]
    return {
        "label": DRAWING["label"].format(name=scenario.name, chips=_chips(scenario)),
        "sites": [
            {"name": DRAWING["site"].format(name=site.name), "pools": by_site[which]}
            for site, which in sites
            if site is not None and by_site[which]
        ],
        "line": _line(scenario),
    }


def _chips(scenario: Scenario) -> str:
    counts: dict[str, int] = {}
    for pool in scenario.pools().values():
        counts[pool.chip.name] = counts.get(pool.chip.name, 0) + pool.chips
    return ", ".join(f"{count} × {chip}" for chip, count in counts.items())


def _pool(name: str, pool: Pool, far: bool) -> dict[str, Any]:
    short, title = POOLS[name if far or name != "main_decode" else "decode"]
    chips = f"{pool.instances} × {pool.chips_per_instance} {pool.chip.name}"
    return {
        "role": ROLES[name], "name": short, "chips": chips, "title": title,
        "lines": [
            DRAWING["pool"].format(
                instances=pool.instances, each=pool.chips_per_instance, chip=pool.chip.name,
                chips=pool.chips,
            )
        ],
    }  # fmt: skip


def _line(scenario: Scenario) -> dict[str, Any] | None:
    line = scenario.line
    if line is None:
        return None
    raw = line.bandwidth_gbps
    told = DRAWING["unlimited"] if raw is None else f"{raw:g} Gbps"
    words = DRAWING["line_lines"].format(raw=told, share=line.goodput_share * 100, rtt=line.rtt_ms)
    return {
        "width": 16.0 if raw is None else min(16.0, max(1.5, 4 * math.log10(raw) + 1)),
        "name": told, "note": f"RTT {line.rtt_ms:g} ms", "title": DRAWING["line"], "lines": [words],
    }  # fmt: skip
