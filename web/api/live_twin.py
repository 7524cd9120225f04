"""One running twin as the server has it: its viewers, its log, and the process that runs it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any

from db import twins
from db.tables import Twin
from twin.running import REMEMBERS_S

from .changes import Changes
from .errors import ApiError, explained
from .forecasts import Forecasters
from .memory import Memory
from .orders import Order
from .outlook import Outlook
from .processes import Crew
from .standby import Standby
from .told import hello, not_kept, state, summary, text, unfinished
from .twin_process import TwinProcess
from .twin_worker import Made
from .viewers import Viewer

LOG = logging.getLogger("pdd_twin")


MOST_DEATHS = 3
"""A twin whose workers die so often in a row, without coming any further, has failed."""

HUNG_S = 300.0
"""A worker that has not carried out an order for so long (wall s) is ended."""

NO_DEATHS = (-1, 0.0, 0)

Frozen = dict[str, Any]
Ordered = tuple[list[Frozen], asyncio.Future[None]]


class LiveTwin:
    """Runs, or can be made to run; all that must not be lost of it lies in the database.

    `row` is how it was last kept, `t` and `entry` where it stands, `era` counts its rewinds. `lock`
    is held while the process behind it changes, `_in_order` while its course is changed.
    """

    def __init__(
        self,
        row: Twin,
        log: list[Frozen],
        memory: Memory,
        crew: Crew,
        forecasters: Forecasters,
        now: Any,
    ) -> None:
        self.row = row
        self.id = row.id
        self.t = max(row.t, log[-1]["at_s"] if log else 0.0)
        self.entry = row.entry
        self.log = log
        self.asleep = True
        self.failed: ApiError | None = None
        self.restarting = False
        self.note: str | None = None
        self.viewers: set[Viewer] = set()
        self.outlook = Outlook(self, forecasters)
        self.unwatched_since = now()
        self.era = 0
        self.lock = asyncio.Lock()
        self._in_order = asyncio.Lock()
        self._turning_back = False
        self.process = TwinProcess(crew, self)
        self._memory = memory
        self._now = now
        self._tasks: set[asyncio.Task[Any]] = set()
        self._changes = Changes()
        self._deaths = NO_DEATHS
        self._standby: Standby | None = None

    # --- how it stands

    @property
    def status(self) -> str:
        """What it does now, in one word."""
        if self.failed is not None:
            return "failed"
        if self.restarting:
            return "restarting"
        if self.asleep:
            return "asleep"
        return "paused" if self.row.paused else "running"

    def state(self) -> Frozen:
        """The message that tells viewers what it does now."""
        return state(self)

    def summary(self) -> Frozen:
        """The twin in a list of twins."""
        return summary(self)

    def log_until(self, entry: int) -> list[Frozen]:
        """The log up to the entry of this number."""
        return [one for one in self.log if one["number"] <= entry]

    @property
    def logged(self) -> int:
        """The number of the last entry of the log, or 0."""
        return self.log[-1]["number"] if self.log else 0

    def touch(self) -> None:
        """Somebody has just used it."""
        self.unwatched_since = self._now()

    # --- running and sleeping

    async def begin(self, made: Made) -> None:
        """Run it from what is described."""
        self._stands(await self.process.begin(made))
        self.asleep, self.failed = False, None

    def made(self, **more: Any) -> Made:
        """What a worker is told of this twin."""
        return Made(self.id, self.row.pace, self.row.paused, len(self.viewers), **more)

    async def wake(self) -> None:
        """Have it run; ApiError when it cannot."""
        self.touch()
        if not self.asleep and not self.restarting:
            return
        async with self.lock:
            if self.asleep:
                await self._from_memory(self.t)

    async def _from_memory(self, at_s: float) -> None:
        more = self._standby and self._standby.made_from(self.log, at_s)
        try:
            if more is None:
                start = await self.start_at(at_s)
                more = {"checkpoint": start.state, "log": start.log, "until": at_s}
            await self.begin(self.made(**more))
        except ApiError as error:
            self.failed = error
            raise

    async def start_at(self, at_s: float) -> twins.Start:
        """What it is made from as it was at `at_s`; ApiError when that is not kept."""
        start = await self._memory.read_in_turn(twins.start, self.id, at_s, REMEMBERS_S)
        if start is None:
            times = await self._memory.read(twins.checkpoint_times, self.id)
            raise not_kept(at_s, times[0]) if times else unfinished()
        return start

    async def sleep(self, watched_too: bool = False) -> None:
        """Give its process back, unless a viewer comes meanwhile; it is kept as it stands."""
        async with self._in_order, self.lock:
            if self.asleep:
                return
            try:
                stands = await self.process.ask("state", False, once=True)
                self._stands(stands)
                self.on_checkpoint(stands["t"], stands["entry"], stands["checkpoint"], None)
                await self.keep()
            except ApiError as error:  # what is kept already has to do
                LOG.warning("twin %s sleeps without a last checkpoint: %s", self.id, error)
            if self.viewers and not watched_too:
                return
            self.asleep, self._standby = True, None
            await self.process.end()
        self.tell(self.state())

    async def keep(self) -> None:
        """Keep how it stands."""
        await self._memory.keep(twins.note_all, [self.seen()])

    def seen(self) -> Frozen:
        """How it stands, for the database."""
        seen_at = self._now() if self.viewers else self.unwatched_since
        row = self.row
        return {
            "id": self.id, "t": self.t, "entry": self.entry, "seen_at": seen_at,
            "pace": row.pace, "paused": row.paused, "title": row.title, "kept": row.kept,
        }  # fmt: skip

    def on_death(self) -> None:
        """The worker is gone: another one takes over where it was."""
        era, reached, deaths = self._deaths
        deaths = deaths + 1 if era == self.era and self.t <= reached else 1
        self._deaths = (self.era, self.t, deaths)
        if deaths > 1:
            self._standby = None  # perhaps it is what kills them
        self.restarting = True
        self.tell(self.state())
        self._spawn(self._restart(deaths))

    async def _restart(self, deaths: int) -> None:
        LOG.warning("the worker of twin %s died at %.1f s; restarting it", self.id, self.t)
        async with self.lock:
            if self.asleep:  # it was put to sleep meanwhile, or has failed before
                self.restarting = False
                return
            try:
                if deaths > MOST_DEATHS:
                    raise ApiError("internal", "its worker dies again and again at the same place")
                await self._from_memory(self.t)
            except ApiError as error:
                self.failed, self.asleep = error, True
                await self.process.end()
            except Exception as error:
                self.failed, self.asleep = explained(error), True
                await self.process.end()
            finally:
                self.restarting = False
        self.tell(self.state())

    async def advance(self, until_s: float) -> None:
        """Go to `until_s` (simulated s) as fast as can be."""
        await self.wake()
        self._stands(await self.process.ask("advance", float(until_s)))

    # --- what is asked

    async def order(self, orders: Sequence[Order], by: Viewer | None = None) -> list[Frozen]:
        """Carry out orders now, all or none; when it returns, they are kept."""
        entries, kept = await self.order_now(orders, by)
        await asyncio.shield(kept)
        return entries

    async def order_now(self, orders: Sequence[Order], by: Viewer | None = None) -> Ordered:
        """Carry out orders now, all or none; the entries, and what is done once they are kept.

        They are carried out and logged to the end, whether who asked still waits or not.
        """
        await self.wake()
        return await self._changes.through(self._ordered(orders, by))

    async def _ordered(self, orders: Sequence[Order], by: Viewer | None) -> Ordered:
        kept: list[asyncio.Task[None]] = []

        def at_once(entries: list[Frozen]) -> None:
            now, logged = self._now(), self.logged
            writing = self._memory.write(twins.add_entries, self.id, entries, now, logged)
            self.log.extend(entries)
            self.t, self.entry = max(self.t, entries[-1]["at_s"]), entries[-1]["number"]
            kept.append(self._changes.begin(self._told_when_kept(entries, writing, by)))

        async with self._in_order:
            await self.wake()  # it may have gone to sleep while this waited for its turn
            try:
                entries = await self.process.ask(
                    "orders", list(orders), at_once=at_once, patience_s=HUNG_S
                )
            except ApiError as error:
                if error.code == "busy":
                    self._make_again()
                raise
        self.outlook.want()
        return entries, kept[0]

    async def _told_when_kept(
        self, entries: list[Frozen], writing: asyncio.Future[None], by: Viewer | None
    ) -> None:
        try:
            await writing
        except Exception:
            self._disown(entries)
            raise
        for viewer in self.viewers - {by}:
            for entry in entries:
                viewer.tell(text({"type": "turned", "id": None, "entry": entry, "by": "other"}))

    def _disown(self, entries: list[Frozen]) -> None:
        """Entries that could not be kept have not been: the twin is made again without them."""
        self.log = [entry for entry in self.log if entry not in entries]
        self.entry = self.logged
        self._make_again()

    def _make_again(self) -> None:
        """End its worker, which has done what is not kept; another one begins from what is."""
        self._deaths, self._standby = NO_DEATHS, None
        if self.process.worker is not None:
            self.process.worker.kill()

    async def set_pace(
        self, pace: float | None, paused: bool | None, by: Viewer | None = None
    ) -> Frozen:
        """Run faster or slower, stand, or go on; the message about it, which `by` is not sent."""
        await self.wake()
        row = self.row
        row.pace = row.pace if pace is None else pace
        row.paused = row.paused if paused is None else paused
        self._stands(await self.process.ask("pace", row.pace, row.paused))
        await self.keep()
        said = self.state()
        for viewer in self.viewers - {by}:
            viewer.tell(text(said))
        return said

    async def rewind(self, to_s: float, by: Viewer | None = None, ask: Any = None) -> None:
        """Go back to `to_s` (simulated s) and on from there; what came after is taken back."""
        await self.wake()
        await self._changes.through(self._rewound(to_s, by, ask))

    async def _rewound(self, to_s: float, by: Viewer | None, ask: Any) -> None:
        async with self._in_order:
            await self.wake()
            if to_s > self.t:
                raise ApiError("bad_request", f"the twin has come to {self.t:.0f} s only")
            start = await self.start_at(to_s)
            for viewer in self.viewers:
                viewer.forget_look()
            try:
                async with self.lock:
                    await self._turn_back(to_s, start)
            finally:
                await self._greet_again(by, ask)

    async def _turn_back(self, to_s: float, start: twins.Start) -> None:
        self._turning_back = True
        try:
            await self._memory.keep(twins.rewind, self.id, to_s, self._now())
            self.t, self.era = to_s, self.era + 1
            self.log = [entry for entry in self.log if entry["at_s"] <= to_s]
            self.entry = self.logged
            self._standby = None
            self.outlook.latest = None
            made = self.made(checkpoint=start.state, log=start.log, until=to_s)
            try:
                self._stands(await self.process.ask("make", made, once=True))
            except BaseException:
                self._make_again()
                raise
        finally:
            self._turning_back = False

    async def stand(self) -> bytes:
        """The checkpoint of this moment, for a copy that runs ahead."""
        await self.wake()
        return (await self.process.ask("state", False))["checkpoint"]

    # --- viewers

    async def join(self, viewer: Viewer) -> None:
        """Tell a viewer of the whole twin, and show it from then on."""
        await self.wake()
        self.viewers.add(viewer)

        def at_once(parts: dict[str, bytes]) -> None:
            if viewer in self.viewers:
                viewer.tell(hello(self, parts, self.outlook.latest))
                viewer.ready = True

        try:
            await self.process.ask("whole", len(self.viewers), at_once=at_once)
        except BaseException:
            await self.leave(viewer)
            raise

    async def _greet_again(self, by: Viewer | None, ask: Any) -> None:
        """Tell all viewers of the whole twin once more: after a rewind it is another one."""

        def at_once(parts: dict[str, bytes]) -> None:
            greeting = hello(self, parts, self.outlook.latest)
            for viewer in self.viewers:
                moved = {"type": "moved", "id": ask if viewer is by else None}
                viewer.tell(text({**moved, "twin": self.id, "from": self.id}))
                viewer.tell(greeting)
                viewer.ready = True

        await self.process.ask("whole", len(self.viewers), at_once=at_once)

    async def leave(self, viewer: Viewer) -> None:
        """Show the twin no longer to a viewer."""
        self.viewers.discard(viewer)
        viewer.forget_look()
        self.touch()
        if not self.asleep and not self.restarting and self.process.worker is not None:
            self._spawn(self._count_viewers())

    async def _count_viewers(self) -> None:
        try:
            await self.process.ask("viewers", len(self.viewers))
        except ApiError:
            return

    def tell(self, said: Frozen) -> None:
        """Tell all viewers."""
        self.tell_text(text(said))

    def tell_text(self, said: str) -> None:
        """Tell all viewers a text that is built already."""
        for viewer in self.viewers:
            viewer.tell(said)

    # --- what the process says by itself

    def on_frame(self, t: float, entry: int, look: bytes, carries: bool) -> None:
        if self._turning_back:
            return
        self.t = t
        shown = look.decode()
        for viewer in self.viewers:
            viewer.show(shown, carries)

    def on_beat(self, t: float, entry: int, note: str | None) -> None:
        if not self._turning_back:
            self.t = t
            self._noted(note)

    def on_checkpoint(self, t: float, entry: int, state: bytes, memory: bytes | None) -> None:
        if not self._turning_back:
            if memory is not None:
                self._standby = Standby(t, entry, state, memory)
            now, logged = self._now(), self.logged
            self._memory.write_aside(twins.add_checkpoint, self.id, t, entry, state, now, logged)

    def _stands(self, standing: Frozen) -> None:
        self.t, self.entry = standing["t"], standing["entry"]
        self._noted(standing["note"])

    def _noted(self, note: str | None) -> None:
        if note != self.note:
            self.note = note
            self.tell(self.state())

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Keep it as it stands, and end its process."""
        self.outlook.close()
        for task in list(self._tasks):
            task.cancel()
        await self._changes.ended()
        await self.sleep(watched_too=True)
