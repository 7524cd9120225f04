"""Prefix hit rates that a trace allows: with a cache without end, and with LRU caches of a size.

Rules: requests in order of arrival; only *full* prompt blocks count; the hit of a request is its
unbroken run of cached blocks from the first token on; after it is looked up its blocks are
touched from the last to the first, so that suffixes leave first, and then the cache of
N tokens evicts its least recently touched blocks down to N // block_tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..scenario import HIT_EDGES
from .trace_table import Trace

LRU_TOKENS = (1_000_000, 2_000_000, 4_000_000, 6_000_000, 8_000_000)
"""Cache sizes of a profile, in tokens."""

HIGH_HIT = 0.95
"""Requests from this hit rate on count as high-hit (claim C17's second edge)."""


@dataclass(frozen=True)
class LruHits:
    """Hit rates with an LRU cache of `tokens`."""

    tokens: int
    mean_hit: float
    share_ge_95: float


@dataclass(frozen=True)
class TraceProfile:
    """Totals of a trace and its hit rates; None where it has no block ids.

    `mean_hit` is the mean over requests of hit tokens / input tokens, `token_weighted_hit` the
    ratio of the sums, `share_ge_95` the share of requests with a hit of at least 0.95, `buckets`
    the shares of requests in the seven buckets of `HIT_EDGES`: all with a cache without end.
    """

    requests: int
    input_tokens: int
    output_tokens: int
    mean_hit: float | None
    token_weighted_hit: float | None
    share_ge_95: float | None
    buckets: tuple[float, ...] | None
    lru: tuple[LruHits, ...] | None


def profile(
    trace: Trace, lru_tokens: Sequence[int] = LRU_TOKENS, *, partial_blocks: bool = False
) -> TraceProfile:
    """The profile of a trace; with `partial_blocks` a last partial block counts as well."""
    totals = (len(trace), int(trace.input_tokens.sum()), int(trace.output_tokens.sum()))
    hits = hit_tokens(trace, [None, *lru_tokens], partial_blocks=partial_blocks)
    if hits is None:
        return TraceProfile(*totals, None, None, None, None, None)
    rates = hits / trace.input_tokens
    counts, _ = np.histogram(rates[0], bins=np.array(HIT_EDGES))
    return TraceProfile(
        *totals,
        mean_hit=float(rates[0].mean()),
        token_weighted_hit=int(hits[0].sum()) / totals[1],
        share_ge_95=_high(rates[0]),
        buckets=tuple((counts / len(trace)).tolist()),
        lru=tuple(
            LruHits(tokens, float(row.mean()), _high(row))
            for tokens, row in zip(lru_tokens, rates[1:], strict=True)
        ),
    )


def hit_tokens(
    trace: Trace, sizes: Sequence[int | None], *, partial_blocks: bool = False
) -> NDArray[np.int64] | None:
    """Cached prompt tokens of each request, shape (len(sizes), requests), in row order.

    `sizes` are cache sizes in tokens, None for one without end; all are followed in one pass.
    None for a trace without ids. ValueError for a size below 0.
    """
    if trace.block_tokens is None:
        return None
    capacities = [None if size is None else size // trace.block_tokens for size in sizes]
    caches = _LruCaches(trace, capacities)
    blocks_of = trace.blocks if partial_blocks else trace.full_blocks
    hit_blocks = np.zeros((len(sizes), len(trace)), dtype=np.int64)
    for row in np.argsort(trace.arrival_s, kind="stable").tolist():
        blocks = blocks_of(row)
        if blocks is not None and len(blocks):
            hit_blocks[:, row] = caches.request(blocks)
    return np.minimum(hit_blocks * trace.block_tokens, trace.input_tokens)


class _LruCaches:
    """LRU caches of several sizes over one list of touches.

    Each touch has a stamp; `alive` marks the stamps that are the latest of their block. All
    sizes see the same touches, so a cache of n blocks is the n newest alive stamps, and its
    whole state is the oldest stamp it holds, which only grows.
    """

    def __init__(self, trace: Trace, capacities: Sequence[int | None]) -> None:
        if any(c is not None and c < 0 for c in capacities):
            raise ValueError("a cache size must be 0 tokens or more")
        assert trace.block_numbers is not None
        self.capacities = capacities
        self.latest = np.full(trace.block_count, -1, dtype=np.int64)
        self.alive = np.zeros(len(trace.block_numbers), dtype=bool)
        self.stamps = 0
        self.oldest = [0] * len(capacities)
        self.held = [0] * len(capacities)

    def request(self, blocks: NDArray[np.int32]) -> list[int]:
        """Hit blocks in each cache, after which the request's blocks are touched."""
        before = self.latest[blocks]
        hits = [_unbroken(before >= oldest) for oldest in self.oldest]
        self._touch(_without_repeats(blocks))
        return hits

    def _touch(self, blocks: NDArray[np.int32]) -> None:
        before = self.latest[blocks]
        self.alive[before[before >= 0]] = False
        after = np.arange(self.stamps + len(blocks) - 1, self.stamps - 1, -1)
        self.latest[blocks] = after
        self.alive[after] = True
        self.stamps += len(blocks)
        for cache, capacity in enumerate(self.capacities):
            self.held[cache] += int(np.count_nonzero(before < self.oldest[cache]))
            if capacity is not None and self.held[cache] > capacity:
                self._evict(cache, self.held[cache] - capacity)
                self.held[cache] = capacity

    def _evict(self, cache: int, count: int) -> None:
        """Move the oldest stamp past `count` alive ones."""
        window = max(1024, 2 * count)
        while count > 0:
            start = self.oldest[cache]
            found = np.flatnonzero(self.alive[start : start + window])
            gone = min(count, len(found))
            self.oldest[cache] = start + (int(found[gone - 1]) + 1 if gone == count else window)
            count -= gone


def _unbroken(cached: NDArray[np.bool_]) -> int:
    first_miss = int(cached.argmin())
    return len(cached) if cached[first_miss] else first_miss


def _without_repeats(blocks: NDArray[np.int32]) -> NDArray[np.int32]:
    """The blocks at their first place; chained ids do not repeat, but a file may say so."""
    _, places = np.unique(blocks, return_index=True)
    return blocks if len(places) == len(blocks) else blocks[np.sort(places)]


def _high(rates: NDArray[np.float64]) -> float:
    return float(np.count_nonzero(rates >= HIGH_HIT) / len(rates))
