"""One running twin as the server has it: its viewers, its log, and the process that runs it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any

import orjson

from db import twins
from db.tables import Twin
from twin.running import REMEMBERS_S
from twin.version import VERSION

from .answers import moment
from .errors import ApiError, explained
from .forecasts import Forecasters
from .memory import Memory
from .orders import Order
from .outlook import Outlook
from .processes import Crew
from .twin_process import TwinProcess
from .twin_worker import Made
from .viewers import Viewer

LOG = logging.getLogger("pdd_twin")

LONGEST_LOG = 1000
"""A new viewer is told so many of the latest log entries."""

MOST_DEATHS = 3
"""A twin whose workers die so often in a row, without coming any further, has failed."""

Frozen = dict[str, Any]


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
        self._deaths: tuple[int, float, int] = (-1, 0.0, 0)

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
        return {
            "type": "state", "status": self.status, **self._pace(), "note": self.note,
        }  # fmt: skip

    def summary(self) -> Frozen:
        """The twin in a list of twins."""
        row = self.row
        return {
            "id": self.id, "title": row.title, "scenario_name": row.scenario_name,
            "baseline_name": row.baseline_name, "seed": row.seed, "t": self.t, "pace": row.pace,
            "paused": row.paused, "viewers": len(self.viewers), "shared": row.shared,
            "parent": row.parent, "forked_at_s": row.forked_at_s, "entry": self.entry,
            "status": self.status, "created_at": moment(row.created_at),
            "note": self.note,
        }  # fmt: skip

    def log_until(self, entry: int) -> list[Frozen]:
        """The log up to the entry of this number."""
        return [one for one in self.log if one["number"] <= entry]

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
        start = await self._memory.read_in_turn(twins.start, self.id, at_s, REMEMBERS_S)
        if start is None:
            raise ApiError("not_found", f"the twin cannot be made as it was at {at_s:g} s")
        made = self.made(checkpoint=start.state, log=start.log, until=at_s)
        try:
            await self.begin(made)
        except ApiError as error:
            self.failed = error
            raise

    async def sleep(self) -> None:
        """Give its process back; it is kept as it stands."""
        async with self.lock:
            if self.asleep:
                return
            try:
                state = await self.process.ask("state", False, once=True)
                self._stands(state)
                self.on_checkpoint(state["t"], state["entry"], state["checkpoint"])
                await self.keep()
            except ApiError as error:  # what is kept already has to do
                LOG.warning("twin %s sleeps without a last checkpoint: %s", self.id, error)
            self.asleep = True
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
        await kept
        return entries

    async def order_now(
        self, orders: Sequence[Order], by: Viewer | None = None
    ) -> tuple[list[Frozen], asyncio.Future[None]]:
        """Carry out orders now, all or none; the entries, and what is done once they are kept."""
        await self.wake()
        keeping: list[asyncio.Future[None]] = []

        def at_once(entries: list[Frozen]) -> None:
            self.log.extend(entries)
            self.t, self.entry = max(self.t, entries[-1]["at_s"]), entries[-1]["number"]
            keeping.append(self._memory.write(twins.add_entries, self.id, entries, self._now()))

        async with self._in_order:
            entries = await self.process.ask("orders", list(orders), at_once=at_once)
        self.outlook.want()
        return entries, self._spawn(self._told_when_kept(entries, keeping[0], by))

    async def _told_when_kept(
        self, entries: list[Frozen], keeping: asyncio.Future[None], by: Viewer | None
    ) -> None:
        try:
            await keeping
        except Exception:
            self._disown(entries)
            raise
        for viewer in self.viewers - {by}:
            for entry in entries:
                viewer.tell(_text({"type": "turned", "id": None, "entry": entry, "by": "other"}))

    def _disown(self, entries: list[Frozen]) -> None:
        """Entries that could not be kept have not been: the twin is made again without them."""
        self.log = [entry for entry in self.log if entry not in entries]
        self.entry = self.log[-1]["number"] if self.log else 0
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
        state = self.state()
        for viewer in self.viewers - {by}:
            viewer.tell(_text(state))
        return state

    async def rewind(self, to_s: float, by: Viewer | None = None, ask: Any = None) -> None:
        """Go back to `to_s` (simulated s) and on from there; what came after is taken back."""
        await self.wake()
        async with self._in_order:
            if to_s > self.t:
                raise ApiError("bad_request", f"the twin has come to {self.t:.0f} s only")
            start = await self._memory.read_in_turn(twins.start, self.id, to_s, REMEMBERS_S)
            if start is None:
                raise ApiError("bad_request", f"what is kept of the twin begins after {to_s:g} s")
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
            self.entry = self.log[-1]["number"] if self.log else 0
            self.outlook.latest = None
            made = self.made(checkpoint=start.state, log=start.log, until=to_s)
            self._stands(await self.process.ask("make", made, once=True))
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
            viewer.tell(self._hello(parts))
            viewer.ready = True

        try:
            await self.process.ask("whole", len(self.viewers), at_once=at_once)
        except BaseException:
            await self.leave(viewer)
            raise

    async def _greet_again(self, by: Viewer | None, ask: Any) -> None:
        """Tell all viewers of the whole twin once more: after a rewind it is another one."""

        def at_once(parts: dict[str, bytes]) -> None:
            hello = self._hello(parts)
            for viewer in self.viewers:
                moved = {"type": "moved", "id": ask if viewer is by else None}
                viewer.tell(_text({**moved, "twin": self.id, "from": self.id}))
                viewer.tell(hello)
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

    def _hello(self, parts: dict[str, bytes]) -> str:
        row = self.row
        whole = {name: orjson.Fragment(part) for name, part in parts.items()}
        forecast = self.outlook.latest
        return _text(
            {
                "type": "hello", "twin": self.id, "title": row.title, "shared": row.shared,
                "parent": row.parent, "forked_at_s": row.forked_at_s, "seed": row.seed,
                **self._pace(), "status": self.status, "entry": self.entry, "t": self.t, **whole,
                "log": self.log[-LONGEST_LOG:], "note": self.note, "version": VERSION,
                "forecast": None if forecast is None else orjson.Fragment(forecast),
            }
        )  # fmt: skip

    def tell(self, said: Frozen) -> None:
        """Tell all viewers."""
        self.tell_text(_text(said))

    def tell_text(self, text: str) -> None:
        """Tell all viewers a text that is built already."""
        for viewer in self.viewers:
            viewer.tell(text)

    # --- what the process says by itself

    def on_frame(self, t: float, entry: int, look: bytes, carries: bool) -> None:
        if self._turning_back:
            return
        self.t = t
        text = look.decode()
        for viewer in self.viewers:
            viewer.show(text, carries)

    def on_beat(self, t: float, entry: int, note: str | None) -> None:
        if not self._turning_back:
            self.t = t
            self._noted(note)

    def on_checkpoint(self, t: float, entry: int, state: bytes) -> None:
        if not self._turning_back:
            self._memory.write(twins.add_checkpoint, self.id, t, entry, state, self._now())

    def _stands(self, standing: Frozen) -> None:
        self.t, self.entry = standing["t"], standing["entry"]
        self._noted(standing["note"])

    def _noted(self, note: str | None) -> None:
        if note != self.note:
            self.note = note
            self.tell(self.state())

    def _pace(self) -> Frozen:
        return {"pace": self.row.pace, "paused": self.row.paused}

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Keep it as it stands, and end its process."""
        self.outlook.close()
        for task in list(self._tasks):
            task.cancel()
        await self.sleep()


def _text(said: Frozen) -> str:
    return orjson.dumps(said).decode()
