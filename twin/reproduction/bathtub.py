"""Claim C20: the dips of revenue against hit rate, and what moves them or lifts their bank."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ..physics.chunks import ChunkRule, chunk_cost
from ..revenue import Revenue, Tariff, dips, revenue
from ..scenario import Scenario

CHUNK_OVERHEAD_S = 0.5
"""Fixed time of one chunk (assumed)."""

PROMPT_TOKENS = 61_440
"""A prompt that is no whole number of chunks (assumed)."""

CHUNKS = ChunkRule()
"""Chunks and pages (assumed), each tail a chunk of its own."""

CACHED_LOW, CACHED_HIGH = 0.10, 0.25
"""Prices of cached input as a share of the uncached price: the published ends (C21)."""

ANY_PROMINENCE = 1e-9


class Bathtub(NamedTuple):
    """Courses at both prices of cached input, and at the lower one with all tails merged."""

    low: Revenue
    high: Revenue
    merged: Revenue


def bathtub(scenario: Scenario) -> Bathtub:
    """Revenue of one prefill instance of a deployment; no random numbers are in it."""
    cost = chunk_cost(scenario.prefill, scenario.model, CHUNK_OVERHEAD_S)
    merged = replace(CHUNKS, merged_tail_share=1.0)
    low, high = Tariff(cached=CACHED_LOW), Tariff(cached=CACHED_HIGH)
    return Bathtub(
        revenue(cost, CHUNKS, low, PROMPT_TOKENS),
        revenue(cost, CHUNKS, high, PROMPT_TOKENS),
        revenue(cost, merged, low, PROMPT_TOKENS),
    )


def dips_kept(tub: Bathtub) -> int:
    """How many dips stand where they stood, however shallow, at the higher price."""
    kept = {dip.hit for dip in dips(tub.high.hit, tub.high.revenue, ANY_PROMINENCE)}
    return sum(dip.hit in kept for dip in tub.low.dips)


def least_move(tub: Bathtub) -> float | None:
    """The least way from a dip to the next one with merged tails; None when one has no dip."""
    ways = [abs(a.hit - b.hit) for a in tub.low.dips for b in tub.merged.dips]
    return min(ways, default=None)
