"""FLOP of attention by hand, and that decode and prefill tell the same story."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.attention import decode_flop, pair_flop, prefill_flop
from twin.physics.kv_layout import LayerGroup

GQA = LayerGroup("gqa", 80, query_heads=64, kv_heads=8, key_dim=128, value_dim=128)
MLA = LayerGroup(
    "mla", 61, query_heads=128, latent_dim=512, rope_dim=64, key_dim=192, value_dim=128
)
WINDOW = LayerGroup("swa", 4, query_heads=8, kv_heads=2, key_dim=64, value_dim=64, window=128)
LINEAR = LayerGroup("gdn", 3, state_elements=1000)
INDEX = LayerGroup("dsa_index", 61, index_dim=128, index_heads=64)


def test_by_hand():
    assert pair_flop(GQA) == 2 * 64 * 256
    assert pair_flop(MLA) == 2 * 128 * (576 + 512)
    assert pair_flop(MLA, prefill=True) == 2 * 128 * (192 + 128)
    assert decode_flop([GQA], 1000) == 80 * 2 * 64 * 256 * 1000
    assert decode_flop([INDEX], 1000) == 61 * 2 * 64 * 128 * 1000
    assert decode_flop([LINEAR], 10**6) == decode_flop([LINEAR], 1) == 3 * 4000
    assert prefill_flop([GQA], 2048) == 80 * 2 * 64 * 256 * 2048**2 / 2


def test_a_window_bounds_both():
    assert decode_flop([WINDOW], 10**6) == decode_flop([WINDOW], 128)
    assert prefill_flop([WINDOW], 1000) == 4 * pair_flop(WINDOW) * (128 * 1000 - 128**2 / 2)
    assert prefill_flop([WINDOW], 100) == 4 * pair_flop(WINDOW) * 100**2 / 2


@given(st.lists(st.sampled_from([GQA, WINDOW, LINEAR, INDEX]), min_size=1), st.integers(2, 3000))
def test_a_prompt_costs_what_its_tokens_cost_one_by_one(model, tokens):
    one_by_one = sum(decode_flop(model, i + 0.5) for i in range(tokens))
    assert prefill_flop(model, tokens) == pytest.approx(one_by_one, rel=0.01)
