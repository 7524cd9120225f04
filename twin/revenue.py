"""Revenue per chip-second against the prefix hit rate: a bathtub with dips, and how to leave it.

R(h) = [p_u n + p_c cached] / (g T(h) + D): cached input is billed cheaper than it is to compute, so
in the middle a higher hit rate earns less; chunks of prefill cut dips into it where a hit rate just
fails to save a chunk, h_k = 1 - k c_max / L.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .physics.chunks import ChunkCost, ChunkRule, cached_tokens, chunked_prefill_seconds

Course = NDArray[np.float64]

LEAST_PROMINENCE = 0.01
"""A dip counts from this share of its own revenue on (claim C20)."""

HIGHEST_HIT = 0.99
"""Hit rates up to here are looked at (claim C20)."""


@dataclass(frozen=True)
class Tariff:
    """Prices of input tokens per token, in any unit; and the chip-seconds of the rest (D)."""

    uncached: float = 1.0
    cached: float = 0.10
    other_chip_s: float = 6.0


@dataclass(frozen=True)
class Dip:
    """A local minimum: its hit rate, its revenue, and how far one must climb to leave it.

    `prominence` is the lower of the two ridges beside it above its revenue, as a share of that.
    """

    hit: float
    revenue: float
    prominence: float


@dataclass(frozen=True)
class Revenue:
    """Courses over the hit rates that whole pages allow: billed units per chip-second, seconds."""

    hit: Course
    revenue: Course
    prefill_s: Course
    dips: tuple[Dip, ...]
    expected_dips: tuple[float, ...]

    def at(self, hit: float) -> float:
        """Revenue at the page multiple nearest to a hit rate."""
        return float(self.revenue[int(np.abs(self.hit - hit).argmin())])

    def ratio(self, hit: float = 0.97) -> float:
        """R(hit) / R(0)."""
        return self.at(hit) / float(self.revenue[0])


def revenue(
    cost: ChunkCost,
    rule: ChunkRule,
    tariff: Tariff,
    prompt_tokens: int = 61_440,
    highest_hit: float = HIGHEST_HIT,
) -> Revenue:
    """R(h) at all page multiples up to `highest_hit`, with its dips.

    The default prompt and `Tariff` are those of claim C20 (assumed).
    """
    last = cached_tokens(prompt_tokens, highest_hit, rule.page_tokens)
    cached = np.arange(0, last + 1, rule.page_tokens)
    seconds = np.array(
        [chunked_prefill_seconds(cost, rule, prompt_tokens, int(c)) for c in cached], dtype=float
    )
    billed = tariff.uncached * (prompt_tokens - cached) + tariff.cached * cached
    earned = billed / (cost.chips * seconds + tariff.other_chip_s)
    hits = cached / prompt_tokens
    return Revenue(hits, earned, seconds, dips(hits, earned), _edges(rule, prompt_tokens))


def _edges(rule: ChunkRule, prompt_tokens: int) -> tuple[float, ...]:
    """h_k = 1 - k c_max / L, rising: where one chunk more begins."""
    count = prompt_tokens // rule.longest_tokens
    edges = [1 - k * rule.longest_tokens / prompt_tokens for k in range(count, 0, -1)]
    return tuple(h for h in edges if h > 0)


def dips(hits: Course, earned: Course, least: float = LEAST_PROMINENCE) -> tuple[Dip, ...]:
    """Inner local minima of a course whose prominence is at least `least`, by rising hit rate."""
    found = []
    for i in range(1, len(earned) - 1):
        if earned[i] < earned[i - 1] and earned[i] <= earned[i + 1]:
            ridge = min(_ridge(earned[i::-1]), _ridge(earned[i:]))
            prominence = (ridge - earned[i]) / earned[i]
            if prominence >= least:
                found.append(Dip(float(hits[i]), float(earned[i]), float(prominence)))
    return tuple(found)


def _ridge(away: Course) -> float:
    """The highest value on the way from a minimum (the first) to the first lower one."""
    lower = np.flatnonzero(away < away[0])
    return float(away[: lower[0] if len(lower) else len(away)].max())


@dataclass(frozen=True)
class Valley:
    """Hit rates that earn less than none at all, from the first to the last; None without any."""

    from_hit: float
    to_hit: float
    deepest: Dip | None


def valley(course: Revenue) -> Valley | None:
    """Where it is better not to be."""
    below = np.flatnonzero(course.revenue < course.revenue[0])
    if not len(below):
        return None
    inside = [dip for dip in course.dips if dip.hit <= course.hit[below[-1]]]
    deepest = min(inside, key=lambda dip: dip.revenue, default=None)
    return Valley(float(course.hit[below[0]]), float(course.hit[below[-1]]), deepest)


@dataclass(frozen=True)
class WayOut:
    """Two ways out of the valley from one hit rate, each as a change of revenue (a share).

    `larger_cache`: the hit rate rises to `larger_hit` under the same rule. `shallower_tub`: the hit
    rate stays and tails of prefill are merged, or chunks are cut otherwise. `out_of_valley_hit` is
    the least hit rate beyond the valley; None when there is no valley.
    """

    hit: float
    inside: bool
    larger_hit: float
    larger_cache: float
    shallower_tub: float
    out_of_valley_hit: float | None
    better: str
    words: str


def way_out(now: Revenue, shallower: Revenue, hit: float, larger_hit: float) -> WayOut:
    """Which is better from `hit`: the tub of `shallower`, or a cache that hits `larger_hit`."""
    here, tub = now.at(hit), valley(now)
    cache_gain = now.at(larger_hit) / here - 1
    tub_gain = shallower.at(hit) / here - 1
    beyond = None if tub is None else _beyond(now, tub)
    inside = tub is not None and tub.from_hit <= hit <= tub.to_hit
    better = "none"
    if max(cache_gain, tub_gain) > 0:
        better = "larger cache" if cache_gain >= tub_gain else "shallower tub"
    return WayOut(
        hit, inside, larger_hit, cache_gain, tub_gain, beyond, better,
        _advice(hit, inside, larger_hit, cache_gain, tub_gain, beyond, better),
    )  # fmt: skip


def _beyond(course: Revenue, tub: Valley) -> float | None:
    later = course.hit[course.hit > tub.to_hit]
    return float(later[0]) if len(later) else None


def _advice(
    hit: float, inside: bool, larger: float, cache: float, tub: float, beyond: float | None,
    better: str,
) -> str:  # fmt: skip
    place = (
        f"At a hit rate of {hit:.0%} a chip earns less than without any hits"
        if inside
        else f"A hit rate of {hit:.0%} lies outside the valley"
    )
    out = f"; the valley ends at {beyond:.0%}" if inside and beyond is not None else ""
    ways = (
        f"a cache that hits {larger:.0%} changes revenue by {cache:+.1%}, "
        f"a shallower tub by {tub:+.1%}"
    )
    verdict = {
        "none": "neither pays",
        "larger cache": "the larger cache is better",
        "shallower tub": "the shallower tub is better",
    }[better]
    return f"{place}{out}: {ways}; {verdict}."
