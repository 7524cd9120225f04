"""Chunked prefill: sums by hand, and laws that hold for every rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployments import shipped
from twin.physics.chip import prefill_cost, prefill_seconds
from twin.physics.chunks import (
    ChunkCost,
    ChunkRule,
    cached_tokens,
    chunk_cost,
    chunk_seconds,
    chunked_prefill_seconds,
)

# 1,000 tokens take 1 s, reading the weights .2 s, and each chunk .1 s more; pairs cost nothing
ROUND = ChunkCost(2, 0.2, 0.1, 1e6, 0.0, 1e9)


def test_a_chunk_by_hand():
    assert chunk_seconds(ROUND, 1000, 0) == pytest.approx(1.1)
    assert chunk_seconds(ROUND, 100, 0) == pytest.approx(0.3)  # the weights take longer
    assert chunk_seconds(ROUND, 0, 500) == 0.0


def test_pairs_count_what_lies_before_and_half_of_the_chunk():
    cost = ChunkCost(1, 0.0, 0.0, 0.0, 1.0, 1000.0)
    assert chunk_seconds(cost, 10, 100) == pytest.approx(10 * 105 / 1000)


def test_a_prompt_in_chunks_by_hand():
    rule = ChunkRule(longest_tokens=1000, page_tokens=100)
    # 2,300 new tokens: two whole chunks and a tail of 300
    assert chunked_prefill_seconds(ROUND, rule, 2500, 200) == pytest.approx(2 * 1.1 + 0.4)
    merged = ChunkRule(1000, 100, merged_tail_share=1.0)
    assert chunked_prefill_seconds(ROUND, merged, 2500, 200) == pytest.approx(2.2 + 0.3 * 1.1)
    half = ChunkRule(1000, 100, merged_tail_share=0.5)
    assert chunked_prefill_seconds(ROUND, half, 2500, 200) == pytest.approx(2.2 + 0.5 * 0.73)


def test_hits_count_in_whole_pages():
    assert cached_tokens(1000, 0.499, 100) == 400
    assert cached_tokens(1000, 0.5, 100) == 500
    assert cached_tokens(61_440, 0.2, 64) == 12_288  # a share that binary numbers cannot hold


@given(
    prompt=st.integers(1, 200_000), longest=st.integers(1, 50_000), cached=st.floats(0, 1),
)  # fmt: skip
def test_without_overheads_chunks_cost_what_the_whole_costs(prompt, longest, cached):
    scenario = shipped("same_dc_88a")
    model = scenario.model.model_copy(update={"weights_gb": 1e-12})
    cost = chunk_cost(scenario.prefill, model, 0.0)
    held = cached_tokens(prompt, cached, 64)
    rule = ChunkRule(max(longest, prompt // 50 + 1))
    whole = prefill_cost(scenario.prefill, model)._replace(overhead_s=0.0)
    expected = prefill_seconds(whole, prompt - held, held)
    assert chunked_prefill_seconds(cost, rule, prompt, held) == pytest.approx(expected)


@given(prompt=st.integers(1, 100_000), low=st.floats(0, 1), high=st.floats(0, 1))
def test_a_higher_hit_rate_never_takes_longer(prompt, low, high):
    scenario = shipped("same_dc_88a")
    cost, rule = chunk_cost(scenario.prefill, scenario.model, 0.5), ChunkRule()
    less, more = sorted(cached_tokens(prompt, h, 64) for h in (low, high))
    longer = chunked_prefill_seconds(cost, rule, prompt, less)
    assert chunked_prefill_seconds(cost, rule, prompt, more) <= longer * (1 + 1e-12)


@pytest.mark.parametrize("wrong", [{"longest_tokens": 0}, {"page_tokens": 0},
                                   {"merged_tail_share": 1.5}])  # fmt: skip
def test_rules_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValueError, match=r"token|share"):
        ChunkRule(**wrong)
