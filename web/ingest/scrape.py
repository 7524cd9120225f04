"""Scrapes one page: samples at the time of the scrape, `up`, and markers for what has ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import httpx
import numpy as np

from twin.errors import TwinError
from twin.telemetry.exposition import read_page
from twin.telemetry.series import STALE_BITS, Family, Series, SeriesId, Trouble

from .fetch import Fetcher, FetchError

ACCEPT = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.9"


@dataclass(frozen=True)
class Scraped:
    """What one scrape gave. A failed one has `up` 0, its reason, and markers for all series."""

    series: Sequence[Series]
    families: Sequence[Family]
    known: frozenset[SeriesId]
    """Series that are alive after it."""
    reason: str = ""
    """Why it failed; empty when it did not."""
    troubles: Sequence[Trouble] = ()


@dataclass
class Target:
    """One page, with the labels its samples get; remembers which series are alive."""

    url: str
    job: str
    labels: Mapping[str, str]
    most_series: int = 20_000
    known: frozenset[SeriesId] = field(default=frozenset())

    @property
    def instance(self) -> str:
        """Host and port, as Prometheus names a target."""
        parsed = httpx.URL(self.url)
        host = f"[{parsed.host}]" if ":" in parsed.host else parsed.host
        return f"{host}:{parsed.port or (443 if parsed.scheme == 'https' else 80)}"

    def own_labels(self) -> dict[str, str]:
        """Labels of every sample of this target."""
        return {"job": self.job, "instance": self.instance} | dict(self.labels)


async def scrape(target: Target, fetcher: Fetcher, now_ms: int) -> Scraped:
    """Fetch and read a page; a page that cannot be read fails as a whole, and `up` says so.

    What the target said before and does not say now ends with the stale marker. A sample that has
    a time of its own keeps it, and gets no marker.
    """
    try:
        answer = await fetcher.get(target.url, Accept=ACCEPT)
        if answer.status != 200:
            return _failed(target, now_ms, f"it answered {answer.status}")
        page = read_page(answer.body, answer.headers.get("content-type", ""),
                         most_series=target.most_series)  # fmt: skip
    except FetchError as error:
        return _failed(target, now_ms, f"{error.fault}: {error}")
    except TwinError as error:
        return _failed(target, now_ms, str(error))
    own, alive = target.own_labels(), set[SeriesId]()
    times: dict[SeriesId, list[tuple[int, float]]] = {}
    for found, value, own_ms in page.samples:
        named = _labelled(found, own)
        if own_ms is None:
            alive.add(named)
        times.setdefault(named, []).append((now_ms if own_ms is None else own_ms, value))
    series = [_series(one, samples) for one, samples in times.items()]
    series += _markers(target.known - alive, now_ms)
    series.append(_up(own, now_ms, 1.0))
    known = frozenset(alive)
    return Scraped(series, list(page.families.values()), known, "", page.troubles)


def _failed(target: Target, now_ms: int, reason: str) -> Scraped:
    series = [*_markers(target.known, now_ms), _up(target.own_labels(), now_ms, 0.0)]
    return Scraped(series, (), frozenset(), reason)


def _labelled(found: SeriesId, own: Mapping[str, str]) -> SeriesId:
    """With the target's labels; what the page says under the same name is kept as exported_."""
    said = {(f"exported_{k}" if k in own else k): v for k, v in found.labels}
    return SeriesId.of(found.name, said | dict(own))


def _series(found: SeriesId, samples: list[tuple[int, float]]) -> Series:
    first = dict(reversed(samples))  # of two at one time the first counts
    at = sorted(first)
    return Series(found, np.array(at, np.int64), np.array([first[t] for t in at], np.float64))


def _markers(ended: frozenset[SeriesId], now_ms: int) -> list[Series]:
    marker = np.array([STALE_BITS], np.uint64).view(np.float64)
    return [Series(one, np.array([now_ms], np.int64), marker) for one in sorted(ended)]


def _up(own: Mapping[str, str], now_ms: int, value: float) -> Series:
    return Series(SeriesId.of("up", own), np.array([now_ms], np.int64), np.array([value]))
