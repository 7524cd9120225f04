"""`capacity`: the load at which just the required share of requests is served within the SLA."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..compare import spread
from ..parallel import carried_out
from ..scenario import Scenario
from ..search import Capacity, capacity, load_setting
from . import inputs
from .console import Console, json_text
from .export import Export
from .tables import number, table
from .tables import spread as spread_text


@dataclass(frozen=True)
class Job:
    """A search on the draws of one seed."""

    scenario: Scenario
    seed: int


def search(job: Job) -> tuple[Capacity, float]:
    """The capacity with the CPU seconds it took."""
    began = time.process_time()
    return capacity(job.scenario, job.seed), time.process_time() - began


def capacity_command(args: Namespace, console: Console) -> int:
    """Search, write, tell."""
    (scenario,) = inputs.scenarios([args.scenario], args.set)
    export = Export(args.out)
    jobs = [Job(scenario, seed) for seed in range(args.seed, args.seed + args.seeds)]
    found: list[tuple[Capacity, float]] = []
    with console.progress(f"searching the capacity of {scenario.name}") as progress:
        for answer in carried_out(search, jobs, args.workers):
            found.append(answer)
            progress(len(found), len(jobs))
    found.sort(key=lambda answer: answer[0].seed)
    capacities = [one for one, _ in found]
    data = _data(scenario, capacities, sum(cpu for _, cpu in found))
    export.write(data, data["searches"])
    console.put(json_text(data) if args.json else _text(scenario, capacities, data))
    return 0


def _data(scenario: Scenario, found: Sequence[Capacity], cpu_s: float) -> dict[str, Any]:
    rps, load = spread(c.rps for c in found), spread(c.load for c in found)
    searches = [
        {
            "scenario": scenario.name,
            "digest": scenario.digest(),
            "seed": c.seed,
            "capacity_rps": c.rps,
            "load": c.load,
            "why": c.why,
            "runs": [
                {"load": load, "sla_ok_share": share, "throughput_rps": rate}
                for load, share, rate in c.runs
            ],
        }
        for c in found
    ]
    return {
        "scenario": scenario.name,
        "digest": scenario.digest(),
        "seeds": [c.seed for c in found],
        "slo": scenario.slo.model_dump(mode="json"),
        "load_setting": load_setting(scenario),
        "capacity_rps": rps.mean,
        "capacity_spread": rps.model_dump(exclude={"mean"}),
        "load": load.mean,
        "load_spread": load.model_dump(exclude={"mean"}),
        "searches": searches,
        "cpu_s": cpu_s,
    }


def _text(scenario: Scenario, found: Sequence[Capacity], data: dict[str, Any]) -> str:
    unit = "clients" if load_setting(scenario) == "workload.clients" else "requests/s"
    rows = [["seed", "capacity requests/s", f"load {unit}", "runs", ""]]
    rows += [
        [str(c.seed), number(c.rps, 3), number(c.load, 1), str(len(c.runs)), c.why] for c in found
    ]
    if len(found) > 1:
        rps = spread_text(data["capacity_rps"], data["capacity_spread"]["sd"], 3)
        load = spread_text(data["load"], data["load_spread"]["sd"], 1)
        rows.append(["mean", rps, load, str(sum(len(c.runs) for c in found))])
    slo = scenario.slo
    head = (
        f"{scenario.name}: throughput at the load at which {100 * slo.share:g} % of requests are "
        f"done within {slo.total_s:g} s"
    )
    return f"{head}\n\n{table(rows, '>>>><')}\n\n{data['cpu_s']:.1f} s of CPU"
