"""KV bytes of a token and of a request, from the attention of a model and the layout in memory.

A model is a list of `LayerGroup`: full attention (MHA, GQA, one latent per token as in MLA, an
indexer of sparse attention), the same compressed (one entry for several tokens) or kept for the
last tokens only (sliding window), and linear attention, whose state does not grow. A `Layout` says
how many bytes an element takes and which scales go with it. Everything is computed from these two;
nothing is looked up. Element counts are those of all tensor-parallel ranks together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True)
class LayerGroup:
    """Equal layers and what each of them keeps.

    `kv_heads` heads of `key_dim` and `value_dim` elements (MHA and GQA), or one entry of
    `latent_dim` and `rope_dim` elements that all heads share (MLA; `key_dim` and `value_dim` are
    then those of prefill; `values_with_rope`: the whole entry serves as value too), and an indexer
    key of `index_dim`. One entry stands for `compress` tokens; with a `window` only the last tokens
    are kept. `state_elements` and `conv_elements` are the state of linear attention.
    `top_k`: a step attends to that many entries at most.
    """

    kind: str
    layers: int
    query_heads: int = 0
    kv_heads: int = 0
    key_dim: int = 0
    value_dim: int = 0
    latent_dim: int = 0
    rope_dim: int = 0
    values_with_rope: bool = False
    index_dim: int = 0
    index_heads: int = 0
    compress: int = 1
    window: int | None = None
    top_k: int | None = None
    state_elements: int = 0
    state_element_bytes: int = 4
    conv_elements: int = 0

    @property
    def grows(self) -> bool:
        """Whether what the layers keep grows with the context without end."""
        return self.window is None and self.state_elements == 0

    @property
    def entry_elements(self) -> int:
        """Elements of one entry without the indexer's key."""
        if self.latent_dim:
            return self.latent_dim + self.rope_dim
        return self.kv_heads * (self.key_dim + self.value_dim)


Architecture = Sequence[LayerGroup]
"""The attention of a model."""


@dataclass(frozen=True)
class Layout:
    """Bytes of an element in memory, and the scales that are kept with each entry.

    `kinds`: the kinds of groups that an engine's own layout is made for; empty means any. Scales:
    `scale_bytes` for each begun `scale_block` elements of a latent, padded to `scale_padding`;
    elements of rotary position may be wider (`rope_bytes`).
    """

    name: str
    element_bytes: float
    rope_bytes: float
    index_bytes: float
    scale_bytes: int = 0
    scale_block: int = 1
    scale_padding: int = 1
    index_scale_bytes: int = 0
    kinds: tuple[str, ...] = ()

    def fits(self, architecture: Architecture) -> bool:
        """Whether a model can be kept in this layout."""
        return not self.kinds or any(group.kind in self.kinds for group in architecture)


COMPRESSED = ("csa", "hca")
LATENT = ("mla",)

LAYOUTS = (
    Layout("bf16", 2, 2, 2),
    Layout("fp8_without_scales", 1, 1, 1),
    Layout("fp8_ds_mla", 1, 2, 1, 4, 128, 1, 4, LATENT),
    Layout("fp8_engine_fp8_index", 1, 2, 1, 1, 64, 8, 4, COMPRESSED),
    Layout("fp8_engine_fp4_index", 1, 2, 0.5, 1, 64, 8, 4, COMPRESSED),
    Layout("fp8_512_fp4_index_64", 1, 1, 0.5, kinds=COMPRESSED),
)
"""Layouts by name. `fp8_ds_mla` is vLLM's: 512 FP8 + 4 scales of 4 B + 64 BF16 = 656 B. The two
engine layouts of compressed attention: 448 FP8 + 64 BF16 + 7 scales of 1 B, padded to 8 = 584 B,
and an indexer key of 128 in FP8 or FP4 with one scale of 4 B. The last one has no scales; it gives
the 4.39 to 4.44 KB/token of claim C11. Source: vLLM's blog of 2025-09-29 and 2026-04-24."""


def layout(name: str) -> Layout:
    """The layout of that name; KeyError if there is none."""
    return {known.name: known for known in LAYOUTS}[name]


def entry_bytes(group: LayerGroup, kept: Layout) -> float:
    """Bytes of one entry of one layer, without the indexer's key."""
    if not group.latent_dim:
        return group.entry_elements * kept.element_bytes
    scales = kept.scale_bytes * ceil(group.latent_dim / kept.scale_block)
    scales = kept.scale_padding * ceil(scales / kept.scale_padding)
    return group.latent_dim * kept.element_bytes + group.rope_dim * kept.rope_bytes + scales


def index_key_bytes(group: LayerGroup, kept: Layout) -> float:
    """Bytes of one indexer key of one layer; 0 where there is no indexer."""
    if not group.index_dim:
        return 0.0
    return group.index_dim * kept.index_bytes + kept.index_scale_bytes


def bytes_per_token(architecture: Architecture, kept: Layout) -> float:
    """KV bytes that one more token adds to a long context, over all layers."""
    return sum(
        group.layers * (entry_bytes(group, kept) + index_key_bytes(group, kept)) / group.compress
        for group in architecture
        if group.grows
    )


def fixed_state_bytes(architecture: Architecture, kept: Layout) -> float:
    """Bytes of a request that do not grow: full sliding windows, linear attention's state.

    The state is kept as it is (`state_element_bytes`), that of its convolutions in BF16.
    """
    return sum(_state_bytes(group, kept, group.window or 0) for group in architecture)


def _state_bytes(group: LayerGroup, kept: Layout, window_tokens: float) -> float:
    window = group.layers * window_tokens * entry_bytes(group, kept)
    return window + group.layers * (
        group.state_elements * group.state_element_bytes + group.conv_elements * 2
    )


def request_bytes(architecture: Architecture, kept: Layout, tokens: int) -> float:
    """KV bytes of a context of `tokens`, exact: begun entries count whole, windows fill up."""
    total = 0.0
    for group in architecture:
        if group.grows:
            entries = ceil(tokens / group.compress)
            each = entry_bytes(group, kept) + index_key_bytes(group, kept)
            total += group.layers * entries * each
        else:
            total += _state_bytes(group, kept, min(tokens, group.window or 0))
    return total


def read_bytes(architecture: Architecture, kept: Layout, tokens: float) -> float:
    """Bytes that one decode step reads of a context of `tokens`.

    Sparse attention reads every indexer key and the best `top_k` entries, a window its last
    tokens, linear attention its state.
    """
    total = 0.0
    for group in architecture:
        if group.grows:
            entries = tokens / group.compress
            read = min(entries, group.top_k or entries)
            total += group.layers * read * entry_bytes(group, kept)
            total += group.layers * entries * index_key_bytes(group, kept)
        else:
            total += _state_bytes(group, kept, min(tokens, group.window or 0))
    return total
