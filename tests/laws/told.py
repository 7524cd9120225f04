"""A run told as the bytes of its result, in a process of its own: `python -m tests.laws.told`."""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.deployments import shipped
from twin.engine.checkpoint import digest
from twin.engine.simulation import Simulation
from twin.engine.summary import summarize
from twin.result import Result

SETTINGS: dict[str, Any] = {
    "workload.clients": 120, "workload.singular": {"share": 0.03}, "policy.p_rld": True,
    "policy.load_gate": True, "policy.load_gate_high": 6, "policy.in_flight_deduplication": True,
    "caches.drc_tb": 0.3, "line.timeout_share": 0.01,
    "run": {"requests": 1500, "duration_s": None, "warmup_s": 100},
    "events": [
        {"at_s": 150, "what": "instance_lost", "pool": "main_decode", "instance": 1},
        {"at_s": 190, "what": "line_cut"},
        {"at_s": 200, "what": "line_back"},
        {"at_s": 220, "what": "instance_back", "pool": "main_decode", "instance": 1},
        {"at_s": 250, "what": "turn", "setting": "line.bandwidth_gbps", "value": 8, "over_s": 30},
        {"at_s": 300, "what": "turn", "setting": "main_decode.instances", "value": 3},
    ],
}  # fmt: skip
"""A scenario in which nearly everything happens, with a log of turns and failures."""

LONG_AFTER_S = 3000.0


def text(result: Result) -> str:
    """The result as JSON without what may depend on the host."""
    return json.dumps(result.model_dump(mode="json", exclude={"cpu_s"}), sort_keys=True)


def told(chunks_s: tuple[float, ...] = (), seed: int = 7) -> str:
    """Result and final state of the run, advanced by `chunks_s` in turn as long as it lasts."""
    scenario = shipped("pdd_43a_32b", SETTINGS)
    sim = Simulation(scenario, seed=seed, total=scenario.run.requests)
    step = 0
    while chunks_s and not sim.over:
        sim.advance(sim.now + chunks_s[step % len(chunks_s)])
        step += 1
    sim.advance(LONG_AFTER_S)
    assert sim.over
    return f"{text(summarize(sim))}\n{digest(sim)}"


if __name__ == "__main__":
    sys.stdout.write(told())
