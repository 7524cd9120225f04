"""The bench: a table of figures beside their budgets; with --json for programs.

It only tells; a machine that is slow or busy is no failure, so a budget that is missed is marked
and the exit code stays 0.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from . import measures
from .calibration import steps_per_s
from .measures import Measure

SCALES = (10_000, 100_000, 1_000_000)
QUICK_REQUESTS = 2_000


def arguments(words: Sequence[str]) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    parser.add_argument(
        "--repeat", type=int, default=5, help="trials, of which the best counts (5)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the requests, none of the long runs"
    )
    return parser.parse_args(words)


def measured(asked: argparse.Namespace) -> Iterator[Measure]:
    """Every figure, one after the other."""
    requests = QUICK_REQUESTS if asked.quick else None
    yield from measures.engine("pdd_43a_32b", requests, asked.repeat, 20_000)
    yield from measures.engine("bench_4p4d", None, asked.repeat, None)
    yield from measures.comparison(requests, 1 if asked.quick else 2)
    yield from measures.capacities(requests)
    yield from measures.running_twin(600.0 if asked.quick else measures.WARM_S, asked.repeat)
    if not asked.quick:
        yield from measures.scales(SCALES)


def in_steps(measure: Measure, steps_s: float) -> str:
    """The work behind a figure in steps of the calibrating loop."""
    return "" if measure.cpu_s is None else f"{measure.cpu_s * steps_s:,.0f}"


def budget(measure: Measure) -> str:
    """The budget as words, and whether it is kept."""
    if measure.budget is None:
        return ""
    sign = ">=" if measure.better == "more" else "<="
    return f"{sign} {measure.budget:,g}{'' if measure.kept else '  OVER'}"


def row(measure: Measure, steps_s: float) -> str:
    """A line of the table."""
    value = f"{measure.value:,.{measure.digits}f}"
    steps = in_steps(measure, steps_s)
    return (
        f"{measure.what:<45} {value:>10} {measure.unit:<14} {budget(measure):<16} {steps:>14}"
    ).rstrip()


def record(measure: Measure, steps_s: float) -> dict[str, Any]:
    """A figure for programs."""
    return {
        "what": measure.what,
        "value": measure.value,
        "unit": measure.unit,
        "budget": measure.budget,
        "kept": measure.kept,
        "calibrating_steps": None if measure.cpu_s is None else measure.cpu_s * steps_s,
    }


def main(words: Sequence[str]) -> int:
    """Measure and tell; results on standard output, the rest on standard error."""
    asked = arguments(words)
    steps_s = steps_per_s()
    machine = f"Python {platform.python_version()}, {platform.machine()}"
    if not asked.json:
        print(f"{machine}; the calibrating loop does {steps_s:,.0f} steps in a CPU second\n")
        print(f"{'':<45} {'measured':>10} {'':<14} {'budget':<16} {'in loop steps':>14}")
    found = []
    began = time.process_time()
    for measure in measured(asked):
        found.append(measure)
        if asked.json:
            print(row(measure, steps_s), file=sys.stderr, flush=True)
        else:
            print(row(measure, steps_s), flush=True)
    if asked.json:
        figures = [record(measure, steps_s) for measure in found]
        told = {"machine": machine, "steps_per_cpu_s": steps_s, "figures": figures}
        print(json.dumps(told, indent=2))
    print(f"\n{time.process_time() - began:.0f} s of CPU, long runs not counted", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
