"""Prefill and decode step times against figures computed by hand and the design's check values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployments import changed, shipped
from twin.physics.chip import (
    PrefillCost,
    StepCost,
    prefill_cost,
    prefill_seconds,
    step_cost,
    step_seconds,
)
from twin.scenario import Pool, ServedModel, decode_slots

PDD = shipped("pdd_43a_32b")
BASELINE = shipped("same_dc_88a")


def prefill_on_8a(tokens: float, hit: float) -> float:
    cost = prefill_cost(BASELINE.prefill, BASELINE.model)
    return prefill_seconds(cost, tokens * (1 - hit), tokens * hit)


def step_ms(pool: Pool, batch: int, context_each: float = 64_500) -> float:
    cost = step_cost(pool, PDD.model, 95)
    return step_seconds(cost, batch, batch * context_each) * 1e3


@pytest.mark.parametrize(("hit", "seconds"), [(0.0, 12.0), (0.9, 1.42)])
def test_prefill_of_64_000_tokens_on_8a(hit: float, seconds: float) -> None:
    assert prefill_on_8a(64_000, hit) == pytest.approx(seconds, abs=0.03)


def test_prefill_by_hand() -> None:
    # .04 + [102 G x 6,400 + .64 M x 6,400 x (57,600 + 3,200)] / (8 x 312 T x .262)
    flop = 102e9 * 6400 + 0.64e6 * 6400 * 60_800
    assert prefill_on_8a(64_000, 0.9) == pytest.approx(0.04 + flop / (8 * 312e12 * 0.262))


@given(st.floats(1, 2e5), st.floats(0, 1), st.floats(0, 1))
def test_more_hits_never_take_longer(tokens: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert prefill_on_8a(tokens, high) <= prefill_on_8a(tokens, low) + 1e-12


def test_a_prompt_in_two_parts_costs_the_same_pairs() -> None:
    """Attention of n tokens after c: the parts add up to the whole, but for the overhead."""
    cost = PrefillCost(0.5, 2.0, 3.0, 7.0)
    whole = prefill_seconds(cost, 100, 0)
    parts = prefill_seconds(cost, 30, 0) + prefill_seconds(cost, 70, 30)
    assert parts - whole == pytest.approx(0.5)


@pytest.mark.parametrize(("batch", "ms"), [(8, 20.7), (20, 35.1)])
def test_step_on_8a(batch: int, ms: float) -> None:
    assert step_ms(BASELINE.main_decode, batch) == pytest.approx(ms, abs=0.15)


@pytest.mark.parametrize(("batch", "ms"), [(8, 12.65), (10, 14.0), (20, 19.7)])
def test_step_on_8b(batch: int, ms: float) -> None:
    assert step_ms(PDD.main_decode, batch) == pytest.approx(ms, abs=0.15)


def test_step_by_hand() -> None:
    # 8 B, batch 8: experts read 1 - (1 - 8/256)^8 of 375 GB, 20 GB dense, a quarter of the KV
    share = 1 - (31 / 32) ** 8
    nbytes = 20e9 + 375e9 * share + 0.25 * 46_488 * 8 * 64_500
    memory_s = nbytes / (8 * 4e12 * 0.45)
    compute_s = 8 * (80e9 + 60e9) / (8 * 148e12 * 0.45)
    assert step_ms(PDD.main_decode, 8) / 1e3 == pytest.approx(max(memory_s, compute_s) + 0.005)


def test_the_greater_of_memory_and_compute_decides() -> None:
    cost = StepCost((0.0, 1.0, 1.0), 0.5, (0.0, 0.9, 2.0), (0.0, 0.25, 0.5))
    assert step_seconds(cost, 1, 0.0) == 1.25
    assert step_seconds(cost, 2, 0.0) == 2.5
    assert step_seconds(cost, 2, 4.0) == 3.5


def model(**changes: Any) -> ServedModel:
    return changed(PDD, {f"model.{name}": value for name, value in changes.items()}).model


def test_all_to_all_adds_per_request() -> None:
    plain = step_cost(PDD.main_decode, PDD.model, 20)
    busy = step_cost(PDD.main_decode, model(all_to_all_us_per_token=100), 20)
    for batch in (1, 20):
        added = step_seconds(busy, batch, 9e5) - step_seconds(plain, batch, 9e5)
        assert added == pytest.approx(batch * 1e-4)


def test_a_dense_model_reads_all_its_weights_at_any_batch() -> None:
    dense = model(experts=1, experts_per_token=1, dense_weights_gb=0)
    cost = step_cost(PDD.main_decode, dense, 9)
    assert cost.weights_s[1] == cost.weights_s[9] == pytest.approx(395e9 / (32e12 * 0.45))


@given(st.integers(1, 58), st.floats(0, 1e7))
def test_a_greater_batch_never_has_a_shorter_step(batch: int, context: float) -> None:
    cost = step_cost(BASELINE.main_decode, BASELINE.model, 59)
    assert step_seconds(cost, batch + 1, context) >= step_seconds(cost, batch, context)
    assert step_seconds(cost, batch, context + 1e5) >= step_seconds(cost, batch, context)


def test_memory_slots() -> None:
    assert decode_slots(BASELINE.main_decode, BASELINE.model, BASELINE.caches) == 59
    assert decode_slots(PDD.main_decode, PDD.model, PDD.caches) == 95


def chip_of(**changes: Any) -> Pool:
    named = {f"main_decode.chip.{name}": value for name, value in changes.items()}
    return changed(PDD, named).main_decode


def test_all_to_all_by_bytes_is_shared_by_the_chips() -> None:
    pool = chip_of(interconnect_gbytes_per_s=450)
    plain = step_cost(pool, PDD.model, 20)
    exchanging = changed(
        PDD,
        {
            "main_decode.chip.interconnect_gbytes_per_s": 450,
            "relay_decode.chip.interconnect_gbytes_per_s": 300,
            "model.all_to_all_kb_per_token": 10_000,
        },
    )
    busy = step_cost(exchanging.main_decode, exchanging.model, 20)
    added = step_seconds(busy, 20, 9e5) - step_seconds(plain, 20, 9e5)
    assert added == pytest.approx(20 * 10e6 / (8 * 450e9))  # 8 chips at 450 GB/s


def test_the_state_of_a_hybrid_model_is_read_with_each_step() -> None:
    plain = step_cost(PDD.main_decode, PDD.model, 20)
    hybrid = step_cost(PDD.main_decode, model(fixed_state_mb=192), 20)
    added = step_seconds(hybrid, 10, 9e5) - step_seconds(plain, 10, 9e5)
    assert added == pytest.approx(10 * 192e6 / (32e12 * 0.45))


def chunked(tokens: float, hit: float, chunk: int) -> float:
    pool = changed(BASELINE, {"prefill.chip.prefill_chunk_tokens": chunk}).prefill
    cost = prefill_cost(pool, BASELINE.model)
    return prefill_seconds(cost, tokens * (1 - hit), tokens * hit)


def test_one_chunk_is_the_whole() -> None:
    assert chunked(64_000, 0.5, 10**6) == pytest.approx(prefill_on_8a(64_000, 0.5))


def test_each_chunk_pays_the_fixed_time() -> None:
    # 64,000 tokens in chunks of 16,384: four of them, the last with what is left
    assert chunked(64_000, 0.0, 16_384) - prefill_on_8a(64_000, 0) == pytest.approx(3 * 0.04)


def test_a_small_chunk_waits_for_the_weights() -> None:
    # 64 tokens need less compute than reading 395 GB on 8 chips of 2.04 TB/s at .43
    assert chunked(64, 0.0, 64) == pytest.approx(395e9 / (8 * 2.04e12 * 0.43) + 0.04)


@given(st.floats(1, 2e5), st.floats(0, 1), st.integers(512, 65_536))
def test_smaller_chunks_never_take_less_time(tokens: float, hit: float, chunk: int) -> None:
    assert chunked(tokens, hit, chunk) >= chunked(tokens, hit, 2 * chunk) - 1e-9
