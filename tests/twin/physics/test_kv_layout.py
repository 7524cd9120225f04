"""KV bytes from layers: each layout by hand, and what holds for every architecture."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from twin.physics.kv_layout import (
    LAYOUTS,
    LayerGroup,
    bytes_per_token,
    entry_bytes,
    fixed_state_bytes,
    index_key_bytes,
    layout,
    read_bytes,
    request_bytes,
)

BF16, FP8 = layout("bf16"), layout("fp8_without_scales")
MHA = LayerGroup("mha", 32, query_heads=32, kv_heads=32, key_dim=128, value_dim=128)
MLA = LayerGroup("mla", 61, query_heads=128, latent_dim=512, rope_dim=64)
CSA = LayerGroup(
    "csa", 30, query_heads=128, latent_dim=448, rope_dim=64, index_dim=128, compress=4, top_k=1024
)
WINDOW = LayerGroup("swa", 18, query_heads=64, kv_heads=8, key_dim=64, value_dim=64, window=128)
LINEAR = LayerGroup("gdn", 36, state_elements=32 * 128 * 128, conv_elements=24_576)

GROUPS = st.sampled_from([MHA, MLA, CSA, WINDOW, LINEAR])
MODELS = st.lists(GROUPS, min_size=1, max_size=4)
KEPT = st.sampled_from(LAYOUTS)


def test_by_hand():
    # 32 layers x 32 heads x (128 + 128) x 2 B; with 8 heads (GQA) a quarter of it
    assert bytes_per_token([MHA], BF16) == 524_288
    assert bytes_per_token([replace(MHA, kv_heads=8)], BF16) == 131_072
    assert bytes_per_token([MLA], BF16) == 61 * 576 * 2
    assert bytes_per_token([CSA], FP8) == 30 * (512 + 128) / 4
    assert bytes_per_token([WINDOW, LINEAR], BF16) == 0
    assert fixed_state_bytes([WINDOW], BF16) == 18 * 128 * 1024 * 2
    assert fixed_state_bytes([LINEAR], FP8) == 36 * (524_288 * 4 + 24_576 * 2)


def test_engine_layouts_count_their_scales():
    assert entry_bytes(MLA, layout("fp8_ds_mla")) == 512 + 4 * 4 + 64 * 2 == 656
    assert entry_bytes(CSA, layout("fp8_engine_fp8_index")) == 448 + 64 * 2 + 8 == 584
    assert index_key_bytes(CSA, layout("fp8_engine_fp8_index")) == 132
    assert index_key_bytes(CSA, layout("fp8_engine_fp4_index")) == 68
    assert index_key_bytes(MLA, layout("fp8_ds_mla")) == 0


def test_an_engine_layout_is_for_the_models_it_was_made_for():
    assert not layout("fp8_ds_mla").fits([MHA])
    assert layout("fp8_ds_mla").fits([MLA])
    assert not layout("fp8_512_fp4_index_64").fits([MLA])
    assert all(BF16.fits([group]) for group in (MHA, MLA, CSA, WINDOW, LINEAR))


@given(MODELS, KEPT, st.integers(0, 200_000), st.integers(0, 5_000))
def test_a_longer_context_never_holds_less(model, kept, tokens, more):
    assert request_bytes(model, kept, tokens + more) >= request_bytes(model, kept, tokens)


@given(MODELS, KEPT, st.integers(128, 200_000))
def test_what_grows_and_what_does_not_make_the_whole(model, kept, tokens):
    """Linear with a fixed state, but for the entries that are begun: at most one a layer."""
    linear = tokens * bytes_per_token(model, kept) + fixed_state_bytes(model, kept)
    begun = sum(
        group.layers * (entry_bytes(group, kept) + index_key_bytes(group, kept))
        for group in model
        if group.compress > 1
    )
    assert linear - 1e-6 <= request_bytes(model, kept, tokens) <= linear + begun + 1e-6


@given(MODELS, KEPT, st.integers(0, 200_000))
def test_a_step_reads_no_more_than_there_is(model, kept, tokens):
    assert read_bytes(model, kept, tokens) <= request_bytes(model, kept, tokens) + 1e-6


@given(MODELS, st.integers(1, 10_000))
def test_half_the_bytes_of_an_element_are_half_the_cache(model, tokens):
    growing = [group for group in model if group.state_elements == 0]
    assert request_bytes(growing, FP8, tokens) * 2 == request_bytes(growing, BF16, tokens)


def test_a_window_fills_up_and_then_stays():
    assert request_bytes([WINDOW], BF16, 64) == fixed_state_bytes([WINDOW], BF16) / 2
    assert request_bytes([WINDOW], BF16, 1_000) == fixed_state_bytes([WINDOW], BF16)


def test_sparse_attention_reads_all_keys_of_its_indexer_and_the_best_entries():
    read = read_bytes([CSA], FP8, 64_000)
    assert read == 30 * (1024 * 512 + 64_000 / 4 * 128)
    assert read_bytes([CSA], FP8, 400) == bytes_per_token([CSA], FP8) * 400
