"""What a measurement asks of its chips: bytes and FLOP, as times at full speed.

Sizes are exact where the model's configuration is; KV is kept in FP8 without scales, in BF16 with
weights of 16 bits (assumed: the sources do not tell it). In a tensor-parallel group a latent and
each KV head beyond the number of heads are held by every chip, and are read by every chip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..physics.aggregated import FullSpeed, interleaved_share
from ..physics.attention import decode_flop, prefill_flop
from ..physics.kv_layout import Layout, layout, read_bytes
from .catalogue import KnownChip, KnownModel
from .measurements import Measurement

COLLECTIVES_PER_LAYER = 2
"""Sums over the tensor-parallel group in one layer: after attention and after the FFN."""

EXCHANGE_BYTES_PER_ELEMENT = 3
"""Expert-parallel all-to-all: dispatch in FP8 and combine in BF16, nothing sent only once."""


@dataclass(frozen=True)
class Task:
    """A measurement with the chip and model that it was made on."""

    measured: Measurement
    chip: KnownChip
    model: KnownModel

    @property
    def flop_per_s(self) -> float:
        """Peak of one chip in the precision of the weights."""
        return self.chip.flop_per_s(self.measured.precision)

    @property
    def kv(self) -> Layout:
        """The layout that KV is kept in, where it is told, else assumed."""
        if self.measured.kv is not None:
            return layout(self.measured.kv)
        wide = self.measured.precision in ("bf16", "fp16")
        return layout("bf16" if wide else "fp8_without_scales")


def full_speed(tasks: Sequence[Task]) -> FullSpeed:
    """The tasks as arrays of times at full speed, one element each."""
    return FullSpeed(*(np.array(column) for column in zip(*map(_one, tasks), strict=True)))


def _one(task: Task) -> tuple[float, ...]:
    kind = task.measured.kind
    if kind == "tpot":
        return _aggregated(task)
    return _decode(task) if kind == "decode" else _prefill(task)


def prompt_seconds(task: Task, chips: int) -> float:
    """Compute of one prompt at full speed on `chips` chips, in s; attention at the BF16 peak."""
    tokens = task.measured.input_tokens
    dense = 2 * task.model.active_params * tokens / task.flop_per_s
    attention = prefill_flop(task.model.attention, tokens) / task.chip.bf16_flop_per_s
    return (dense + attention) / chips


def _token_seconds(task: Task, context: float) -> float:
    """Compute of one decoded token at full speed on one chip, in s."""
    dense = 2 * task.model.active_params / task.flop_per_s
    return dense + decode_flop(task.model.attention, context) / task.chip.bf16_flop_per_s


def _weight_bytes(task: Task, tokens: float) -> tuple[float, float]:
    """Bytes of weights that a step reads: those outside the routed experts, and experts touched."""
    model = task.model
    each = model.bytes_per_param(task.measured.precision)
    experts = model.routed_params * each * model.touched_share(tokens)
    return (model.total_params - model.routed_params) * each, experts


def kv_ways(model: KnownModel, chips: int) -> int:
    """Chips of a tensor-parallel group among which KV can be divided; a latent cannot."""
    first = model.attention[0]
    return 1 if first.latent_dim else max(1, min(chips, first.kv_heads))


def _aggregated(task: Task) -> tuple[float, ...]:
    m, model, chips = task.measured, task.model, task.measured.chips
    context = m.input_tokens + m.output_tokens / 2
    kv = m.requests * read_bytes(model.attention, task.kv, context) / kv_ways(model, chips)
    memory = (sum(_weight_bytes(task, m.requests)) / chips + kv) / task.chip.memory_bytes_per_s
    return (
        memory,
        m.requests * _token_seconds(task, context) / chips,
        interleaved_share(m.requests, m.output_tokens) * prompt_seconds(task, chips),
        _collective_seconds(task),
        0.0,
        model.layers,
        model.layers if chips > 1 else 0,
        model.moe_layers,
        0,
    )


def _collective_seconds(task: Task) -> float:
    """Sums of a step over the group: each chip sends and receives 2 (t - 1)/t of the BF16 rows."""
    chips, rate = task.measured.chips, task.chip.scale_up_bytes_per_s
    if chips == 1 or not rate:
        return 0.0
    row_bytes = task.measured.requests * task.model.hidden * 2
    return COLLECTIVES_PER_LAYER * task.model.layers * row_bytes * 2 * (chips - 1) / chips / rate


def _decode(task: Task) -> tuple[float, ...]:
    """Decode with expert parallelism: attention on each chip by itself, experts spread over all."""
    m, model = task.measured, task.model
    tokens = m.requests * m.drafted
    dense, experts = _weight_bytes(task, tokens * m.chips)
    kv = m.requests * read_bytes(model.attention, task.kv, m.input_tokens)
    rate = task.chip.exchange_bytes_per_s(m.chips)
    sent = tokens * model.moe_layers * model.experts_per_token * model.hidden
    return (
        (dense + experts / m.chips + kv) / task.chip.memory_bytes_per_s,
        tokens * _token_seconds(task, m.input_tokens),
        0.0,
        0.0,
        sent * EXCHANGE_BYTES_PER_ELEMENT / rate if rate else 0.0,
        model.layers,
        0,
        model.moe_layers,
        0,
    )


def _prefill(task: Task) -> tuple[float, ...]:
    """A prompt alone on the group, or the compute of one prompt token in an endless stream."""
    m, model = task.measured, task.model
    if m.kind == "prefill rate":
        return 0.0, 0.0, prompt_seconds(task, 1) / m.input_tokens, 0.0, 0.0, 0, 0, 0, 1
    memory = sum(_weight_bytes(task, m.input_tokens)) / m.chips / task.chip.memory_bytes_per_s
    fixed = (model.layers, model.layers if m.chips > 1 else 0)
    return memory, 0.0, prompt_seconds(task, m.chips), 0.0, 0.0, *fixed, 0, 1
