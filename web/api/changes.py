"""Changes that are carried out to their end, whether who asked for them still waits or not."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

from .errors import ApiError

PATIENCE_S = 60.0
"""Whoever asked for a change waits for so long (wall s)."""

CLOSING_S = 5.0
"""Changes under way when all ends have so long (wall s) to end; then they are broken off."""


class Changes:
    """The changes of one twin that are under way."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[Any]] = set()

    def begin(self, change: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Carry out a change; whoever awaits the task and is cancelled cancels it."""
        task = asyncio.create_task(change)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        task.add_done_callback(seen)
        return task

    async def through(self, change: Coroutine[Any, Any, Any]) -> Any:
        """What a change says; it goes on when nobody waits for it any more."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await asyncio.shield(self.begin(change))
        except TimeoutError:
            message = (
                f"the twin has not answered for {PATIENCE_S:g} s; what was asked is done, and "
                "shows in its log, as soon as it does"
            )
            raise ApiError("busy", message) from None

    async def ended(self) -> None:
        """Wait a little for what is under way, and for what comes of it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                while self._under_way:
                    await asyncio.wait(self._under_way)
        for task in self._under_way:
            task.cancel()


def seen(done: asyncio.Future[Any]) -> None:
    """Take note of a failure that perhaps nobody waits for any more."""
    if not done.cancelled():
        done.exception()
