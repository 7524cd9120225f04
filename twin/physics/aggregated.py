"""Time per output token where one group of chips does prefill and decode in turn (aggregated).

In the steady state of C requests with prompts of `isl` and answers of `osl` tokens, each decode
step is followed, on average, by (C - 1) / osl prefills of the others: interleaved prefill adds
that share of a prompt's compute to each step. The step itself is the roofline of `chip.py`, with
the time of exchanges between chips beside it.

All functions take numbers or numpy arrays of one shape.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class FullSpeed(NamedTuple):
    """What a step would take with every part of the hardware at its peak, in s, and its layers.

    `collective_s`: sums over the tensor-parallel group; `exchange_s`: expert parallel all-to-all;
    `prefill_s`: compute of interleaved prefill, or of the prompt where prefill stands alone.
    `parallel_layers` counts the layers whose results are summed over several chips. `alone` is 1
    for a prefill by itself, which reads the weights while it computes.
    """

    memory_s: Any
    compute_s: Any
    prefill_s: Any
    collective_s: Any
    exchange_s: Any
    layers: Any
    parallel_layers: Any
    moe_layers: Any
    alone: Any


class Efficiencies(NamedTuple):
    """Shares of a peak that are reached, and fixed microseconds of each layer."""

    prefill_mfu: float
    decode_bandwidth_share: float
    decode_compute_share: float
    collective_share: float
    exchange_share: float
    layer_us: float
    parallel_layer_us: float
    moe_layer_us: float


def interleaved_share(requests: float, output_tokens: float) -> float:
    """Prompts of other requests that are prefilled between two steps of one: (C - 1) / osl."""
    return max(0.0, requests - 1) / output_tokens


def fixed_seconds(full: FullSpeed, reached: Efficiencies) -> Any:
    """Time of a step that no bandwidth explains: starting its kernels, layer by layer, in s."""
    return (
        reached.layer_us * full.layers
        + reached.parallel_layer_us * full.parallel_layers
        + reached.moe_layer_us * full.moe_layers
    ) / 1e6


def seconds(full: FullSpeed, reached: Efficiencies) -> Any:
    """Time of a step with interleaved prefill, or of a prefill alone, in s.

    max(memory, compute) + prefill + collective + all-to-all + fixed; alone: max(memory, prefill)
    + fixed, because what prefill sends overlaps with what it computes.
    """
    memory = full.memory_s / reached.decode_bandwidth_share
    prefill = full.prefill_s / reached.prefill_mfu
    step = np.maximum(memory, full.compute_s / reached.decode_compute_share) + prefill
    step = step + full.collective_s / reached.collective_share
    step = step + full.exchange_s / reached.exchange_share
    body = np.where(full.alone, np.maximum(memory, prefill), step)
    return body + fixed_seconds(full, reached)
