"""Chips and models as the shelf of parts has them, ready for arithmetic, and as rows of tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..parts import NamedPart, Shelf
from ..physics.kv_layout import LayerGroup
from ..scenario_file import is_assumed, shipped_folder

ALIASES = {
    "deepseek-r1": "deepseek-v3",
    "deepseek-v3.1": "deepseek-v3",
    "llama-2-70b": "llama-3.1-70b",
    "llama-3.3-70b": "llama-3.1-70b",
    "glm-4.5": "glm-4.6",
    "glm-4.7": "glm-4.6",
    "glm-5.1": "glm-5",
    "minimax-m2": "minimax-m2.5",
    "minimax-m2.7": "minimax-m2.5",
}
"""Other names of models whose layers and sizes are the same."""

PEAKS = {"bf16": (), "fp16": (), "fp8": ("fp8_tflops",), "int8": ("int8_tops",),
         "fp4": ("fp4_tflops",), "int4": ()}  # fmt: skip
"""Facts that hold the peak of a precision; BF16 where a chip has none (weights are widened)."""

WEIGHTS = {"bf16": ("bf16",), "fp16": ("bf16",), "fp8": ("fp8",), "int8": ("fp8",),
           "fp4": ("nvfp4", "mxfp4"), "int4": ("int4_qat",)}  # fmt: skip
"""Facts that hold the bytes of all weights in a precision, the first that a model has."""


@dataclass(frozen=True)
class KnownChip:
    """A chip: peaks in FLOP/s by precision, memory in bytes and bytes/s, networks in bytes/s."""

    name: str
    bf16_flop_per_s: float
    peaks_flop_per_s: dict[str, float]
    memory_bytes: float
    memory_bytes_per_s: float
    scale_up_bytes_per_s: float | None
    scale_up_chips: int
    nic_bytes_per_s: float | None

    def flop_per_s(self, precision: str) -> float:
        """Dense peak in that precision, or in BF16 where the chip has none."""
        return self.peaks_flop_per_s.get(precision, self.bf16_flop_per_s)

    def exchange_bytes_per_s(self, chips: int) -> float | None:
        """What one chip can send to `chips` others: within its scale-up domain, else by its NIC."""
        within = self.scale_up_bytes_per_s is not None and chips <= self.scale_up_chips
        return self.scale_up_bytes_per_s if within else self.nic_bytes_per_s


@dataclass(frozen=True)
class KnownModel:
    """A model: its layers, parameters and bytes of weights by precision."""

    name: str
    attention: tuple[LayerGroup, ...]
    layers: int
    hidden: int
    total_params: float
    active_params: float
    moe_layers: int
    experts: int
    experts_per_token: int
    expert_params: float
    weights_bytes: dict[str, float] = field(default_factory=dict)

    def bytes_per_param(self, precision: str) -> float:
        """Mean bytes of a parameter in memory; KeyError where that precision is not known."""
        known = [kind for kind in WEIGHTS[precision] if kind in self.weights_bytes]
        return self.weights_bytes[known[0]] / self.total_params if known else _missing(precision)

    @property
    def routed_params(self) -> float:
        """Parameters of all routed experts."""
        return self.moe_layers * self.experts * self.expert_params

    def touched_share(self, tokens: float) -> float:
        """Share of the routed experts that `tokens` in one step touch: 1 - (1 - k/E)^B."""
        if not self.moe_layers:
            return 0.0
        return 1 - (1 - self.experts_per_token / self.experts) ** tokens


def _missing(precision: str) -> float:
    raise KeyError(precision)


def shelf() -> Shelf:
    """The shelf of parts that comes with the twin."""
    return Shelf(shipped_folder() / "parts")


def layer_groups(part: NamedPart) -> tuple[LayerGroup, ...]:
    """The layers of a model's attention; empty where the part does not tell them."""
    return tuple(LayerGroup(**group) for group in part.facts.get("attention", ()))


def known_chip(part: NamedPart) -> KnownChip:
    """A chip with its peak, memory and bandwidth; KeyError names what the part lacks."""
    values, facts = part.values, part.facts
    scale_up = facts.get("scale_up", {})
    one_way = scale_up.get("one_way_gbytes_per_s")
    nic = facts.get("nic_gbps", {}).get("value")
    peaks = {
        precision: facts[name]["value"] * 1e12
        for precision, names in PEAKS.items()
        for name in names
        if name in facts
    }
    return KnownChip(
        name=part.name,
        bf16_flop_per_s=values["peak_tflops"] * 1e12,
        peaks_flop_per_s=peaks,
        memory_bytes=values["memory_gb"] * 1e9,
        memory_bytes_per_s=values["memory_tbytes_per_s"] * 1e12,
        scale_up_bytes_per_s=None if one_way is None else one_way * 1e9,
        scale_up_chips=scale_up.get("chips", 1),
        nic_bytes_per_s=None if nic is None else nic * 1e9 / 8,
    )


def known_model(part: NamedPart) -> KnownModel:
    """A model with its layers and sizes; KeyError names what the part lacks."""
    values, facts = part.values, part.facts
    moe = facts.get("moe", {})
    return KnownModel(
        name=part.name,
        attention=layer_groups(part),
        layers=facts["layers"],
        hidden=facts["hidden"],
        total_params=values["total_params_b"] * 1e9,
        active_params=values["active_params_b"] * 1e9,
        moe_layers=moe.get("layers", 0),
        experts=values["experts"],
        experts_per_token=values["experts_per_token"],
        expert_params=moe.get("params_of_one_expert", 0),
        weights_bytes={key: gb * 1e9 for key, gb in facts["weights_gb"].items()},
    )


def chips(parts: Sequence[NamedPart]) -> dict[str, KnownChip]:
    """The chips that are complete, by name."""
    return {part.name: known_chip(part) for part in parts if not part.lacks}


def models(parts: Sequence[NamedPart]) -> dict[str, KnownModel]:
    """The models of which a step can be computed, by name and by their other names."""
    needed = {"active_params_b", "weights_gb"}
    known = {
        part.name: known_model(part)
        for part in parts
        if "attention" in part.facts and needed <= set(part.values)
    }
    return known | {alias: known[name] for alias, name in ALIASES.items() if name in known}


def chip_rows(parts: Sequence[NamedPart]) -> list[dict[str, Any]]:
    """One row for each chip: its values and facts, the source of each, and what it lacks."""
    return [_row(part) for part in parts]


def model_rows(parts: Sequence[NamedPart]) -> list[dict[str, Any]]:
    """One row for each model: as for chips, with the kinds of its attention."""
    rows = []
    for part in parts:
        kinds = [f"{g.layers} x {g.kind}" for g in layer_groups(part)]
        rows.append(_row(part) | {"attention": ", ".join(kinds)})
    return rows


def _row(part: NamedPart) -> dict[str, Any]:
    assumed = [key for key in part.values if is_assumed(part.sources.get(key, "assumed"))]
    return {
        "name": part.name,
        "about": part.about,
        "values": dict(part.values),
        "sources": dict(part.sources),
        "assumed": assumed,
        "lacks": dict(part.lacks),
        "facts": dict(part.facts),
    }
