"""Pulls from a Prometheus: from where the store's cursor stands until now, window by window.

The cursor is committed with the samples, so an outage of theirs or of ours ends in a backfill, and
what was pulled twice is a duplicate and no second sample.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from db.samples import Batch, Matcher, SampleStore

from twin.errors import TwinError
from twin.telemetry.series import Family, Gap, Series

from .config import PrometheusSource
from .holes import holes
from .keeper import Keeper
from .prometheus_api import PrometheusApi, Raw, joined
from .state import SourceState, TargetState

WINDOW_MS = 300_000
"""Longest time that is asked for at once."""

OVERLAP_MS = 15_000
"""Asked for again each time: a server takes a sample in some seconds after its time."""

FAMILIES_EVERY_MS = 600_000

Now = Callable[[], int]


class Puller:
    """Pulls one source."""

    def __init__(
        self, source: PrometheusSource, api: PrometheusApi, store: SampleStore, keeper: Keeper,
        selectors: Sequence[str], now: Now,
    ) -> None:  # fmt: skip
        self.source, self.api, self.store, self.keeper, self.now = source, api, store, keeper, now
        self.selectors = [source.select] if source.select else list(selectors)
        self.state = SourceState(source.name, "prometheus", api.place)
        self.families_at: int | None = None
        self.last_up: dict[str, int] = {}

    async def forever(self) -> None:
        """Pull every `every_s`; a failure is told in the state and tried again."""
        while True:
            began = self.now()
            await self.round()
            spent = (self.now() - began) / 1000
            await asyncio.sleep(max(0.05, self.source.every_s - spent))

    async def round(self) -> None:
        """Pull everything until now; what fails leaves the cursor where it stands."""
        try:
            await self._families()
            while await self._window():
                pass
        except TwinError as error:
            self.state.become("failing", self.now(), str(error))
        else:
            self.state.become("ok", self.now())

    async def _window(self) -> bool:
        """One window and its commit; whether there is more."""
        now = self.now()
        from_ms = await self._cursor(now)
        to_ms = min(now, from_ms + WINDOW_MS)
        if to_ms <= from_ms:
            return False
        if now - from_ms > 2 * WINDOW_MS:
            self.state.become("catching up", now, f"{(now - from_ms) // 1000} s behind")
        raw = await self._raw(max(0, from_ms - OVERLAP_MS), to_ms)
        self.state.warnings = [*raw.warnings, *(f"{one}: native histogram, not supported"
                                                for one in raw.skipped[:20])]  # fmt: skip
        ups = [one for one in raw.series if one.id.name == "up"]
        batch = Batch(
            source=self.source.name, series=raw.series, cursor=str(to_ms),
            gaps=await self._gaps(ups, from_ms, to_ms), families=(), now_ms=now,
        )  # fmt: skip
        await self.keeper.keep(batch)
        self._seen(raw.series, ups)
        return to_ms < now

    async def _cursor(self, now: int) -> int:
        told = await self.keeper.read(self.store.cursor, self.source.name)
        return int(told) if told is not None else now - int(self.source.backfill_s * 1000)

    async def _raw(self, from_ms: int, to_ms: int) -> Raw:
        raw = Raw()
        for selector in self.selectors:
            raw = joined(raw, await self.api.raw(selector, from_ms, to_ms))
        return raw

    async def _gaps(self, ups: list[Series], from_ms: int, to_ms: int) -> list[Gap]:
        if not self.last_up and ups:
            before = await self.keeper.read(
                self.store.read, [Matcher("__name__", "up", "=")], from_ms - 10 * WINDOW_MS,
                from_ms - OVERLAP_MS, self.source.name,
            )  # fmt: skip
            self.last_up = {one.id.text: int(one.time_ms[-1]) for one in before}
        every_ms = int(self.source.every_s * 1000)
        return holes(self.source.name, ups, self.last_up, to_ms, every_ms)

    def _seen(self, series: Iterable[Series], ups: Iterable[Series]) -> None:
        newest = [int(one.time_ms[-1]) for one in series if len(one.time_ms)]
        if newest:
            self.state.newest_ms = max(newest)
        for one in ups:
            at, value = int(one.time_ms[-1]), float(one.value[-1])
            self.last_up[one.id.text] = at
            target = one.id.label("instance") or one.id.text
            up = None if np.isnan(value) else bool(value)
            self.state.targets[target] = TargetState(up, at, "" if up else "its scrapes fail")

    async def _families(self) -> None:
        now = self.now()
        if self.families_at is not None and now - self.families_at < FAMILIES_EVERY_MS:
            return
        families: list[Family] = await self.api.families()
        self.families_at = now
        await self.keeper.keep(
            Batch(self.source.name, (), await self._kept_cursor(), (), families, now)
        )

    async def _kept_cursor(self) -> str | None:
        return await self.keeper.read(self.store.cursor, self.source.name)
