"""`compare`: deployments on the same requests, beside a baseline and the published claims."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from ..claims import CROSS_DC, PDD, SAME_DC
from ..compare import Comparison, as_data, compare, same_requests
from ..errors import Problem, RunError
from ..scenario import Scenario
from ..scenario_file import load, shipped_folder
from ..sensitivity import Sensitivity, sensitivity
from ..verdicts import Evidence, Verdict, verdicts
from ..workload.trace_table import Trace
from . import inputs
from .compare_table import claims_table, comparison_table, sensitivity_table
from .console import Console, InputError, json_text
from .export import Export

PUBLISHED = (SAME_DC, CROSS_DC, PDD)


def compare_command(args: Namespace, console: Console) -> int:
    """Compare, judge, write, tell; all that can be wrong with the input is found first."""
    scenarios = inputs.scenarios(args.scenarios, args.set)
    export = Export(args.out)
    trace = inputs.trace(args.trace, console)
    published = {s.name: s for s in scenarios if trace is None and _is_published(s)}
    _look_at(scenarios, trace, args.sensitivity, published)
    seeds = range(args.seed, args.seed + args.seeds)
    with console.progress("comparing") as progress:
        found = compare(scenarios, seeds, not args.no_capacity, args.workers, progress, trace)
    evidence = _evidence(found, published)
    judged = verdicts(evidence)
    moved = None
    if args.sensitivity:
        with console.progress("changing fitted parameters") as progress:
            moved = sensitivity(published, evidence, seeds, args.workers, progress)
    data = _data(found, judged, moved)
    export.write(data, data["results"])
    console.put(json_text(data) if args.json else _text(found, data, judged, moved))
    return 0


def _is_published(scenario: Scenario) -> bool:
    """Whether this is a deployment that claims speak of, with nothing changed in it."""
    if scenario.name not in PUBLISHED:
        return False
    return scenario.digest() == load(shipped_folder() / f"{scenario.name}.yaml").digest()


def _look_at(
    scenarios: Sequence[Scenario],
    trace: Trace | None,
    with_sensitivity: bool,
    published: dict[str, Scenario],
) -> None:
    try:
        same_requests(scenarios, trace)
    except RunError as error:
        raise InputError(error.problems, "These cannot be compared:") from None
    twice = sorted({s.name for s in scenarios if [o.name for o in scenarios].count(s.name) > 1})
    wrong = [Problem(name, "named twice", "give each a name of its own") for name in twice]
    if with_sensitivity and not published:
        remedy = f"needs a deployment that claims speak of: {', '.join(PUBLISHED)}, unchanged"
        wrong.append(Problem("--sensitivity", "", remedy))
    if wrong:
        raise InputError(wrong)


def _evidence(found: Comparison, published: dict[str, Scenario]) -> Evidence:
    whole = Evidence.of(found)
    return Evidence(
        {name: runs for name, runs in whole.runs.items() if name in published},
        {name: values for name, values in whole.capacities.items() if name in published},
        {name: costs for name, costs in whole.costs.items() if name in published},
    )


def _data(
    found: Comparison, judged: Sequence[Verdict], moved: Sensitivity | None
) -> dict[str, Any]:
    return {
        **as_data(found),
        "claims": [verdict.model_dump() for verdict in judged],
        "sensitivity": None if moved is None else moved.model_dump(),
    }


def _text(
    found: Comparison,
    data: dict[str, Any],
    judged: Sequence[Verdict],
    moved: Sensitivity | None,
) -> str:
    parts = [comparison_table(found, data)]
    if judged:
        parts.append(claims_table(judged, len(found.seeds)))
    if moved is not None:
        parts.append(sensitivity_table(moved))
    return "\n\n".join(parts)
