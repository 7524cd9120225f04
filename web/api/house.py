"""All that the API works with, opened and closed in order."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any, cast

from fastapi import Depends, Request

from db.store import Store
from db.tables import SavedTrace

from ..settings import MIB, Settings
from .forecasts import Forecasters
from .jobs import Jobs
from .memory import Memory
from .processes import Crew
from .supervisor import Supervisor
from .trace_files import TraceFiles


class House:
    """Settings, memory, workers and running twins of one server."""

    def __init__(
        self, settings: Settings, store: Store, now: Callable[[], float] = time.time
    ) -> None:
        self.settings = settings
        self.store = store
        self.now = now
        self.began_at = now()
        self.stopping = asyncio.Event()
        self.reading = asyncio.Semaphore(1)
        self.uploads = 0
        self.sample: SavedTrace | None = None
        self.upload_bytes = int(settings.upload_mib * MIB)
        self.trace_files = TraceFiles(settings.data / "traces")

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Everything works inside; afterwards all is kept and no process is left."""
        settings = self.settings
        self.memory = Memory(self.store)
        self.crew = Crew(settings.spares)
        self.forecasters = Forecasters(self.crew, settings.forecasters)
        self.twins = Supervisor(settings, self.memory, self.crew, self.forecasters, self.now)
        self.jobs = Jobs(settings, self.memory, self.crew, self.trace_files, self.now)
        self.crew.fill()
        try:
            await self.twins.start()
            await self.jobs.start()
            yield
        finally:
            self.stopping.set()
            await self.jobs.close()
            await self.twins.close()
            await self.crew.close()
            self.memory.close()

    def stop_with(self, *signals: signal.Signals) -> None:
        """Have endless answers end as soon as the server is told to stop: it waits for them."""
        loop = asyncio.get_running_loop()
        for number in signals:
            before = signal.getsignal(number)

            def stop(sign: int, frame: Any, before: Any = before) -> None:
                loop.call_soon_threadsafe(self.stopping.set)
                if callable(before):
                    before(sign, frame)

            signal.signal(number, stop)


def _house(request: Request) -> House:
    return cast(House, request.app.state.house)


TheHouse = Annotated[House, Depends(_house)]
"""The house of the app that answers a request."""
