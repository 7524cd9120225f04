"""Asks a server with Prometheus's HTTP API for raw samples at their true times.

Instant queries of range selectors (`{...}[60s]`) give what was scraped. `query_range` would repeat
an old value for five minutes inside a hole. What was refused for good is told and not asked again;
what may pass (429, 502, 503, no answer) is asked again a few times.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

import numpy as np
import orjson

from twin.errors import Problem, TwinError
from twin.telemetry.series import Family, Kind, Series, SeriesId

from .fetch import Answer, Fetcher, FetchError, host_of

AGAIN = (429, 502, 503)
MOST_TRIES = 4
FIRST_WAIT_S = 0.5
MOST_WAIT_S = 8.0
SHORTEST_MS = 1000
"""A window that holds too much is halved down to this."""

TOO_MUCH = ("exceeded", "too many samples", "maximum resolution", "too large")
KINDS: Mapping[str, Kind] = {
    "counter": "counter", "gauge": "gauge", "histogram": "histogram", "summary": "summary",
}  # fmt: skip

Sleep = Callable[[float], Awaitable[None]]


class Refused(TwinError):
    """The server says no, with its own words; asking the same again will not help."""

    def __init__(self, place: str, status: int, said: str, remedy: str) -> None:
        self.status, self.said = status, said
        super().__init__(Problem(place, f"{status}: {said}", remedy))


@dataclass
class Raw:
    """Samples as they were scraped, and what the server warned of."""

    series: list[Series] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    """Series whose samples are of a kind that is not supported (native histograms)."""


class PrometheusApi:
    """One server; `sleep` waits between tries."""

    def __init__(self, url: str, fetcher: Fetcher, sleep: Sleep = asyncio.sleep) -> None:
        self.url, self.fetcher, self.sleep = url.rstrip("/"), fetcher, sleep
        self.place = host_of(url)

    async def raw(self, selector: str, from_ms: int, to_ms: int) -> Raw:
        """All samples of a selector with from_ms < time <= to_ms.

        A window that the server finds too large is asked for in halves. Refused, FetchError.
        """
        try:
            return await self._window(selector, from_ms, to_ms)
        except (Refused, FetchError) as error:
            if not _too_much(error) or to_ms - from_ms <= SHORTEST_MS:
                raise
        middle = (from_ms + to_ms) // 2
        first = await self.raw(selector, from_ms, middle)
        second = await self.raw(selector, middle, to_ms)
        return joined(first, second)

    async def _window(self, selector: str, from_ms: int, to_ms: int) -> Raw:
        query = f"{selector}[{to_ms - from_ms}ms]"
        said = await self._asked("query", {"query": query, "time": f"{to_ms / 1000:.3f}"})
        raw = Raw(warnings=[*said.get("warnings", []), *said.get("infos", [])])
        for one in said["data"]["result"]:
            name = dict(one["metric"])
            found = SeriesId.of(name.pop("__name__", ""), name)
            if "values" not in one:
                raw.skipped.append(found.text)
                continue
            series = _series(found, one["values"], from_ms)
            if len(series.time_ms):
                raw.series.append(series)
        return raw

    async def families(self) -> list[Family]:
        """What the scraped pages announce of their names; none when the server keeps none."""
        said = await self._asked("metadata", {}, get=True)
        return [
            Family(name, KINDS.get(told[0]["type"], "untyped"), told[0].get("help", ""),
                   told[0].get("unit", ""))
            for name, told in said["data"].items()
            if told
        ]  # fmt: skip

    async def targets(self) -> list[dict[str, Any]]:
        """Active targets: labels, health, last error, interval."""
        said = await self._asked("targets?state=active", {}, get=True)
        return list(said["data"]["activeTargets"])

    async def version(self) -> str:
        """The server's version; empty when it does not tell."""
        said = await self._asked("status/buildinfo", {}, get=True)
        return str(said["data"].get("version", ""))

    async def _asked(self, path: str, form: Mapping[str, str], get: bool = False) -> dict[str, Any]:
        url, wait = f"{self.url}/api/v1/{path}", FIRST_WAIT_S
        for left in reversed(range(MOST_TRIES)):
            try:
                answer = await (self.fetcher.get(url) if get else self.fetcher.post(url, form))
            except FetchError as error:
                if not left or error.fault not in ("unreachable", "timeout"):
                    raise
            else:
                if answer.status not in AGAIN or not left:
                    return self._read(answer)
                wait = max(wait, _retry_after(answer))
            await self.sleep(min(wait, MOST_WAIT_S))
            wait *= 2
        raise AssertionError("the last try returns or raises")

    def _read(self, answer: Answer) -> dict[str, Any]:
        try:
            said = orjson.loads(answer.body)
        except orjson.JSONDecodeError:
            said = None
        if isinstance(said, dict) and said.get("status") == "success" and answer.status == 200:
            return said
        told = said.get("error") if isinstance(said, dict) else None
        raise Refused(self.place, answer.status, str(told or _excerpt(answer)), _remedy(answer))


def joined(first: Raw, second: Raw) -> Raw:
    """Two windows, one after the other."""
    gathered = {one.id: one for one in first.series}
    for one in second.series:
        before = gathered.get(one.id)
        gathered[one.id] = one if before is None else _after(before, one)
    return Raw(
        list(gathered.values()), list(dict.fromkeys([*first.warnings, *second.warnings])),
        list(dict.fromkeys([*first.skipped, *second.skipped])),
    )  # fmt: skip


def _after(before: Series, later: Series) -> Series:
    keep = later.time_ms > before.time_ms[-1]  # a seam may be told twice
    return Series(
        before.id,
        np.concatenate([before.time_ms, later.time_ms[keep]]),
        np.concatenate([before.value, later.value[keep]]),
    )


def _series(found: SeriesId, values: list[Any], from_ms: int) -> Series:
    times = np.array([round(float(at) * 1000) for at, _ in values], np.int64)
    said = np.array([_number(text) for _, text in values], np.float64)
    keep = times > from_ms  # servers before version 3 count the beginning in
    return Series(found, times[keep], said[keep])


def _number(text: Any) -> float:
    return {"+Inf": math.inf, "-Inf": -math.inf, "NaN": math.nan}.get(text) or float(text)


def _too_much(error: Refused | FetchError) -> bool:
    if isinstance(error, FetchError):
        return error.fault in ("too large", "timeout")
    return error.status in (422, 503) and any(word in error.said for word in TOO_MUCH)


def _retry_after(answer: Answer) -> float:
    told = answer.headers.get("retry-after", "")
    if told.isdigit():
        return float(told)
    try:
        date = answer.headers.get("date", "")
        later = parsedate_to_datetime(told) - parsedate_to_datetime(date)
        return max(0.0, later.total_seconds())
    except (TypeError, ValueError):
        return 0.0


def _excerpt(answer: Answer, limit: int = 120) -> str:
    """The beginning of an answer that is no JSON, on one line."""
    if answer.content_type == "text/html":
        return "a page of HTML"
    text = " ".join(answer.body[: 4 * limit].decode("utf-8", "replace").split())
    return text[:limit] or "an empty answer"


def _remedy(answer: Answer) -> str:
    if answer.status in (401, 403):
        return "check user, password or token of this source"
    if answer.status == 404:
        return "no API of Prometheus is there: check the path of the address"
    if answer.status == 200:
        return "a proxy or a login may stand before it: give the address of the API itself"
    if answer.status in (400, 422):
        return "the query is not to its liking: check `select`"
    return "try again later"
