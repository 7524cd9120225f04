"""The one writer of the store: takes batches in turn, and says when each is kept for good."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

from db.samples import Batch, Taken

MOST_WAITING = 64
"""Batches that may wait; over it sources wait, and pushed ones are told to come again."""


class Keeps(Protocol):
    """What of the store is needed here."""

    def write(self, batch: Batch) -> Taken:
        """Keep a batch in one transaction."""
        ...

    def maintain(self, now_ms: int) -> Any:
        """A bounded piece of upkeep."""
        ...


class Overloaded(Exception):
    """Too much waits already; nothing of this batch was kept, so it may come again."""


@dataclass
class Counts:
    """Samples of one source since the start of this process."""

    received: int = 0
    stored: int = 0
    duplicate: int = 0
    dropped: int = 0
    rejected: Counter[str] = field(default_factory=Counter)


class Keeper:
    """Writes batches one after the other in a thread of its own."""

    def __init__(self, store: Keeps) -> None:
        self.store = store
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="keeper")
        self.waiting = 0
        self.counts: dict[str, Counts] = {}

    async def keep(self, batch: Batch, rejected: Counter[str] | None = None) -> Taken:
        """Returns when the batch is committed; Overloaded before anything of it is.

        `rejected` counts samples that were refused before they came here.
        """
        counts = self.counts.setdefault(batch.source, Counts())
        size = sum(len(one.time_ms) for one in batch.series)
        refused = rejected or Counter()
        if self.waiting >= MOST_WAITING:
            raise Overloaded
        self.waiting += 1
        try:
            loop = asyncio.get_running_loop()
            taken = await loop.run_in_executor(self.thread, self.store.write, batch)
        except Exception:
            counts.received += size + refused.total()
            counts.dropped += size
            counts.rejected += refused
            raise
        finally:
            self.waiting -= 1
        counts.received += taken.received + refused.total()
        counts.stored += taken.stored
        counts.duplicate += taken.duplicate
        counts.rejected += Counter(dict(taken.rejected)) + refused
        return taken

    async def upkeep(self, now_ms: int) -> Any:
        """A bounded piece of the store's upkeep, between two batches."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.thread, self.store.maintain, now_ms)

    async def read(self, what: Any, *arguments: Any) -> Any:
        """Carry out a reading function of the store in the same thread."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, what, *arguments)

    def close(self) -> None:
        """Wait for what is under way, and end."""
        self.thread.shutdown(wait=True)


def sources_of(counts: dict[str, Counts]) -> Sequence[str]:
    """Names of the sources that have sent something, in order."""
    return sorted(counts)
