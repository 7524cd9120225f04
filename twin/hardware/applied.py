"""What a fit means for a scenario: the settings of a chip and a model that it stands for."""

from __future__ import annotations

from typing import Any

from ..physics.aggregated import Efficiencies
from .catalogue import KnownChip, KnownModel
from .work import COLLECTIVES_PER_LAYER, EXCHANGE_BYTES_PER_ELEMENT

EFFICIENCY_TEXTS = {
    "prefill_mfu": ("share of peak compute, prefill", "%"),
    "decode_bandwidth_share": ("share of memory bandwidth, decode", "%"),
    "decode_compute_share": ("share of peak compute, decode", "%"),
    "collective_share": ("share of the interconnect, sums over the group", "%"),
    "exchange_share": ("share of the network, all-to-all", "%"),
    "layer_us": ("fixed time of a layer", "µs"),
    "parallel_layer_us": ("more of it on several chips", "µs"),
    "moe_layer_us": ("more of it with experts", "µs"),
}
"""What each efficiency is, and its unit, for tables."""


def chip_settings(
    reached: Efficiencies, chip: KnownChip, model: KnownModel, precision: str, chips: int
) -> dict[str, float]:
    """Settings of `Chip` for instances of `chips` chips that serve the model in that precision.

    The shares are of the peak of that precision, which is therefore given too.
    """
    layers = reached.layer_us + (reached.parallel_layer_us if chips > 1 else 0.0)
    fixed_us = layers * model.layers + reached.moe_layer_us * model.moe_layers
    return {
        "peak_tflops": chip.flop_per_s(precision) / 1e12,
        "prefill_mfu": reached.prefill_mfu,
        "decode_bandwidth_share": reached.decode_bandwidth_share,
        "decode_compute_share": reached.decode_compute_share,
        "prefill_overhead_ms": fixed_us / 1e3,
        "step_overhead_ms": fixed_us / 1e3,
    }


def collective_us_per_token(
    reached: Efficiencies, chip: KnownChip, model: KnownModel, chips: int
) -> float | None:
    """`all_to_all_us_per_token` for tensor parallelism: two sums a layer; None without a figure."""
    if chip.scale_up_bytes_per_s is None:
        return None
    sent = COLLECTIVES_PER_LAYER * model.layers * model.hidden * 2 * 2 * (chips - 1) / chips
    return sent / chip.scale_up_bytes_per_s / reached.collective_share * 1e6


def exchange_kb_per_token(model: KnownModel) -> float:
    """`all_to_all_kb_per_token` for expert parallelism: to k experts of each layer and back."""
    elements = model.moe_layers * model.experts_per_token * model.hidden
    return elements * EXCHANGE_BYTES_PER_ELEMENT / 1e3


def efficiency_rows(
    reached: Efficiencies, low: Efficiencies, high: Efficiencies, fitted: tuple[bool, ...]
) -> list[dict[str, Any]]:
    """One row for each efficiency: value, range, whether data determine it, what it is, unit."""
    return [
        {
            "name": name,
            "value": value,
            "low": below,
            "high": above,
            "fitted": known,
            "about": EFFICIENCY_TEXTS[name][0],
            "unit": EFFICIENCY_TEXTS[name][1],
        }
        for name, value, below, above, known in zip(
            Efficiencies._fields, reached, low, high, fitted, strict=True
        )
    ]
