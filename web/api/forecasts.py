"""The forecasters: processes that run copies of twins ahead, away from twins and server."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from .errors import ApiError
from .processes import Child, Crew
from .wire import Message

LONGEST_S = 10.0
"""A forecast that takes longer (wall s) is given up, with the process that made it."""


class Forecaster:
    """One forecasting process."""

    def __init__(self, worker: Child) -> None:
        self.worker = worker
        self._numbers = itertools.count()
        self._asked: dict[int, asyncio.Future[bytes]] = {}
        worker.listen(self._on_message, self._on_end)

    async def forecast(self, checkpoint: bytes, horizon_s: float) -> bytes:
        """The forecast from a checkpoint as JSON."""
        number = next(self._numbers)
        answer = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        self.worker.post("forecast", number, checkpoint, horizon_s)
        async with asyncio.timeout(LONGEST_S):
            return await answer

    @property
    def busy(self) -> bool:
        """Something that was asked has no answer yet."""
        return bool(self._asked)

    def _on_message(self, message: Message) -> None:
        _, number, said = message
        answer = self._asked.pop(number, None)
        if answer is not None and not answer.done():
            answer.set_result(said)

    def _on_end(self) -> None:
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(ApiError("internal", "the forecast could not be computed"))
        self._asked.clear()


class Forecasters:
    """At most `count` forecasts are computed at once; others wait for their turn."""

    def __init__(self, crew: Crew, count: int) -> None:
        self._crew = crew
        self._idle: asyncio.LifoQueue[Forecaster | None] = asyncio.LifoQueue()
        for _ in range(count):
            self._idle.put_nowait(None)  # a process is taken when it is first needed

    async def warm(self) -> None:
        """Have the first forecaster ready before anyone asks."""
        idle = await self._idle.get()
        self._idle.put_nowait(idle or await self._another())

    async def _another(self) -> Forecaster:
        return Forecaster(await self._crew.take("forecasts"))

    async def forecast(self, checkpoint: bytes, horizon_s: float) -> bytes:
        """What comes in the next `horizon_s` (simulated s), as JSON; ApiError when it cannot be."""
        free = await self._idle.get()
        try:
            if free is None or free.worker.ended:
                free = None
                free = await self._another()
            return await free.forecast(checkpoint, horizon_s)
        except TimeoutError:
            remedy = f"the forecast takes longer than {LONGEST_S:g} s: ask for a shorter one"
            raise ApiError("busy", remedy) from None
        finally:
            if free is not None and free.busy:  # given up in the middle: it is of no use now
                free.worker.kill()
                free = None
            self._idle.put_nowait(free)


def message(twin: str, forecast: bytes, ask: Any = None) -> str:
    """A forecast as it goes to viewers."""
    head = f'{{"type":"forecast","twin":"{twin}",'
    if ask is not None:
        head += f'"id":{ask},'
    return head + forecast.decode()[1:]
