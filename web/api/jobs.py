"""Runs as jobs: asked, queued, carried out a few at a time, cancelled; their ends are kept."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Any

from db import runs
from db.tables import Run

from ..settings import Settings
from . import one_job
from .errors import ApiError, explained, not_found
from .memory import Memory
from .processes import Crew
from .trace_files import TraceFiles

LOG = logging.getLogger("pdd_twin")

MOST_QUEUED = 100

Frozen = dict[str, Any]


class Job:
    """A run that has not come to its end."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.progress = 0.0
        self.task: asyncio.Task[None] | None = None
        self.changed = asyncio.Event()

    def change(self) -> None:
        """Wake everybody who waits for a change."""
        self.changed.set()
        self.changed = asyncio.Event()


class Jobs:
    """Carries out a few runs at a time, in the order asked; quick ones have desks of their own."""

    def __init__(
        self,
        settings: Settings,
        memory: Memory,
        crew: Crew,
        files: TraceFiles,
        now: Callable[[], float],
    ) -> None:
        self._limit_s = settings.run_limit_s
        self._memory = memory
        self._crew = crew
        self._files = files
        self._now = now
        self._desks = asyncio.Semaphore(settings.run_workers)
        self._quick_desks = asyncio.Semaphore(settings.run_workers)
        self._jobs: dict[str, Job] = {}
        self._closing = False

    async def start(self) -> None:
        """Take up what an earlier server left unfinished."""
        for run in await self._memory.read(runs.under_way):
            self._begin(run)

    async def close(self) -> None:
        """Leave what is under way to the next server."""
        self._closing = True
        tasks = [job.task for job in self._jobs.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def ask(
        self, kind: str, scenario_name: str, identity: str, asked: Frozen, quick: bool = False
    ) -> str:
        """The id of a run that will be, is, or was carried out with just these inputs."""
        for job in self._jobs.values():
            if job.run.identity == identity:
                return job.run.id
        done = await self._memory.read(runs.same, identity)
        if done is not None:
            return done.id
        if len(self._jobs) >= MOST_QUEUED:
            raise ApiError("busy", f"{MOST_QUEUED} runs are waiting already; try again later")
        run = Run(
            id=secrets.token_hex(8), kind=kind, status="queued", scenario_name=scenario_name,
            identity=identity, asked={**asked, "quick": quick}, created_at=self._now(),
        )  # fmt: skip
        await self._memory.keep(runs.add, run)
        self._begin(run)
        return run.id

    def _begin(self, run: Run) -> None:
        job = self._jobs[run.id] = Job(run)
        run.status = "queued"
        job.task = asyncio.create_task(self._carry_out(job))

    async def _carry_out(self, job: Job) -> None:
        run = job.run
        result = error = None
        trace = run.asked.get("trace")
        path = None if trace is None else str(self._files.path(trace))
        try:
            async with self._quick_desks if run.asked.get("quick") else self._desks:
                run.status = "running"
                job.change()
                result = await one_job.carry_out(
                    self._crew,
                    run.kind,
                    {**run.asked, "trace": path},
                    self._limit_s,
                    self._teller(job),
                )
            status = "done"
        except asyncio.CancelledError:
            if self._closing:
                raise
            status = "cancelled"
        except Exception as failure:
            status, error = "failed", explained(failure).body()["error"]
        await asyncio.shield(self._end(job, status, result, error))

    async def _end(
        self, job: Job, status: str, result: Frozen | None, error: Frozen | None
    ) -> None:
        run = job.run
        now = self._now()
        await self._memory.keep(runs.finish, run.id, status, now, result=result, error=error)
        run.status, run.finished_at, run.result, run.error = status, now, result, error
        self._jobs.pop(run.id, None)
        job.change()

    def _teller(self, job: Job) -> Callable[[float], None]:
        def tell(share: float) -> None:
            job.progress = share
            job.change()

        return tell

    async def cancel(self, run_id: str) -> None:
        """Cancel a run, or forget about one that has come to its end already."""
        job = self._jobs.get(run_id)
        if job is None or job.task is None:
            run, _ = await self.find(run_id)
            raise ApiError("conflict", f"this run is {run.status} already")
        job.task.cancel()
        await asyncio.wait({job.task})
        if run_id in self._jobs:  # it was cancelled before it had begun
            await self._end(job, "cancelled", None, None)

    async def find(self, run_id: str) -> tuple[Run, float]:
        """A run and the share of it that is done; ApiError when there is none."""
        job = self._jobs.get(run_id)
        if job is not None:
            return job.run, job.progress
        run = await self._memory.read_in_turn(runs.find, run_id)
        if run is None:
            raise not_found("run", run_id)
        return run, 1.0 if run.status == "done" else 0.0

    async def latest(self) -> list[tuple[Run, float]]:
        """The newest runs."""
        found = await self._memory.read_in_turn(runs.latest)
        jobs = self._jobs
        return [
            (jobs[run.id].run, jobs[run.id].progress)
            if run.id in jobs
            else (run, 1.0 if run.status == "done" else 0.0)
            for run in found
        ]

    async def changes(self, run_id: str, stopping: asyncio.Event) -> AsyncIterator[Frozen]:
        """How a run stands, now and after each change, until it has ended."""
        while True:
            job = self._jobs.get(run_id)
            run, progress = await self.find(run_id)
            yield {"id": run.id, "status": run.status, "progress": progress}
            if job is None or stopping.is_set():
                return
            stop = asyncio.ensure_future(stopping.wait())
            change = asyncio.ensure_future(job.changed.wait())
            try:
                await asyncio.wait({stop, change}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                stop.cancel()
                change.cancel()
