"""Scrapes the pages of one source, each on its own: a slow one delays no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from db.samples import Batch

from twin.telemetry.series import Family, Gap

from .config import ScrapeSource
from .fetch import Fetcher, host_of
from .keeper import Keeper, Overloaded
from .scrape import Scraped, Target, scrape
from .state import SourceState, TargetState

Now = Callable[[], int]


class Scraper:
    """Scrapes one source; all its targets at once, every `every_s`."""

    def __init__(self, source: ScrapeSource, fetcher: Fetcher, keeper: Keeper, now: Now) -> None:
        self.source, self.fetcher, self.keeper, self.now = source, fetcher, keeper, now
        self.targets = [
            Target(one.url, source.name, one.labels, source.most_series) for one in source.targets
        ]
        addresses = ", ".join(host_of(one.url) for one in source.targets[:3])
        self.state = SourceState(source.name, "scrape", addresses)
        self.down_since: dict[str, int] = {}
        self.families: dict[str, Family] = {}

    async def forever(self) -> None:
        """Scrape until cancelled; the rounds keep their pace whatever a target does."""
        loop = asyncio.get_running_loop()
        next_at = loop.time()
        while True:
            await self.round()
            next_at = max(next_at + self.source.every_s, loop.time())
            await asyncio.sleep(next_at - loop.time())

    async def round(self) -> None:
        """All targets once; takes as long as the slowest, at most its timeout."""
        now = self.now()
        await asyncio.gather(*(self._one(target, now) for target in self.targets))
        up = [one.up for one in self.state.targets.values()]
        if all(up):
            self.state.become("ok", now)
        else:
            failed = [name for name, one in self.state.targets.items() if not one.up]
            self.state.become("failing", now, f"not answering: {', '.join(sorted(failed)[:5])}")

    async def _one(self, target: Target, now_ms: int) -> None:
        found = await scrape(target, self.fetcher, now_ms)
        fresh = [one for one in found.families if self.families.get(one.name) != one]
        try:
            await self.keeper.keep(
                Batch(self.source.name, found.series, None, self._gap(target, found, now_ms),
                      fresh, now_ms)
            )  # fmt: skip
        except Overloaded:
            found = replace(found, reason="the store cannot keep up")
        else:
            target.known = found.known
            self.families |= {one.name: one for one in fresh}
            self.state.newest_ms = max(self.state.newest_ms or 0, now_ms)
        self.state.targets[target.instance] = TargetState(
            not found.reason, now_ms, found.reason,
            tuple(f"line {t.line}: {t.why}" for t in found.troubles[:5]), len(found.known),
        )  # fmt: skip

    def _gap(self, target: Target, found: Scraped, now_ms: int) -> list[Gap]:
        if found.reason:
            since = self.down_since.setdefault(target.instance, now_ms)
            return [Gap(self.source.name, target.instance, since, now_ms, "target down")]
        since = self.down_since.pop(target.instance, None)
        if since is None:
            return []
        return [Gap(self.source.name, target.instance, since, now_ms, "target down")]
