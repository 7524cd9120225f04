"""Chunked prefill: seconds of one chunk, and of a prompt that is prefilled in chunks of equal size.

chunk(c, x) = max(w_bytes / (g bw eta), [f_tok c + a c (x + c/2)] / F) + t0: each chunk reads all
weights once, so a short last chunk costs nearly as much as a whole one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

from ..scenario import Pool, ServedModel
from .chip import prefill_cost


@dataclass(frozen=True)
class ChunkRule:
    """How prompts are cut: the longest chunk, the page of the prefix cache, and how tails merge.

    `merged_tail_share` (beta) is the share of tails that fill up a chunk with other requests: they
    cost their share of a whole chunk; the others are a chunk of their own.
    """

    longest_tokens: int = 16_384
    page_tokens: int = 64
    merged_tail_share: float = 0.0

    def __post_init__(self) -> None:
        if self.longest_tokens < 1 or self.page_tokens < 1:
            raise ValueError("chunks and pages have at least one token")
        if not 0 <= self.merged_tail_share <= 1:
            raise ValueError("merged_tail_share lies between 0 and 1")


@dataclass(frozen=True)
class ChunkCost:
    """What a chunk costs on one instance: FLOP, FLOP/s and the least seconds to read the weights.

    `chips` is the size g of the instance; chip-seconds are g times seconds.
    """

    chips: int
    weights_s: float
    overhead_s: float
    flop_per_token: float
    flop_per_pair: float
    flop_per_s: float


def chunk_cost(pool: Pool, model: ServedModel, overhead_s: float) -> ChunkCost:
    """Cost of chunks on one instance of `pool`; `overhead_s` (t0) is that of each chunk."""
    chip, chips = pool.chip, pool.chips_per_instance
    whole = prefill_cost(pool, model)
    bytes_per_s = chips * chip.memory_tbytes_per_s * 1e12 * chip.decode_bandwidth_share
    return ChunkCost(
        chips=chips,
        weights_s=model.weights_gb * 1e9 / bytes_per_s,
        overhead_s=overhead_s,
        flop_per_token=whole.flop_per_token,
        flop_per_pair=whole.flop_per_pair,
        flop_per_s=whole.flop_per_s,
    )


def chunk_seconds(cost: ChunkCost, tokens: float, before_tokens: float) -> float:
    """Seconds of one chunk of `tokens` behind `before_tokens`; no tokens take no time."""
    if tokens <= 0:
        return 0.0
    pairs = tokens * (before_tokens + 0.5 * tokens)
    computed = (cost.flop_per_token * tokens + cost.flop_per_pair * pairs) / cost.flop_per_s
    return max(cost.weights_s, computed) + cost.overhead_s


def cached_tokens(prompt_tokens: int, hit_share: float, page_tokens: int) -> int:
    """Whole pages of the prompt that a hit covers: floor(hL / page) page."""
    return floor(hit_share * prompt_tokens / page_tokens + 1e-9) * page_tokens


def chunked_prefill_seconds(
    cost: ChunkCost, rule: ChunkRule, prompt_tokens: int, cached: int
) -> float:
    """T: whole chunks, then the tail, partly merged with others' and partly on its own."""
    longest, beta = rule.longest_tokens, rule.merged_tail_share
    whole, tail = divmod(prompt_tokens - cached, longest)
    seconds = sum(chunk_seconds(cost, longest, cached + i * longest) for i in range(whole))
    before = cached + whole * longest
    merged = tail / longest * chunk_seconds(cost, longest, before)
    return seconds + beta * merged + (1 - beta) * chunk_seconds(cost, tail, before)
