"""What comes next for one running twin: its forecasts, made once for all who look at it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Any, Protocol

from .errors import ApiError
from .forecasts import Forecasters, message
from .viewers import Viewer

LOG = logging.getLogger(__name__)

HORIZON_S = 600.0
"""A forecast tells so many simulated seconds."""


class Seen(Protocol):
    """What an outlook needs of its twin."""

    id: str
    era: int
    entry: int
    viewers: set[Viewer]

    async def stand(self) -> bytes:
        """The checkpoint of this moment."""
        ...


class Outlook:
    """The forecasts of one twin; `latest` is the newest of the usual length, as JSON."""

    def __init__(self, twin: Seen, forecasters: Forecasters) -> None:
        self.latest: bytes | None = None
        self._twin = twin
        self._forecasters = forecasters
        self._wanted = False
        self._following: asyncio.Task[None] | None = None
        self._usual: tuple[asyncio.Task[bytes], tuple[int, int]] | None = None

    async def forecast(self, horizon_s: float = HORIZON_S) -> bytes:
        """What comes in the next `horizon_s`, as JSON."""
        return await self._forecasters.forecast(await self._twin.stand(), horizon_s)

    async def for_all(self, by: Viewer) -> bytes:
        """The usual forecast of about now: who asks while one is made gets the same one.

        All other viewers are told of it as well, so that they need not ask.
        """
        now = (self._twin.era, self._twin.entry)
        if self._usual is not None and not self._usual[0].done() and self._usual[1] == now:
            return await asyncio.shield(self._usual[0])
        task = asyncio.create_task(self.forecast())
        self._usual = (task, now)
        forecast = await asyncio.shield(task)
        if now == (self._twin.era, self._twin.entry):
            self.latest = forecast
            self._tell(self._twin.viewers - {by}, forecast)
        return forecast

    def want(self) -> None:
        """Have a forecast made from the latest state; there is at most one under way."""
        self._wanted = True
        if self._following is None or self._following.done():
            self._following = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        try:
            while self._wanted and self._twin.viewers:
                self._wanted = False
                era = self._twin.era
                forecast = await self.forecast()
                if era == self._twin.era:
                    self.latest = forecast
                    self._tell(self._twin.viewers, forecast)
        except ApiError as error:
            LOG.info("no forecast of twin %s: %s", self._twin.id, error.message)

    def _tell(self, viewers: Iterable[Viewer], forecast: bytes) -> None:
        text = message(self._twin.id, forecast)
        for viewer in viewers:
            viewer.tell(text)

    def close(self) -> None:
        """End what is under way."""
        tasks: list[asyncio.Task[Any] | None] = [self._following]
        tasks.append(None if self._usual is None else self._usual[0])
        for task in tasks:
            if task is not None:
                task.cancel()
