"""KV bytes of the catalogue's models: computed from their layers, and equal to what it prints."""

from __future__ import annotations

from dataclasses import replace

import pytest

from twin.hardware.catalogue import layer_groups, shelf
from twin.hardware.kv_table import agrees, kv_rows, kv_table
from twin.physics.attention import decode_flop, pair_flop
from twin.physics.kv_layout import (
    bytes_per_token,
    fixed_state_bytes,
    layout,
    read_bytes,
    request_bytes,
)

MODELS = {p.name: p for p in shelf().parts("models").values() if p.facts}
ROWS = kv_rows()
PRINTED = [
    (part.name, kind) for part in MODELS.values() for kind in part.facts["kv_bytes_per_token"]
]


def test_twenty_models_and_the_inferred_one():
    inferred = {row.model for row in ROWS if row.inferred}
    assert inferred == {"prfaas-1t-hybrid"}
    assert len({row.model for row in ROWS} - inferred) == 20
    assert all(row.note.startswith("inferred: ") for row in ROWS if row.inferred)


@pytest.mark.parametrize(("model", "kind"), PRINTED)
def test_each_printed_figure_follows_from_the_layers(model, kind):
    row = next(row for row in ROWS if (row.model, row.layout) == (model, kind))
    assert row.printed is not None
    assert row.matches, (row.bytes_per_token, row.printed)


def test_nothing_is_copied():
    """Other layers give other bytes, and a wrong figure in the catalogue is told."""
    part = MODELS["llama-3.1-70b"]
    attention = [{**part.facts["attention"][0], "layers": 40}]
    halved = replace(part, facts=part.facts | {"attention": attention})
    rows = kv_rows([halved])
    assert rows[0].bytes_per_token == 327_680 / 2
    assert not any(row.matches for row in rows)


def test_the_printed_precision():
    assert agrees(5511.375, 5511.4)
    assert not agrees(5511.34, 5511.4)
    assert not agrees(70_272.6, 70_272)


@pytest.mark.parametrize("model", MODELS)
def test_the_fixed_state_of_a_part_is_that_of_its_layers(model):
    part = MODELS[model]
    if not part.facts.get("inferred"):
        state = fixed_state_bytes(layer_groups(part), layout("bf16"))
        assert part.values["fixed_state_mb"] * 1e6 == pytest.approx(state, rel=1e-5)


def test_eighty_requests_of_claim_c11():
    """80 x 64,000 tokens with a window each: 23.07 GB; with 65,536 tokens 23.62 GB."""
    groups = layer_groups(MODELS["deepseek-v4-pro"])
    kept = layout("fp8_512_fp4_index_64")
    assert 80 * request_bytes(groups, kept, 64_000) / 1e9 == pytest.approx(23.07, abs=0.005)
    assert 80 * request_bytes(groups, kept, 65_536) / 1e9 == pytest.approx(23.62, abs=0.005)


@pytest.mark.parametrize(
    ("model", "gib"), [("deepseek-v3.2", 83.9), ("deepseek-v4-pro", 9.62), ("llama-3.1-70b", 320)]
)
def test_whole_contexts_as_published(model, gib):
    """A context of 1,048,576 tokens in BF16; of LLaMA 40 GB for 128 K, eight times as much."""
    nbytes = request_bytes(layer_groups(MODELS[model]), layout("bf16"), 1_048_576)
    assert nbytes / 2**30 == pytest.approx(gib, rel=0.001)


@pytest.mark.parametrize("model", [name for name, part in MODELS.items() if not part.lacks])
def test_attention_of_complete_models_follows_from_their_layers(model):
    values, groups = MODELS[model].values, layer_groups(MODELS[model])
    flop = decode_flop(groups, 64_000) / 1e9
    assert values["decode_attention_gflop_per_token"] == pytest.approx(flop, rel=1e-3)
    growing = [group for group in groups if group.grows]
    held = bytes_per_token(groups, layout("bf16")) * 64_000
    share = read_bytes(growing, layout("bf16"), 64_000) / held
    assert values["kv_read_share"] == pytest.approx(share, rel=2e-3)
    pairs = sum(
        group.layers * (2 * group.index_heads * group.index_dim)
        + (group.layers * pair_flop(group, prefill=True) if not group.top_k else 0)
        for group in growing
    )
    assert values["prefill_attention_mflop_per_pair"] == pytest.approx(pairs / 1e6, rel=1e-3)


def test_the_table_shows_every_row():
    lines = kv_table().splitlines()
    assert len(lines) == 2 + len(ROWS)
    assert "differs" not in kv_table()
    assert sum("✓" in line for line in lines) == len(PRINTED)
