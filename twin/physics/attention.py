"""FLOP of attention, by decoded token and by prompt, from the layers of a model.

Two FLOP for each multiplied pair of elements. Decode reads a latent as it is kept (absorbed MLA:
scores over latent and rope, values over latent); prefill expands it to heads of `key_dim` and
`value_dim`, which needs fewer FLOP for long new prompts.
"""

from __future__ import annotations

from .kv_layout import Architecture, LayerGroup


def pair_flop(group: LayerGroup, *, prefill: bool = False) -> float:
    """FLOP of one query token for one entry of one layer, over all heads."""
    if group.latent_dim and not _expanded(group, prefill):
        values = group.latent_dim + (group.rope_dim if group.values_with_rope else 0)
        return 2.0 * group.query_heads * (group.entry_elements + values)
    return 2.0 * group.query_heads * (group.key_dim + group.value_dim)


def _expanded(group: LayerGroup, prefill: bool) -> bool:
    """Whether a latent is expanded to heads; sparse attention reads it as it is kept."""
    return prefill and group.key_dim > 0 and group.top_k is None


def _entries(group: LayerGroup, tokens: float) -> float:
    """Entries that a token attends to behind a context of `tokens`."""
    if group.window is not None:
        return min(tokens, group.window)
    entries = tokens / group.compress
    return min(entries, group.top_k) if group.top_k else entries


def _fixed_flop(group: LayerGroup) -> float:
    """Linear attention: the state is updated and read once, 2 FLOP an element each."""
    return 4.0 * group.state_elements


def _indexer_flop(group: LayerGroup, tokens: float) -> float:
    return 2.0 * group.index_heads * group.index_dim * tokens / group.compress


def decode_flop(architecture: Architecture, context_tokens: float) -> float:
    """Attention FLOP of one decoded token behind `context_tokens`, over all layers."""
    return sum(
        group.layers
        * (
            pair_flop(group) * _entries(group, context_tokens)
            + _indexer_flop(group, context_tokens)
            + _fixed_flop(group)
        )
        for group in architecture
    )


def prefill_flop(architecture: Architecture, tokens: float) -> float:
    """Attention FLOP of a prompt of `tokens` that is computed as a whole, over all layers.

    Token i attends to the i before it, or to as many as its layer allows: n^2 / 2 pairs, or
    w n - w^2 / 2 behind a window or a top-k of w.
    """
    total = 0.0
    for group in architecture:
        total += group.layers * pair_flop(group, prefill=True) * _pairs(group, tokens)
        total += group.layers * _indexer_flop(group, tokens / 2) * tokens
        total += group.layers * _fixed_flop(group) * tokens
    return total


def _pairs(group: LayerGroup, tokens: float) -> float:
    reach = float(group.window or (group.top_k or 0) * group.compress or tokens)
    reach = min(reach, tokens)
    pairs = reach * tokens - reach * reach / 2
    return pairs / group.compress
