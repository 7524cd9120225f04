"""Finds times without samples from `up`: what a target was not asked, or did not answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from twin.telemetry.series import Gap, Series, is_stale

MISSED = 2.5
"""So many intervals without a sample are a hole; one late scrape is none."""

NOT_ASKED, DOWN = "not scraped", "target down"


def holes(
    source: str, ups: Iterable[Series], before: Mapping[str, int], to_ms: int, every_ms: int
) -> list[Gap]:
    """Gaps of the targets behind `up` series until `to_ms`.

    `before` has the last time (ms) of each series before these, by its text; a target unknown
    until now has no hole before its first sample. `every_ms` is the interval where too few samples
    tell it.
    """
    gaps: list[Gap] = []
    for one in ups:
        good = ~is_stale(one.value)
        times, values = one.time_ms[good], one.value[good]
        if not len(times):
            continue
        target, last = one.id.label("instance") or one.id.text, before.get(one.id.text)
        edges = times if last is None or last >= times[0] else np.append(last, times)
        steps = np.diff(edges)
        usual = float(np.median(steps)) if len(steps) > 4 else float(every_ms)
        for index in np.flatnonzero(steps > MISSED * usual):
            gaps.append(Gap(source, target, int(edges[index]), int(edges[index + 1]), NOT_ASKED))
        gaps += [Gap(source, target, start, end, DOWN) for start, end in _down(times, values)]
        if to_ms - int(times[-1]) > MISSED * usual:
            gaps.append(Gap(source, target, int(times[-1]), to_ms, NOT_ASKED))
    return gaps


def _down(times: np.ndarray, values: np.ndarray) -> Iterable[tuple[int, int]]:
    """Spans from the first failed scrape to the next good one, or to the last failed one."""
    down = values == 0
    starts = np.flatnonzero(down & ~np.append(False, down[:-1]))
    for start in starts:
        later = np.flatnonzero(~down[start:])
        end = start + later[0] if len(later) else len(times) - 1
        yield int(times[start]), int(times[end])
