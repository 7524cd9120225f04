"""A worker process that carries out one job: a run, a comparison, a study, a trace to read."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import orjson

from twin.compare import compare
from twin.engine.replay import ReplayLoad
from twin.engine.run import run
from twin.errors import Problem, RunError, TwinError
from twin.result import Result
from twin.scenario import Scenario
from twin.search import MOST_RUNS, capacity
from twin.workload.cache_profile import profile
from twin.workload.trace_table import Trace
from twin.workload.trace_text import Limits
from twin.workload.traces import read_trace

from . import study_shelf
from .wire import Ended, Wire

MOST_MEMORY_BYTES = 4 * 2**30
"""A job that needs more address space than this fails by itself, before others suffer."""

TRACE_LIMITS = Limits(
    content_bytes=256 * 2**20, rows=500_000, block_ids=5_000_000, line_bytes=8 * 2**20
)
"""How much of an uploaded trace is read: less than the command line reads of one's own files."""

TOLD_EVERY_S = 0.2
NICENESS = 5

Asked = dict[str, Any]
Progress = Callable[[float], None]


def a_run(asked: Asked, progress: Progress) -> Asked:
    """One run; the result."""
    scenario = Scenario.model_validate(asked["scenario"])
    load = None
    if asked["trace"] is not None:
        load = ReplayLoad(_trace(asked["trace"], None), scenario, asked["seed"])
    return run(scenario, asked["seed"], load, progress).model_dump(mode="json")


def a_capacity(asked: Asked, progress: Progress) -> Asked:
    """The load that just keeps the SLA."""
    tried = 0

    def counted(scenario: Scenario, seed: int) -> Result:
        nonlocal tried
        before, tried = tried, tried + 1

        def part(share: float) -> None:
            progress((before + share) / MOST_RUNS)

        return run(scenario, seed, progress=part, series=False)

    return asdict(capacity(Scenario.model_validate(asked["scenario"]), asked["seed"], counted))


def a_comparison(asked: Asked, progress: Progress) -> Asked:
    """A scenario beside its baseline, on the same requests."""
    both = [Scenario.model_validate(asked[name]) for name in ("baseline", "scenario")]

    def part(done: int, of: int) -> None:
        progress(done / of)

    return compare(both, [asked["seed"]], progress=part).model_dump(mode="json")


def a_trace(asked: Asked, progress: Progress) -> Asked:
    """What is known of an uploaded trace."""
    trace = _trace(asked["path"], asked["name"], lambda share: progress(share / 2))
    return {
        "name": trace.name,
        "format": trace.format,
        "digest": trace.digest,
        "profile": asdict(profile(trace)),
        "notes": list(trace.notes),
    }


def a_study(asked: Asked, progress: Progress) -> Asked:
    """A named computation with its arguments."""
    found = study_shelf.find(asked["study"])
    arguments = found.arguments.model_validate_json(orjson.dumps(asked["arguments"]))
    return found.work(arguments, progress)


def _trace(path: str, name: str | None, progress: Progress | None = None) -> Trace:
    return read_trace(path, name=name, limits=TRACE_LIMITS, progress=progress)


JOBS: dict[str, Callable[[Asked, Progress], Asked]] = {
    "run": a_run,
    "capacity": a_capacity,
    "compare": a_comparison,
    "trace": a_trace,
    "study": a_study,
}


def work(wire: Wire) -> None:
    """Carry out the job that comes, tell how far it is, and say what came of it."""
    with contextlib.suppress(Ended):
        message = wire.receive(None)
        if message is None:
            return
        _be_modest()
        what, asked = message
        try:
            wire.send(("done", JOBS[what](asked, _teller(wire))))
        except TwinError as error:
            wire.send(("failed", type(error).__name__, list(error.problems)))
        except MemoryError:
            remedy = f"needs more than {MOST_MEMORY_BYTES // 2**30} GiB of memory: make it smaller"
            wire.send(("failed", RunError.__name__, [Problem("the job", "", remedy)]))


def _teller(wire: Wire) -> Progress:
    """Tells progress, not more often than anyone can see."""
    told = float("-inf")

    def tell(share: float) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= TOLD_EVERY_S:
            told = now
            wire.send(("progress", min(1.0, max(0.0, share))))

    return tell


def _be_modest() -> None:
    """Running twins go first, and nobody takes all of the memory."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    try:
        import resource
    except ImportError:  # another system has no such limit
        return
    with contextlib.suppress(ValueError, OSError):
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, most))
