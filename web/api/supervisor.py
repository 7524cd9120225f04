"""All running twins: makes, forks, finds, puts to sleep and forgets them; minds the shared one."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from db import twins
from db.tables import Twin
from twin.engine.checkpoint import FORMAT
from twin.scenario import Scenario
from twin.scenario_file import load, shipped_folder
from twin.version import VERSION

from ..settings import Settings
from .changes import Changes, seen
from .errors import ApiError, explained, not_found
from .forecasts import Forecasters
from .live_twin import LiveTwin
from .memory import Memory
from .orders import Order, sorted_out
from .processes import Crew
from .told import unfinished
from .viewers import Viewer

LOG = logging.getLogger("pdd_twin")

DEFAULT = "default"
DEFAULT_SCENARIO = "pdd_43a_32b"
DEFAULT_BASELINE = "same_dc_88a"
DEFAULT_PACE = 10.0
WARM_S = 7200.0
DEFAULT_SEED = 1  # a course near the mean of many: ten minutes of another begin at 2.7 s TTFT P50
"""The default twin is shown from its third simulated hour on, when it has settled."""

OLDEST_DEFAULT_S = 7 * 86_400.0
"""A default twin that has run for so long (simulated s) begins anew when it next wakes."""

ROUND_EVERY_S = 5.0
"""How often it is kept where all twins stand, and looked whether one may sleep (wall s)."""


@dataclass(frozen=True)
class Wanted:
    """A twin that somebody wants."""

    scenario: Scenario
    baseline: Scenario | None = None
    seed: int = 0
    pace: float = DEFAULT_PACE
    warm_s: float = 0.0
    title: str = ""
    name: str | None = None
    shared: bool = False


class Supervisor:
    """Knows every twin; at most `settings.most_twins` of them run at the same time."""

    def __init__(
        self,
        settings: Settings,
        memory: Memory,
        crew: Crew,
        forecasters: Forecasters,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.settings = settings
        self.twins: dict[str, LiveTwin] = {}
        self._memory = memory
        self._crew = crew
        self._forecasters = forecasters
        self._now = now
        self._making_room = asyncio.Lock()
        self._coming: set[LiveTwin] = set()
        self._come = asyncio.Event()
        self._keeping = Changes()
        self._making_default = asyncio.Lock()
        self._default_wanted: Wanted | None = None
        self._rounds: asyncio.Task[None] | None = None
        self._first: asyncio.Task[None] | None = None

    # --- beginning and end

    async def start(self) -> None:
        """Take up the twins that are kept; the default one wakes in the background."""
        if self.settings.forget_days:
            since = self._now() - self.settings.forget_days * 86_400
            for name in await self._memory.read(twins.forgotten, since):
                await self._memory.write(twins.delete, name)
        for row in await self._memory.read(twins.present):
            log = await self._memory.read(twins.log, row.id)
            self.twins[row.id] = self._live(row, log)
        for name in await self._memory.read(twins.unfinished):
            self.twins[name].failed = unfinished()
        self._first = asyncio.create_task(self._ready_default())
        self._rounds = asyncio.create_task(self._go_round())

    async def _ready_default(self) -> None:
        try:
            await self.awake(DEFAULT)
        except ApiError as error:
            LOG.error("the default twin cannot be shown: %s", error.message)
        except Exception as error:
            explained(error)

    async def close(self) -> None:
        """Keep all twins as they stand, and end their processes."""
        for task in (self._rounds, self._first):
            if task is not None:
                task.cancel()
        await self._keeping.ended()
        await asyncio.gather(
            *(live.close() for live in self.twins.values()), return_exceptions=True
        )

    async def _go_round(self) -> None:
        while True:
            await asyncio.sleep(min(ROUND_EVERY_S, self.settings.sleep_after_s / 2))
            try:
                await self.keep_all()
                for live in self._unwatched():
                    if self._now() - live.unwatched_since > self.settings.sleep_after_s:
                        await live.sleep()
            except Exception as error:
                explained(error)  # it is logged; the next round comes anyway

    async def keep_all(self) -> None:
        """Keep where all running twins stand."""
        seen = [live.seen() for live in self.twins.values() if not live.asleep]
        await self._memory.keep(twins.note_all, seen)

    # --- finding and making room

    async def find(self, name: str) -> LiveTwin:
        """The twin of this name; the default one is made when it is not there."""
        if name == DEFAULT:
            return await self._default()
        live = self.twins.get(name)
        if live is None:
            raise not_found("twin", name)
        return live

    async def awake(self, name: str) -> LiveTwin:
        """The twin of this name, running; the default one is made anew when it cannot be woken."""
        live = await self.find(name)
        try:
            await self.wake(live)
        except ApiError:
            if name != DEFAULT or not _ruined(live):
                raise
            live = await self.find(name)
        return live

    async def wake(self, live: LiveTwin) -> None:
        """Have a twin run, if need be in the place of another one."""
        live.touch()
        if live.asleep:
            async with self._place(live):
                await live.wake()

    @asynccontextmanager
    async def _place(self, newcomer: LiveTwin) -> AsyncIterator[None]:
        """Room for one more running twin; ApiError when there is none."""
        async with self._making_room:
            await self._make_room(newcomer)
            self._coming.add(newcomer)
        try:
            yield
        finally:
            self._coming.discard(newcomer)
            self._come.set()

    async def _make_room(self, newcomer: LiveTwin) -> None:
        """Put twins to sleep until one more may run; those that are still coming are waited for."""
        while True:
            running = {live for live in self.twins.values() if not live.asleep} | self._coming
            if newcomer in running or len(running) < self.settings.most_twins:
                return
            self._come.clear()
            unwatched = [live for live in self._unwatched() if live not in self._coming]
            if unwatched:
                await unwatched[0].sleep()
            elif self._coming:
                await self._come.wait()
            else:
                raise ApiError("busy", self._all_watched())

    def _all_watched(self) -> str:
        most = self.settings.most_twins
        return f"all {most} twins that may run are being watched; try again later"

    def _unwatched(self) -> list[LiveTwin]:
        """Running twins without viewers, the one that has been so longest first."""
        running = [live for live in self.twins.values() if not live.asleep and not live.viewers]
        return sorted(running, key=lambda live: live.unwatched_since)

    def _live(self, row: Twin, log: list[dict[str, Any]]) -> LiveTwin:
        return LiveTwin(row, log, self._memory, self._crew, self._forecasters, self._now)

    # --- making and forking

    async def create(self, wanted: Wanted) -> LiveTwin:
        """A new twin, running; kept when this returns."""
        row = self._row(wanted)
        live = self._live(row, [])
        await self._memory.keep(twins.add, row)
        try:
            async with self._place(live):
                made = live.made(
                    scenario=wanted.scenario.model_dump(mode="json"),
                    baseline=wanted.baseline and wanted.baseline.model_dump(mode="json"),
                    seed=wanted.seed,
                    until=wanted.warm_s,
                )
                await live.begin(made)
                await live.keep()  # and so the states that it has sent before
                self.twins[live.id] = live
        except BaseException:
            await live.process.end()
            await self._memory.write(twins.delete, row.id)
            raise
        return live

    def _row(self, wanted: Wanted) -> Twin:
        now = self._now()
        title = (wanted.title or wanted.scenario.title).replace("\x00", "")
        return Twin(
            id=wanted.name or new_name(), title=title,
            scenario_name=wanted.scenario.name,
            baseline_name=wanted.baseline.name if wanted.baseline else None,
            seed=wanted.seed, origin=origin(wanted), pace=wanted.pace, paused=False, t=0.0, entry=0,
            created_at=now, seen_at=now, shared=wanted.shared, kept=True,
        )  # fmt: skip

    async def fork(
        self, parent: LiveTwin, at_s: float | None = None, orders: Sequence[Order] = ()
    ) -> LiveTwin:
        """A copy of `parent` as it is now, or was at `at_s`, with `orders` carried out in it.

        Kept when this returns; ApiError when an order is refused, and then there is no copy.
        """
        live, _, kept = await self.fork_now(parent, at_s, orders)
        await asyncio.shield(kept)
        return live

    async def fork_now(
        self,
        parent: LiveTwin,
        at_s: float | None = None,
        orders: Sequence[Order] = (),
        by: Viewer | None = None,
    ) -> tuple[LiveTwin, list[dict[str, Any]], asyncio.Future[None]]:
        """As `fork`, but the copy can be shown before it is kept.

        The copy, the entries of the orders, of which `by` is not told, and what is done once all
        of it is kept, or fails once the copy is gone again.
        """
        if parent.row.shared and self._default_wanted is not None:  # never turned: check it here
            wanted = self._default_wanted
            sorted_out(wanted.scenario, wanted.baseline, orders)
        now, entry, kept, more = await self._as_it_was(parent, at_s)
        live = self._live(self._copy_of(parent, now, entry), parent.log_until(entry))
        async with self._place(live):
            keeping: asyncio.Future[Any] = self._memory.keep(
                twins.fork, live.row, now, entry, kept, live.logged
            )
            keeping.add_done_callback(seen)
            try:
                await live.begin(live.made(**more))
                self.twins[live.id] = live
                entries, ordered = await live.order_now(orders, by) if orders else ([], keeping)
            except BaseException:
                await self._drop(live)
                raise
        return live, entries, self._keeping.begin(self._kept_or_gone(live, keeping, ordered))

    async def _kept_or_gone(self, live: LiveTwin, *kept: asyncio.Future[Any]) -> None:
        try:
            await asyncio.gather(*kept)
        except Exception:
            await self._drop(live)
            raise

    async def _as_it_was(
        self, parent: LiveTwin, at_s: float | None
    ) -> tuple[float, int, bytes | None, dict[str, Any]]:
        """Time, entry and state of the copy, as far as this is not kept, and what makes it."""
        if at_s is None and not parent.asleep:
            state = await parent.process.ask("state", True)
            more = {"checkpoint": state["checkpoint"], "memory": state["memory"]}
            return state["t"], state["entry"], state["checkpoint"], more
        now = parent.t if at_s is None else at_s
        start = await self._start_of(parent, now)
        entry = start.log[-1]["number"] if start.log else start.entry
        return now, entry, None, {"checkpoint": start.state, "log": start.log, "until": now}

    async def _start_of(self, parent: LiveTwin, at_s: float) -> twins.Start:
        if at_s > parent.t:
            raise ApiError("bad_request", f"the twin has come to {parent.t:.0f} s only")
        return await parent.start_at(at_s)

    def _copy_of(self, parent: LiveTwin, at_s: float, entry: int) -> Twin:
        was, now = parent.row, self._now()
        return Twin(
            id=new_name(), title=was.title, scenario_name=was.scenario_name,
            baseline_name=was.baseline_name, seed=was.seed, origin=was.origin, pace=was.pace,
            paused=was.paused, t=at_s, entry=entry, created_at=now, seen_at=now, parent=was.id,
            forked_at_s=at_s,
        )  # fmt: skip

    async def delete(self, live: LiveTwin) -> None:
        """Forget a twin for good; when that cannot be kept, it is there still."""
        await self._end(live)
        try:
            await self._memory.keep(twins.delete, live.id)
        except BaseException:
            self.twins[live.id] = live
            raise

    async def _drop(self, live: LiveTwin) -> None:
        """Forget a twin of which nobody should know, as well as may be."""
        await self._end(live)
        try:
            await self._memory.keep(twins.delete, live.id)
        except Exception as error:
            explained(error)

    async def _end(self, live: LiveTwin) -> None:
        self.twins.pop(live.id, None)
        live.tell({"type": "gone", "twin": live.id})
        live.asleep = True
        await live.process.end()

    # --- the default one

    async def _default(self) -> LiveTwin:
        """The twin that everybody sees first, warmed."""
        async with self._making_default:
            if self._default_wanted is None:
                self._default_wanted = default_twin()
            wanted = self._default_wanted
            live = self.twins.get(DEFAULT)
            if live is not None and not await self._serves(live, wanted):
                LOG.warning("the default twin, as it is kept, is of no use: it is made anew")
                await self.delete(live)
                live = None
            return live or await self.create(wanted)

    async def _serves(self, live: LiveTwin, wanted: Wanted) -> bool:
        """Whether the default twin can be shown; it is warmed where that is still to do."""
        if live.asleep and (_ruined(live) or self._outdated(live, wanted)):
            return False
        if live.t >= WARM_S:
            return True
        try:
            await self.wake(live)
            await live.advance(WARM_S)
        except ApiError:
            if not _ruined(live):
                raise
            return False
        return True

    def _outdated(self, live: LiveTwin, wanted: Wanted) -> bool:
        old = live.t > OLDEST_DEFAULT_S or live.row.origin != origin(wanted)
        return old and live.asleep


def _ruined(live: LiveTwin) -> bool:
    """Whether a twin cannot be made from what is kept of it, now or later."""
    return live.failed is not None and live.failed.code != "busy"


def default_twin() -> Wanted:
    """The published deployment beside its baseline."""
    folder = shipped_folder()
    return Wanted(
        scenario=load(folder / f"{DEFAULT_SCENARIO}.yaml"),
        baseline=load(folder / f"{DEFAULT_BASELINE}.yaml"),
        warm_s=WARM_S,
        seed=DEFAULT_SEED,
        name=DEFAULT,
        shared=True,
    )


def origin(wanted: Wanted) -> str:
    """Names what a twin is made of and by: scenario, baseline, seed, program."""
    baseline = wanted.baseline.digest() if wanted.baseline else "none"
    words = f"{wanted.scenario.digest()} {baseline} {wanted.seed} {VERSION} {FORMAT}"
    return hashlib.sha256(words.encode()).hexdigest()


def new_name() -> str:
    """A name for a new twin that nobody can guess."""
    return base64.b32encode(secrets.token_bytes(10)).decode().lower()
