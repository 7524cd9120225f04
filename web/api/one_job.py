"""Carries out one job in a worker process of its own, which ends with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from .errors import ApiError, of_problems
from .processes import Child, Crew, NoWorker
from .wire import Ended

Progress = Callable[[float], None]


async def carry_out(
    crew: Crew, what: str, asked: dict[str, Any], limit_s: float, progress: Progress | None = None
) -> dict[str, Any]:
    """What came of the job; ApiError when it fails. Whoever is cancelled cancels the job."""
    try:
        worker = await crew.take("job")
    except NoWorker as error:
        raise ApiError("busy", str(error)) from None
    try:
        async with asyncio.timeout(limit_s):
            worker.post(what, asked)
            return await _end_of(worker, progress)
    except TimeoutError:
        raise ApiError(
            "too_large", f"this takes longer than {limit_s:g} s: make it smaller"
        ) from None
    except Ended:
        raise ApiError("internal", "the job ended without a word; try a smaller one") from None
    finally:
        await asyncio.shield(worker.end())


async def _end_of(worker: Child, progress: Progress | None) -> dict[str, Any]:
    while True:
        kind, *said = await worker.next_message()
        if kind == "done":
            return said[0]
        if kind == "failed":
            code = {"TraceError": "trace_invalid", "ScenarioError": "scenario_invalid"}
            raise of_problems(code.get(said[0], "bad_request"), said[1])
        if progress is not None:
            progress(said[0])
