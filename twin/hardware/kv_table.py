"""KV bytes per token of every model in every layout: computed from its layers, beside the printed.

The printed figures are those of the catalogue (facts of a part); they are compared with, never
used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..parts import NamedPart
from ..physics.kv_layout import LAYOUTS, Layout, bytes_per_token, fixed_state_bytes
from .catalogue import layer_groups, shelf

PAGE = """\
# KV cache by model and layout

`make docs` writes this page; do not edit it. Bytes per token are computed from the layers of each
model (`attention` under `facts` in `scenarios/parts/models.yaml`): heads, latents, indexer keys,
compression and windows. A tick: the figure is the one printed in the catalogue, at its precision.
The fixed state is what a request holds whatever its length: full sliding windows and the state of
linear attention. `fp8_ds_mla` and the engine layouts count their scales; `fp8_without_scales` does
not. To use a layout, write `{part: deepseek-v3, kv_bytes_per_token: 40016}`. The efficiencies of
chips are told by [calibrate-hardware](command-line.md#calibrate-hardware).
"""


@dataclass(frozen=True)
class KvRow:
    """One model in one layout; bytes are over all layers and tensor-parallel ranks.

    `printed` is None where the catalogue prints nothing for this layout, and `matches` then too.
    """

    model: str
    attention: str
    layout: str
    bytes_per_token: float
    fixed_state_bytes: float | None
    printed: float | None
    matches: bool | None
    inferred: bool
    note: str


def kv_rows(parts: Iterable[NamedPart] | None = None) -> list[KvRow]:
    """Rows for all models that tell their layers (those of the shipped shelf)."""
    chosen = shelf().parts("models").values() if parts is None else parts
    return [row for part in chosen for row in _rows(part)]


def kv_page() -> str:
    """The page of `docs/` with the table for the shipped models, as Markdown."""
    return f"{PAGE}\n{kv_table()}\n"


def kv_table(parts: Iterable[NamedPart] | None = None) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| model | attention | layout | B/token | printed | fixed state, MB | note |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [_line(row) for row in kv_rows(parts)]
    return "\n".join(lines)


def _rows(part: NamedPart) -> Iterator[KvRow]:
    groups = layer_groups(part)
    if not groups:
        return
    attention = " + ".join(f"{group.layers} {group.kind}" for group in groups)
    for kept in LAYOUTS:
        if kept.fits(groups):
            yield _row(part, attention, kept)


def _row(part: NamedPart, attention: str, kept: Layout) -> KvRow:
    groups = layer_groups(part)
    computed = bytes_per_token(groups, kept)
    printed = part.facts.get("kv_bytes_per_token", {}).get(kept.name)
    inferred = str(part.facts.get("inferred", ""))
    unknown_state = bool(inferred) and not any(not group.grows for group in groups)
    return KvRow(
        model=part.name,
        attention=attention,
        layout=kept.name,
        bytes_per_token=computed,
        fixed_state_bytes=None if unknown_state else fixed_state_bytes(groups, kept),
        printed=printed,
        matches=None if printed is None else agrees(computed, printed),
        inferred=bool(inferred),
        note=f"inferred: {inferred}" if inferred else "",
    )


def agrees(computed: float, printed: float) -> bool:
    """Whether a figure is the printed one at the printed precision (at most one decimal)."""
    decimals = 0 if float(printed).is_integer() else 1
    return round(computed, decimals) == printed


def _line(row: KvRow) -> str:
    printed = "–" if row.printed is None else f"{row.printed:,.10g}"
    verdict = "" if row.matches is None else (" ✓" if row.matches else " differs")
    state = "–" if row.fixed_state_bytes is None else f"{row.fixed_state_bytes / 1e6:,.1f}"
    computed = f"{row.bytes_per_token:,.1f}".removesuffix(".0")
    cells = (f"`{row.model}`", row.attention, row.layout, computed, f"{printed}{verdict}", state)
    return f"| {' | '.join(cells)} | {row.note} |"
