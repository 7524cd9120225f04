"""Hit rates of a trace: a timeline by hand, a plain model to compare with, and laws."""

from __future__ import annotations

import io
import json
from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.workload.cache_profile import hit_tokens, profile
from twin.workload.mooncake import write_mooncake
from twin.workload.traces import Trace, read_trace


def trace_of(prompts: list[tuple[int, list[int]]]) -> Trace:
    lines = [
        json.dumps(
            {"timestamp": i, "input_length": tokens, "output_length": 1, "hash_ids": ids}
        )
        for i, (tokens, ids) in enumerate(prompts)
    ]  # fmt: skip
    return read_trace("\n".join(lines).encode())


def full(*prompts: list[int]) -> Trace:
    return trace_of([(512 * len(ids), ids) for ids in prompts])


def hits(trace: Trace, *sizes: int | None, partial_blocks: bool = False) -> list[list[int]]:
    found = hit_tokens(trace, sizes, partial_blocks=partial_blocks)
    assert found is not None
    return found.tolist()


@pytest.mark.parametrize(
    ("one", "other", "hit"),
    [
        (1, 4294967297, 0),
        (9007199254740992, 9007199254740993, 0),
        (18446744073709551615, -1, 0),
        (7, 7, 512),
        (18446744073709551615, 18446744073709551615, 512),
    ],
)
def test_ids_that_differ_in_any_bit_do_not_hit(one: int, other: int, hit: int):
    assert hits(full([one], [other]), None, 10**6) == [[0, hit], [0, hit]]


def test_a_timeline_by_hand():
    """A cache of three blocks. After [a b c] the newest is a; d then drives out c, the suffix."""
    trace = full([1, 2, 3], [4], [1, 2, 3], [5, 6, 7, 8], [5, 6, 7, 8], [4])
    endless, three = hits(trace, None, 3 * 512)
    assert endless == [0, 0, 1536, 0, 2048, 512]
    # row 2: 3 is gone, 1 and 2 are held. row 3 leaves 5 6 7 of its four. row 4 finds those.
    assert three == [0, 0, 1024, 0, 1536, 0]


def test_a_hit_is_an_unbroken_prefix():
    assert hits(full([1, 2, 3], [9, 2, 3], [1, 8, 3]), None) == [[0, 0, 512]]


def test_a_partial_block_counts_only_when_asked():
    trace = trace_of([(600, [1, 2]), (600, [1, 2]), (100, [3]), (100, [3])])
    assert hits(trace, None) == [[0, 512, 0, 0]]
    assert hits(trace, None, partial_blocks=True) == [[0, 600, 0, 100]]
    assert profile(trace).mean_hit == pytest.approx(512 / 600 / 4)
    assert profile(trace, partial_blocks=True).mean_hit == 0.5


def test_a_capacity_is_whole_blocks():
    trace = full([1, 2], [1, 2])
    assert hits(trace, 511, 512, 1023, 1024) == [[0, 0], [0, 512], [0, 512], [0, 1024]]


def test_a_profile_in_figures():
    trace = trace_of(
        [
            (51200, list(range(100))),
            (51200, list(range(100))),
            (51200, [*range(95), 200, 201, 202, 203, 204]),
            (51200, [*range(94), 300, 301, 302, 303, 304, 305]),
        ]
    )
    found = profile(trace, [512 * 95])
    assert (found.requests, found.input_tokens, found.output_tokens) == (4, 204800, 4)
    assert found.mean_hit == pytest.approx((1 + 0.95 + 0.94) / 4)
    assert found.token_weighted_hit == pytest.approx((1 + 0.95 + 0.94) / 4)
    assert found.share_ge_95 == 0.5
    assert found.buckets == (0.25, 0.25, 0.25, 0.0, 0.0, 0.0, 0.25)
    assert found.lru is not None
    assert found.lru[0].tokens == 48640
    assert found.lru[0].mean_hit == pytest.approx((0.95 + 0.95 + 0.94) / 4)
    assert found.lru[0].share_ge_95 == 0.5


def test_what_a_trace_without_ids_cannot_say_is_none():
    azure = b"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,4808,10"
    found = profile(read_trace(azure))
    assert (found.requests, found.input_tokens, found.output_tokens) == (1, 4808, 10)
    rates = (found.mean_hit, found.token_weighted_hit, found.share_ge_95, found.buckets, found.lru)
    assert rates == (None,) * 5


def test_a_negative_size_is_refused():
    with pytest.raises(ValueError, match="0 tokens or more"):
        hit_tokens(full([1]), [-512])


def test_chains_are_profiled_in_order_of_arrival():
    session = {
        "block_size": 64,
        "requests": [
            {"t": 0, "in": 64, "out": 1, "hash_ids": [1], "think_time": 0},
            {"t": 9, "in": 64, "out": 1, "hash_ids": [2], "think_time": 0},
            {
                "t": 5,
                "type": "subagent",
                "requests": [{"t": 0, "in": 64, "out": 1, "hash_ids": [2]}],
            },
        ],
    }
    trace = read_trace(json.dumps(session).encode())
    assert trace.arrival_s.tolist() == [0, 9, 5]
    assert hits(trace, None) == [[0, 64, 0]]


# Laws on traces of chained blocks: each prompt follows an earlier one for a while, then leaves it.


@st.composite
def chained(draw: st.DrawFn) -> Trace:
    prompts: list[list[int]] = [[]]
    fresh = 0
    for _ in range(draw(st.integers(1, 25))):
        base = draw(st.sampled_from(prompts))
        kept = base[: draw(st.integers(0, len(base)))]
        new = draw(st.integers(0 if kept else 1, 4))
        prompts.append([*kept, *range(fresh, fresh + new)])
        fresh += new
    tails = [draw(st.integers(0, 511)) for _ in prompts[1:]]
    rows = []
    for ids, tail in zip(prompts[1:], tails, strict=True):
        fresh += 1
        rows.append((512 * len(ids) + tail, [*ids, fresh + 10**6] if tail else ids))
    return trace_of(rows)


any_blocks = st.lists(
    st.lists(st.integers(0, 6), min_size=1, max_size=6), min_size=1, max_size=30
).map(lambda prompts: full(*prompts))
"""Ids at random, repeated within a prompt too: no real trace, but a file may say so."""


def plain_lru(trace: Trace, capacity: int) -> list[int]:
    """The rule in its own words, block by block."""
    cache: OrderedDict[int, None] = OrderedDict()
    found = []
    for request in trace.requests():
        blocks = request.blocks or ()
        hit = 0
        while hit < len(blocks) and blocks[hit] in cache:
            hit += 1
        found.append(hit * 512)
        for block in reversed(blocks):
            cache[block] = None
            cache.move_to_end(block)
        while len(cache) > capacity:
            cache.popitem(last=False)
    return found


@given(chained() | any_blocks, st.lists(st.integers(0, 40), max_size=4))
def test_all_sizes_agree_with_the_plain_model(trace: Trace, capacities: list[int]):
    expected = [plain_lru(trace, capacity) for capacity in (10**9, *capacities)]
    assert hits(trace, None, *(512 * c for c in capacities)) == expected


@given(chained() | any_blocks)
def test_a_cache_that_holds_all_blocks_is_one_without_end(trace: Trace):
    endless, all_held = hits(trace, None, 512 * trace.block_count)
    assert endless == all_held


@given(chained() | any_blocks, st.integers(0, 20), st.integers(0, 20))
def test_a_larger_cache_never_hits_less(trace: Trace, one: int, more: int):
    """True for LRU: the newest n blocks are among the newest n + m (not so for FIFO)."""
    small, large = hits(trace, 512 * one, 512 * (one + more))
    assert all(a <= b for a, b in zip(small, large, strict=True))


@given(chained())
def test_sums(trace: Trace):
    found = profile(trace, [512 * 3])
    row = hit_tokens(trace, [None])
    assert row is not None
    assert (row >= 0).all()
    assert (row <= trace.input_tokens).all()
    assert found.buckets is not None
    assert found.share_ge_95 is not None
    assert sum(found.buckets) == pytest.approx(1)
    assert found.share_ge_95 == pytest.approx(sum(found.buckets[2:]))
    # without end, blocks that hit and blocks seen first make up all full blocks
    full_blocks = sum(len(r.blocks or ()) for r in trace.requests())
    distinct = {b for r in trace.requests() for b in r.blocks or ()}
    assert int(row.sum()) // 512 == full_blocks - len(distinct)


@given(chained(), st.randoms(use_true_random=False))
def test_names_of_blocks_do_not_matter(trace: Trace, chance):
    assert trace.block_ids is not None
    new = chance.sample(range(2**62), len(trace.block_ids))
    renamed = trace_of(
        [
            (int(tokens), [new[n] for n in numbers.tolist()])
            for tokens, numbers in zip(
                trace.input_tokens, map(trace.blocks, range(len(trace))), strict=True
            )
            if numbers is not None
        ]
    )
    assert np.array_equal(hits(trace, None, 2048), hits(renamed, None, 2048))


def test_the_cache_evicts_far_more_than_it_scans_at_once():
    """Long dead stretches between live blocks: many touches of few blocks, then a flood."""
    rounds = [[1, 2, 3, 4]] * 1500
    flood = list(range(10, 3010))
    trace = full(*rounds, flood, [1], [10], [3009])
    assert hits(trace, 512 * 4)[0][-3:] == [0, 512, 0]
    assert hits(trace, 512 * 3000)[0][-3:] == [0, 512, 0]
    assert hits(trace, 512 * 3003)[0][-3:] == [512, 512, 512]
    assert hits(trace, 512 * 4)[0] == plain_lru(trace, 4)


def test_a_trace_written_and_read_again_has_the_same_profile():
    trace = full([1, 2, 3], [1, 2], [1, 2, 3, 4])
    stream = io.StringIO()
    write_mooncake(trace, stream)
    assert profile(read_trace(stream.getvalue().encode())) == profile(trace)
