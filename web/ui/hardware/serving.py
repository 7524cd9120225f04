"""What a chip does with a model: prefill, decode step and slots, by the twin's own equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from twin.equipment import Caches, Chip, Pool, ServedModel, decode_slots
from twin.hardware import catalogue
from twin.hardware.applied import chip_settings, collective_us_per_token
from twin.hardware.catalogue import KnownChip, KnownModel
from twin.parts import NamedPart
from twin.physics.aggregated import Efficiencies
from twin.physics.chip import prefill_cost, prefill_seconds, step_cost, step_seconds

Figures = Mapping[str, float | None]
"""The four figures of a chip by the name of the setting."""


@dataclass(frozen=True)
class Load:
    """What is asked: chips of an instance, uncached tokens, requests in the batch, their tokens."""

    chips: int
    prompt_tokens: int
    batch: int
    context_tokens: int


@dataclass(frozen=True)
class Served:
    """What an instance does; times in s. No step where the weights do not fit."""

    prefill_s: float
    step_s: float | None
    rate: float | None
    slots: int


@cache
def parts(kind: str) -> dict[str, NamedPart]:
    """All parts of the shelf of a kind by name."""
    return catalogue.shelf().parts(kind)


@cache
def _known_models() -> dict[str, KnownModel]:
    return catalogue.models(list(parts("models").values()))


def can_be_fitted(model: str) -> bool:
    """Whether the layers of a model are told, so that fitted efficiencies apply."""
    return model in _known_models()


def settings(
    figures: Figures, model: str, chips: int, reached: Efficiencies | None
) -> dict[str, float]:
    """Settings of the chip: its four figures, and the efficiencies that are reached, if told."""
    told = {name: float(value) for name, value in figures.items() if value}
    if reached is None:
        return told
    known = _as_known(figures)
    return told | chip_settings(reached, known, _known_models()[model], "bf16", chips)


def _as_known(figures: Figures) -> KnownChip:
    sends = figures.get("interconnect_gbytes_per_s")
    peak = float(figures["peak_tflops"] or 0) * 1e12
    return KnownChip(
        name="own", bf16_flop_per_s=peak, peaks_flop_per_s={},
        memory_bytes=float(figures["memory_gb"] or 0) * 1e9,
        memory_bytes_per_s=float(figures["memory_tbytes_per_s"] or 0) * 1e12,
        scale_up_bytes_per_s=sends * 1e9 if sends else None, scale_up_chips=1, nic_bytes_per_s=None,
    )  # fmt: skip


def served(figures: Figures, model: str, load: Load, reached: Efficiencies | None) -> Served:
    """What an instance of such chips does with a model under a load."""
    chip = Chip.model_validate({"name": "own", **settings(figures, model, load.chips, reached)})
    pool = Pool(chip=chip, instances=1, chips_per_instance=load.chips)
    serves = _model(figures, model, load.chips, reached)
    caches = Caches(slot_context_tokens=load.context_tokens)
    slots = decode_slots(pool, serves, caches)
    prefill_s = prefill_seconds(prefill_cost(pool, serves), load.prompt_tokens, 0)
    if slots == 0:
        return Served(prefill_s, None, None, 0)
    cost = step_cost(pool, serves, load.batch)
    step_s = step_seconds(cost, load.batch, load.batch * load.context_tokens)
    return Served(prefill_s, step_s, load.batch * serves.tokens_per_step / step_s, slots)


def _model(
    figures: Figures, model: str, chips: int, reached: Efficiencies | None
) -> ServedModel:  # fmt: skip
    values: dict[str, Any] = {"name": model, **parts("models")[model].values}
    if reached is not None and chips > 1:
        sums = collective_us_per_token(reached, _as_known(figures), _known_models()[model], chips)
        values["all_to_all_us_per_token"] = sums or 0.0
    return ServedModel(**values)


def ends(rows: list[dict[str, Any]]) -> tuple[Efficiencies, Efficiencies, Efficiencies]:
    """The default of a fit, the slow and the fast end of its range."""
    value, slow, fast = {}, {}, {}
    for row in rows:
        name = row["name"]
        low, high = row["low"], row["high"]
        value[name] = row["value"]
        slow[name], fast[name] = (high, low) if name.endswith("_us") else (low, high)
    return Efficiencies(**value), Efficiencies(**slow), Efficiencies(**fast)
