"""The database seen from the event loop: one thread writes, in the order asked; others read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from db.store import Store

from .errors import explained

Asked = ParamSpec("Asked")
Said = TypeVar("Said")


class Memory:
    """`write` and `keep` take their turn when they are called, not when they are awaited."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._writer = ThreadPoolExecutor(1, "write-database")
        self._readers = ThreadPoolExecutor(2, "read-database")

    def write(
        self,
        change: Callable[Concatenate[Any, Asked], Said],
        *args: Asked.args,
        **named: Asked.kwargs,
    ) -> asyncio.Future[Said]:
        """Carry out `change(session, ...)`; done means that it outlives a crash of the program."""
        return self._submit(self._writer, partial(self.store.write, change, *args, **named))

    def write_aside(
        self,
        change: Callable[Concatenate[Any, Asked], Said],
        *args: Asked.args,
        **named: Asked.kwargs,
    ) -> None:
        """As `write`, for what nobody waits for: a failure is logged."""
        self.write(change, *args, **named).add_done_callback(_log_failure)

    def keep(
        self,
        change: Callable[Concatenate[Any, Asked], Said],
        *args: Asked.args,
        **named: Asked.kwargs,
    ) -> asyncio.Future[Said]:
        """As `write`, and done means that it outlives a power cut too."""
        return self._submit(self._writer, partial(self.store.keep, change, *args, **named))

    def read(
        self,
        ask: Callable[Concatenate[Any, Asked], Said],
        *args: Asked.args,
        **named: Asked.kwargs,
    ) -> asyncio.Future[Said]:
        """What `ask(session, ...)` says; writes under way may or may not be seen."""
        return self._submit(self._readers, partial(self.store.read, ask, *args, **named))

    def read_in_turn(
        self,
        ask: Callable[Concatenate[Any, Asked], Said],
        *args: Asked.args,
        **named: Asked.kwargs,
    ) -> asyncio.Future[Said]:
        """What `ask(session, ...)` says after everything that was written before."""
        return self._submit(self._writer, partial(self.store.read, ask, *args, **named))

    def _submit(self, executor: ThreadPoolExecutor, work: Callable[[], Any]) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(executor, work)

    def close(self) -> None:
        """Finish what is being written, and let go of the database."""
        self._writer.shutdown(wait=True)
        self._readers.shutdown(wait=True)
        self.store.close()


def _log_failure(done: asyncio.Future[Any]) -> None:
    error = None if done.cancelled() else done.exception()
    if error is not None:
        explained(error)
