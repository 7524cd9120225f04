"""Worker processes: started one after the other, some kept ready, none left behind."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import os
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.process import BaseProcess
from typing import Any

from . import child
from .wire import Ended, Message, pack, read

STREAM_BYTES = 2**22
END_S = 2.0
"""A worker that has been told to end is killed after so long (s)."""

REFILL_AFTER_S = 1.0

TRIES = 3
"""Workers in a row that end before they are ready, after which nobody waits for more."""


class NoWorker(Exception):
    """No worker process can be had."""


class Child:
    """One worker process, as the server sees it; questions get numbered answers."""

    def __init__(
        self,
        process: BaseProcess,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        on_gone: Callable[[Child], None],
    ) -> None:
        self.process = process
        self._on_gone = on_gone
        self.pid = process.pid or 0
        self.ended = False
        self._ending = False
        self._reader, self._writer = reader, writer
        self._listening: asyncio.Task[None] | None = None

    async def next_message(self) -> Message:
        """The next message of a worker that nobody listens to yet; Ended when there is none."""
        return await read(self._reader)

    def listen(self, on_message: Callable[[Message], None], on_end: Callable[[], None]) -> None:
        """Hand over every message as it comes, and tell when it has died by itself."""
        self._listening = asyncio.create_task(self._listen(on_message, on_end))

    async def _listen(
        self, on_message: Callable[[Message], None], on_end: Callable[[], None]
    ) -> None:
        with contextlib.suppress(Ended):
            while True:
                on_message(await read(self._reader))
        self.ended = True
        if not self._ending:
            on_end()
        await self._bury()

    def post(self, *message: Any) -> None:
        """Send a message; one that comes too late for its reader is lost with it."""
        if not self._writer.is_closing():
            self._writer.write(pack(message))

    def kill(self) -> None:
        """End the process at once."""
        with contextlib.suppress(ValueError, ProcessLookupError):
            self.process.kill()

    async def end(self) -> None:
        """Have the process end, and see it gone; it holds nothing that is needed."""
        self._ending = True
        with contextlib.suppress(ValueError, ProcessLookupError):
            self.process.terminate()
        if self._listening is None:
            await self._bury()
            return
        _, going_on = await asyncio.wait({self._listening}, timeout=END_S)
        if going_on:
            self.kill()
            await asyncio.wait(going_on, timeout=END_S)

    async def _bury(self) -> None:
        self.ended = True
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()
        await asyncio.to_thread(self._reap)
        self._on_gone(self)

    def _reap(self) -> None:
        with contextlib.suppress(ValueError, AssertionError):
            self.process.join(END_S)
            if self.process.is_alive():
                self.process.kill()
                self.process.join(END_S)
            self.process.close()


class Crew:
    """Starts workers; `spares` are kept ready so that who needs one does not wait for it."""

    def __init__(self, spares: int) -> None:
        self.spares = spares
        self._ready: asyncio.Queue[Child | NoWorker] = asyncio.Queue()
        self._all: set[Child] = set()  # nothing else need hold one that is at work
        self._coming = 0
        self._waiting = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._context = multiprocessing.get_context("spawn")
        self._starter = ThreadPoolExecutor(1, "start-worker", initializer=_leave_interrupts)
        self._closed = False

    def fill(self) -> None:
        """Have as many workers ready, or coming, as are waited for and kept spare."""
        while not self._closed and self._ready.qsize() + self._coming < self.spares + self._waiting:
            self._start_one()

    def _start_one(self) -> None:
        self._coming += 1
        task = asyncio.create_task(self._bring())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _bring(self) -> None:
        try:
            for tried in itertools.count(1):
                try:
                    self._ready.put_nowait(await self._start())
                    return
                except (Ended, OSError) as error:
                    if tried == TRIES or self._closed:
                        self._ready.put_nowait(NoWorker(f"worker processes end at once: {error}"))
                        return
        finally:
            self._coming -= 1

    async def _start(self) -> Child:
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                loop = asyncio.get_running_loop()
                process = await loop.run_in_executor(self._starter, self._process, theirs)
            reader, writer = await asyncio.open_connection(sock=ours, limit=STREAM_BYTES)
        except BaseException:
            ours.close()
            raise
        started = Child(process, reader, writer, self._all.discard)
        self._all.add(started)
        try:
            await started.next_message()  # it says that it is ready
        except BaseException:
            await started.end()
            raise
        return started

    def _process(self, theirs: socket.socket) -> BaseProcess:
        process = self._context.Process(
            target=child.main, args=(theirs, os.getpid()), daemon=True, name="pdd-twin-worker"
        )
        process.start()
        return process

    async def take(self, role: str) -> Child:
        """A worker that is `role` from now on; NoWorker when none can be had.

        The next spare one is started a little later, so as not to be in the way of this one.
        """
        while True:
            self._waiting += 1
            if self._ready.qsize() < self._waiting:
                self.fill()
            try:
                found = await self._ready.get()
            finally:
                self._waiting -= 1
            asyncio.get_running_loop().call_later(REFILL_AFTER_S, self.fill)
            if isinstance(found, NoWorker):
                raise found
            if found.process.is_alive():
                found.post(role)
                return found

    async def close(self) -> None:
        """End all workers, those at work too."""
        self._closed = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(one.end() for one in list(self._all)))
        self._starter.shutdown(wait=False)


def _leave_interrupts() -> None:
    """Workers inherit this thread's mask: Ctrl-C does not hit one before it can ignore it."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
