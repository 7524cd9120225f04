"""Runs over HTTP: ask for one, see how it stands, get what it said, cancel it."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from typing import Any

import orjson
from fastapi import APIRouter
from starlette.responses import StreamingResponse

from db.tables import Run
from twin.compare import on_same_requests
from twin.errors import Problem, RunError, shown
from twin.scenario import Scenario
from twin.version import VERSION

from . import library, traces
from .answers import moment
from .asked import Named, RunWanted
from .bodies import StrictRoute
from .house import House, TheHouse

router = APIRouter(prefix="/runs", tags=["runs"], route_class=StrictRoute)

Frozen = dict[str, Any]


@router.post("", status_code=202)
async def ask(asked: RunWanted, house: TheHouse) -> Frozen:
    """Ask for a run, a capacity or a comparison; the same one again is not computed twice."""
    scenario = await library.asked_for(house.memory, asked.scenario)
    scenario = library.with_values(scenario, asked.set)
    library.check_length(scenario)
    baseline = await _baseline(house, asked, scenario)
    trace, workload = await _trace(house, asked)
    digests = [scenario.digest(), baseline.digest() if baseline else "", workload]
    words = [asked.kind, *digests, str(asked.seed), VERSION]
    identity = hashlib.sha256("\n".join(words).encode()).hexdigest()
    job = {
        "scenario": scenario.model_dump(mode="json"),
        "baseline": baseline.model_dump(mode="json") if baseline else None,
        "seed": asked.seed,
        "trace": trace,
    }
    return {"id": await house.jobs.ask(asked.kind, scenario.name, identity, job)}


async def _baseline(house: House, asked: RunWanted, scenario: Scenario) -> Scenario | None:
    if asked.kind != "compare":
        return None
    if asked.baseline is None:
        raise RunError(Problem("baseline", "absent", "a comparison needs one, such as same_dc_88a"))
    other = await library.asked_for(house.memory, asked.baseline)
    library.check_prices(other, scenario)
    return on_same_requests(scenario, other)[1]


async def _trace(house: House, asked: RunWanted) -> tuple[str | None, str]:
    """The id of the trace and what names the workload."""
    if asked.trace is None:
        return None, "drawn"
    if asked.kind != "run":
        remedy = f"a {asked.kind} draws its requests: leave the trace out, or ask for a run"
        raise RunError(Problem("trace", shown(asked.trace), remedy))
    row = await traces.find(house, asked.trace)
    return row.id, row.digest


@router.get("")
async def present(house: TheHouse) -> list[Frozen]:
    """The newest runs, without their results."""
    return [_listed(run, progress) for run, progress in await house.jobs.latest()]


@router.get("/{run_id}")
async def one(run_id: Named, house: TheHouse) -> Frozen:
    """A run and, when it is done, what it said."""
    run, progress = await house.jobs.find(run_id)
    return {**_listed(run, progress), "result": run.result if run.status == "done" else None}


@router.delete("/{run_id}", status_code=204)
async def cancel(run_id: Named, house: TheHouse) -> None:
    """Cancel a run, one that is being carried out too."""
    await house.jobs.cancel(run_id)


@router.get("/{run_id}/events", response_class=StreamingResponse)
async def events(run_id: Named, house: TheHouse) -> StreamingResponse:
    """How a run stands, as server-sent events, until it has ended."""
    await house.jobs.find(run_id)  # so that an unknown one is an error and no empty stream
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingResponse(
        _events(house, run_id), media_type="text/event-stream", headers=headers
    )


async def _events(house: House, run_id: str) -> AsyncIterator[bytes]:
    async for change in house.jobs.changes(run_id, house.stopping):
        yield b"data: " + orjson.dumps(change) + b"\n\n"


def _listed(run: Run, progress: float) -> Frozen:
    return {
        "id": run.id, "kind": run.kind, "status": run.status, "progress": progress,
        "scenario_name": run.scenario_name, "study": run.asked.get("study"),
        "seed": run.asked.get("seed"), "error": run.error,
        "created_at": moment(run.created_at), "finished_at": moment(run.finished_at),
    }  # fmt: skip
