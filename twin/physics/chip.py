"""How long a prefill and a decode step take on one instance: a roofline with stated efficiencies.

Formulas: Prefill S = t0 + [2 N_act n + s n + a n (c + n/2)] / F and
tau(B, K) = max(memory(B, K), compute(B)) + all-to-all(B) + t_step; their parameters are fields of
`Chip` and `ServedModel`.
"""

from __future__ import annotations

from typing import NamedTuple

from ..scenario import Pool, ServedModel
from .chunked_prefill import chunked_seconds


class PrefillCost(NamedTuple):
    """What prefill costs on one instance."""

    overhead_s: float
    flop_per_token: float
    flop_per_pair: float
    flop_per_s: float
    chunk_tokens: int | None = None
    weights_s: float = 0.0


def prefill_cost(pool: Pool, model: ServedModel) -> PrefillCost:
    """Cost of prefill on one instance of `pool`: F = chips x peak x MFU."""
    chip = pool.chip
    return PrefillCost(
        overhead_s=chip.prefill_overhead_ms / 1e3,
        flop_per_token=(2 * model.active_params_b + model.prefill_extra_gflop_per_token) * 1e9,
        flop_per_pair=model.prefill_attention_mflop_per_pair * 1e6,
        flop_per_s=pool.chips_per_instance * chip.peak_tflops * 1e12 * chip.prefill_mfu,
        chunk_tokens=chip.prefill_chunk_tokens,
        weights_s=model.weights_gb * 1e9 / _bytes_per_s(pool),
    )


def _bytes_per_s(pool: Pool) -> float:
    """Memory bandwidth that one instance reaches, in bytes/s."""
    chip = pool.chip
    peak = pool.chips_per_instance * chip.memory_tbytes_per_s * 1e12
    return peak * chip.decode_bandwidth_share


def prefill_seconds(cost: PrefillCost, new_tokens: float, cached_tokens: float) -> float:
    """Time to prefill `new_tokens` after `cached_tokens` that are already in the cache, in s."""
    overhead_s, per_token, per_pair, flop_per_s, chunk_tokens, weights_s = cost
    if chunk_tokens is not None:
        return chunked_seconds(
            new_tokens, cached_tokens, chunk_tokens, overhead_s, weights_s,
            per_token, per_pair, flop_per_s,
        )  # fmt: skip
    pairs = new_tokens * (cached_tokens + 0.5 * new_tokens)
    return overhead_s + (per_token * new_tokens + per_pair * pairs) / flop_per_s


class StepCost(NamedTuple):
    """What one decode step costs on one instance; lists are indexed by batch size.

    `weights_s` holds with the weights what each request reads whatever its length: full sliding
    windows and the state of linear attention.
    """

    weights_s: tuple[float, ...]
    kv_s_per_token: float
    compute_s: tuple[float, ...]
    added_s: tuple[float, ...]


def step_cost(pool: Pool, model: ServedModel, largest_batch: int) -> StepCost:
    """Tables of the decode step for batches 0..largest_batch.

    Memory: dense weights, plus the experts that a batch touches, 1 - (1 - k/E)^B of all, plus the
    share r of the KV cache read, plus the fixed state of each request; compute: B x (2 N_act +
    attention); added: all-to-all + overhead. All-to-all: a time per token, and bytes per token of
    which each chip sends its share.
    """
    chip = pool.chip
    bytes_per_s = _bytes_per_s(pool)
    flop_per_s = pool.chips_per_instance * chip.peak_tflops * 1e12 * chip.decode_compute_share
    flop_per_token = (2 * model.active_params_b + model.decode_attention_gflop_per_token) * 1e9
    dense = model.dense_weights_gb * 1e9
    experts = model.weights_gb * 1e9 - dense
    untouched = 1 - model.experts_per_token / model.experts
    state = model.fixed_state_mb * 1e6
    exchange = exchange_seconds_per_token(pool, model)
    batches = range(largest_batch + 1)
    return StepCost(
        weights_s=tuple(
            (dense + experts * (1 - untouched**b) + b * state) / bytes_per_s for b in batches
        ),
        kv_s_per_token=model.kv_read_share * model.kv_bytes_per_token / bytes_per_s,
        compute_s=tuple(b * flop_per_token / flop_per_s for b in batches),
        added_s=tuple(b * exchange + chip.step_overhead_ms / 1e3 for b in batches),
    )


def exchange_seconds_per_token(pool: Pool, model: ServedModel) -> float:
    """Time of the all-to-all for one token of the batch, in s.

    Bytes need an interconnect; a scenario without one is refused, so there is one here.
    """
    told = model.all_to_all_us_per_token / 1e6
    rate = pool.chip.interconnect_gbytes_per_s
    if not model.all_to_all_kb_per_token or rate is None:
        return told
    return told + model.all_to_all_kb_per_token * 1e3 / (pool.chips_per_instance * rate * 1e9)


def step_seconds(cost: StepCost, batch: int, context_tokens: float) -> float:
    """Time of one decode step with `batch` requests that hold `context_tokens` in all, in s."""
    memory = cost.weights_s[batch] + cost.kv_s_per_token * context_tokens
    compute = cost.compute_s[batch]
    return (memory if memory > compute else compute) + cost.added_s[batch]
