"""One viewer of a running twin: the latest frame, never a queue of them; all else in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

MOST_WAITING = 1000
"""A viewer who lets so many messages wait is gone."""

MOST_SAMPLES = 360
"""Samples of a course that are kept for a viewer who lags behind: half a simulated hour."""

PATIENCE_S = 30.0
"""A viewer who takes nothing for so long is gone."""

Send = Callable[[str], Awaitable[None]]


class Gone(Exception):
    """The viewer takes nothing any more."""


class Viewer:
    """What still has to go to one viewer. `ready` once it has been told of the whole twin."""

    def __init__(self) -> None:
        self.ready = False
        self.overrun = False
        self._look: tuple[str, bool] | None = None
        self._messages: deque[str] = deque()
        self._wake = asyncio.Event()

    def show(self, look: str, carries: bool) -> None:
        """The latest frame; `carries` when it has tiles or samples that no later one has."""
        if not self.ready:
            return
        missed = self._look
        if missed is not None and missed[1]:
            look, carries = with_missed(look, missed[0]), True
        self._look = (look, carries)
        self._wake.set()

    def tell(self, message: str) -> None:
        """A message that must arrive, in order."""
        self.overrun = self.overrun or len(self._messages) >= MOST_WAITING
        self._messages.append(message)
        self._wake.set()

    def forget_look(self) -> None:
        """Drop a frame that has not gone out: the viewer moves to another twin."""
        self._look = None
        self.ready = False

    async def serve(self, send: Send) -> None:
        """Send what there is as long as the viewer takes it; Gone when not."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while (message := self._next()) is not None:
                try:
                    async with asyncio.timeout(PATIENCE_S):
                        await send(message)
                except TimeoutError:
                    raise Gone from None

    def _next(self) -> str | None:
        if self.overrun:
            raise Gone
        if self._messages:
            return self._messages.popleft()
        if self._look is None:
            return None
        look, self._look = self._look[0], None
        return look


def with_missed(look: str, missed: str) -> str:
    """A frame that also carries what an earlier one, which never went out, carried."""
    now, before = orjson.loads(look), orjson.loads(missed)
    if "tiles" in before:
        now.setdefault("tiles", before["tiles"])
    for name in ("course", "baseline_course"):
        if name in before:
            now[name] = joined(before[name], now.get(name))
    return orjson.dumps(now).decode()


def joined(first: dict[str, Any], then: dict[str, Any] | None) -> dict[str, Any]:
    """Two pieces of a course, one after the other; the oldest samples go when they are many."""
    if then is None:
        return first
    values = {
        name: [*course, *then["values"].get(name, ())][-MOST_SAMPLES:]
        for name, course in first["values"].items()
    }
    return {"time_s": [*first["time_s"], *then["time_s"]][-MOST_SAMPLES:], "values": values}
