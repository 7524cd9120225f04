"""The caches by themselves: m_s, LRU order, slots, eviction, size, blocks."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from tests.deployments import round_pdd
from tests.given_requests import request, rows, served, simulation
from twin.engine.caches import (
    BlockDecodeCache,
    BlockPromptCache,
    BlockStore,
    NoDecodeCache,
    SessionDecodeCache,
    SessionPromptCache,
    decode_cache,
)
from twin.engine.journey import Journey
from twin.engine.line import Flow


def of(session: int, prompt: float = 100, hit: float = 0.0, out: int = 10, **more: Any) -> Journey:
    return request(prompt, out, hit, session, **more)


def lands(cache: SessionDecodeCache | BlockDecodeCache, j: Journey) -> None:
    cache.landed(Flow(0, j, 0.0, 0.0))


def cache_of(tokens: float) -> SessionDecodeCache:
    return SessionDecodeCache(tokens * 2.0, bytes_per_token=2.0)


class TestHeldTokens:
    """m_s by itself."""

    def test_unknown_session_holds_nothing(self) -> None:
        assert cache_of(1000).held(of(1)) == 0

    def test_first_turn_holds_the_shared_prefix_at_no_cost(self) -> None:
        cache = cache_of(1000)
        cache.first_turn(of(1, hit=40))
        assert cache.held(of(1)) == 40
        assert cache.used_bytes() == 0

    def test_landed_kv_raises_it_to_the_prompt(self) -> None:
        cache = cache_of(1000)
        cache.first_turn(of(1, hit=40))
        lands(cache, of(1, prompt=100))
        assert cache.held(of(1)) == 100

    def test_landed_kv_never_lowers_it(self) -> None:
        cache = cache_of(1000)
        self._finished(cache, of(1, prompt=100, out=10))
        lands(cache, of(1, prompt=100))
        assert cache.held(of(1)) == 110

    def test_main_decode_leaves_prompt_and_output(self) -> None:
        cache = cache_of(1000)
        self._finished(cache, of(1, prompt=100, out=10))
        assert cache.held(of(1)) == 110

    @pytest.mark.parametrize(("hit", "left"), [(60, 60), (150, 110)])
    def test_local_finish_leaves_the_common_part(self, hit: float, left: float) -> None:
        cache = cache_of(1000)
        self._finished(cache, of(1, prompt=100, out=10))
        cache.finished_locally(of(1, hit=hit))
        assert cache.held(of(1)) == left

    def test_local_finish_of_an_unknown_session_holds_nothing(self) -> None:
        cache = cache_of(1000)
        cache.finished_locally(of(1, hit=60))
        assert cache.held(of(1)) == 0

    @staticmethod
    def _finished(cache: SessionDecodeCache, j: Journey) -> None:
        lands(cache, j)
        cache.pin(j)
        cache.finished(j)


class TestRoom:
    """What counts, and who has to leave."""

    def test_the_longest_untouched_leaves_first(self) -> None:
        cache = cache_of(300)
        for session in (1, 2, 3):
            lands(cache, of(session))
        lands(cache, of(1))  # touched again
        lands(cache, of(4))
        assert [cache.held(of(s)) for s in (1, 2, 3, 4)] == [100, 0, 100, 100]
        assert cache.evictions == 1

    def test_an_entry_in_a_slot_neither_counts_nor_leaves(self) -> None:
        cache = cache_of(200)
        lands(cache, of(1))
        cache.pin(of(1))
        assert cache.used_bytes() == 0
        for session in (2, 3, 4):
            lands(cache, of(session))
        assert [cache.held(of(s)) for s in (1, 2, 3, 4)] == [100, 0, 100, 100]

    def test_it_counts_again_when_it_leaves_the_slot(self) -> None:
        cache = cache_of(200)
        for session in (1, 2, 3):
            lands(cache, of(session))
            if session == 1:
                cache.pin(of(1))
        cache.finished(of(1))
        # 1 landed before 2 and 3 (LRU is touched when KV lands), so it is the one to leave
        assert [cache.held(of(s)) for s in (1, 2, 3)] == [0, 100, 100]
        assert cache.used_bytes() == 400

    def test_two_requests_of_one_session_in_slots(self) -> None:
        cache = cache_of(1000)
        lands(cache, of(1))
        cache.pin(of(1))
        cache.pin(of(1))
        cache.finished(of(1))
        assert cache.used_bytes() == 0
        cache.finished(of(1))
        assert cache.used_bytes() == 200

    def test_a_second_landing_replaces_the_entry(self) -> None:
        cache = cache_of(1000)
        lands(cache, of(1, prompt=100))
        lands(cache, of(1, prompt=150))
        assert cache.used_bytes() == 300

    def test_a_smaller_size_evicts_at_once(self) -> None:
        cache = cache_of(1000)
        for session in range(5):
            lands(cache, of(session))
        cache.resize(2 * 250)
        assert [cache.held(of(s)) for s in range(5)] == [0, 0, 0, 100, 100]
        assert cache.evictions == 3

    def test_ended_sessions_linger(self) -> None:
        cache = cache_of(1000)
        lands(cache, of(1))
        cache.first_turn(of(2, hit=30))
        cache.ended(1)
        cache.ended(2)
        assert cache.used_bytes() == 200
        assert 2 not in cache.tokens  # nothing of it in the cache: not even a number is kept

    def test_lost_with_its_slot(self) -> None:
        cache = cache_of(1000)
        lands(cache, of(1))
        cache.pin(of(1))
        cache.lost(of(1))
        assert cache.held(of(1)) == 0
        assert cache.used_bytes() == 0

    def test_a_sequence_evicted_before_its_slot_counts_when_it_leaves_it(self) -> None:
        cache = cache_of(100)
        lands(cache, of(1))
        lands(cache, of(2))  # 1 has to leave before it got its slot
        cache.pin(of(1))
        cache.finished(of(1))
        assert [cache.held(of(s)) for s in (1, 2)] == [110, 0]
        assert cache.used_bytes() == 200

    def test_a_cache_turned_on_meanwhile_counts_what_leaves_a_slot(self) -> None:
        cache = cache_of(100)  # new and empty; the slot was taken before
        cache.finished(of(1))
        assert cache.held(of(1)) == 110
        assert cache.used_bytes() == 200
        cache.finished(of(2))
        assert [cache.held(of(s)) for s in (1, 2)] == [0, 110]


@pytest.mark.parametrize(("size_tb", "held"), [(0.0, 0), (0.0009, 0), (0.002, 900), (None, 900)])
def test_a_cache_too_small_for_a_prompt_holds_nothing_of_it(
    size_tb: float | None, held: float
) -> None:
    # prompts of 1,000 tokens are 1 GB = .001 TB
    scenario = round_pdd({"caches.drc_tb": size_tb, "policy.relay_threshold_s": 100})
    given = [(0.0, request(1000, 10, 100)), (5.0, request(1000, 10, 900, first_turn=False))]
    told = served(scenario, given)
    assert told[0]["md_hit"] == 100  # the prefix that all sessions share
    assert told[1]["md_hit"] == held
    assert told[1]["nbytes"] == pytest.approx((1000 - held) * 1e6)


def test_drc_off_holds_nothing_of_first_turns_either() -> None:
    assert isinstance(decode_cache(round_pdd({"caches.drc_enabled": False}), None), NoDecodeCache)
    cache = NoDecodeCache()
    cache.first_turn(of(1, hit=40))
    cache.pin(of(1))
    cache.finished(of(1))
    assert cache.held(of(1)) == 0
    assert cache.used_bytes() == 0


class TestPrefillCache:
    """h_eff = min(hL, p_s) / L."""

    def test_without_a_limit_the_drawn_hit_passes(self) -> None:
        cache = SessionPromptCache(inf, 2.0)
        assert cache.hit(of(1, hit=70, first_turn=False)) == 70

    def test_with_one_only_what_is_held_hits(self) -> None:
        cache = SessionPromptCache(400.0, 2.0)
        later = of(1, hit=70, first_turn=False)
        assert cache.hit(later) == 0
        cache.asked(of(1, prompt=50))
        assert cache.hit(later) == 50
        cache.asked(of(1, prompt=100))
        assert cache.hit(later) == 70

    def test_the_shared_prefix_of_first_turns_is_warm(self) -> None:
        assert SessionPromptCache(0.0, 2.0).hit(of(1, hit=70)) == 70

    def test_the_longest_unused_leaves(self) -> None:
        cache = SessionPromptCache(400.0, 2.0)  # two prompts of 100
        for session in (1, 2, 1, 3):
            cache.asked(of(session))
        held = [cache.hit(of(s, hit=99, first_turn=False)) for s in (1, 2, 3)]
        assert held == [99, 0, 99]
        assert cache.evictions == 1
        cache.resize(200.0)
        assert cache.used_bytes() == 200

    def test_a_prompt_evicted_is_prefilled_whole(self) -> None:
        # .0005 TB holds half a prompt of 1,000 tokens
        scenario = round_pdd({"caches.prefill_tb": 0.0005})
        given = [(0.0, request(1000, 10)), (9.0, request(1000, 10, 900, first_turn=False))]
        assert served(scenario, given)[1]["prefill"] == pytest.approx(0.4, abs=1e-9)


class TestBlocks:
    """With block ids a hit is the unbroken prefix of blocks held."""

    def test_prefix_ends_at_the_first_gap(self) -> None:
        store = BlockStore(inf, 1.0)
        store.touch((1, 2, 4))
        assert store.prefix((1, 2, 3, 4)) == 2
        assert store.prefix((2, 1)) == 2
        assert store.prefix(()) == 0

    def test_suffixes_leave_before_their_prefix(self) -> None:
        store = BlockStore(3.0, 1.0)
        store.touch((1, 2, 3))
        store.touch((7,))
        assert store.prefix((1, 2, 3)) == 2
        assert store.evictions == 1

    def test_use_keeps(self) -> None:
        store = BlockStore(3.0, 1.0)
        for blocks in ((1,), (2,), (3,), (1,), (4,)):
            store.touch(blocks)
        assert list(store.blocks) == [3, 1, 4]

    def test_resize(self) -> None:
        store = BlockStore(inf, 10.0)
        store.touch((1, 2, 3, 4))
        store.resize(25.0)
        assert store.prefix((1, 2, 3, 4)) == 2
        assert store.used_bytes() == 20

    def test_blocks_of_no_bytes_fit_any_size(self) -> None:
        store = BlockStore(0.0, 0.0)
        store.touch((1, 2))
        assert store.prefix((1, 2)) == 2

    def test_both_caches_count_whole_blocks(self) -> None:
        prompts = BlockPromptCache(BlockStore(inf, 1.0), 64)
        main = BlockDecodeCache(BlockStore(inf, 1.0), 64)
        asked = request(150, 5, blocks=(1, 2, 3))
        prompts.asked(asked)
        lands(main, asked)
        assert prompts.hit(request(200, 5, blocks=(1, 2, 9))) == 128
        assert prompts.hit(request(150, 5, blocks=(1, 2, 3))) == 150  # never above the prompt
        assert main.held(request(200, 5, blocks=(1, 2, 9))) == 128

    def test_ids_of_64_bits_stay_apart(self) -> None:
        store = BlockStore(inf, 1.0)
        store.touch((1, 9007199254740992))
        assert store.prefix((4294967297,)) == 0
        assert store.prefix((9007199254740993,)) == 0

    def test_two_requests_with_a_common_prefix(self) -> None:
        # 10 blocks of 100 tokens, of which the second request shares 4: prefill and line do less
        first = request(1000, 10, blocks=tuple(range(10)), session=1)
        second = request(1000, 10, blocks=(0, 1, 2, 3, 90, 91, 92, 93, 94, 95), session=2)
        scenario = round_pdd({"policy.relay_threshold_s": 100})
        told = served(scenario, [(0.0, first), (5.0, second)], block_tokens=100)
        assert told[1]["hit"] == 400
        assert told[1]["prefill"] == pytest.approx(0.24, abs=1e-9)
        assert told[1]["nbytes"] == pytest.approx(0.6e9)


class TestTurn:
    """Turned while it runs."""

    def test_drc_off_and_on_starts_empty(self) -> None:
        scenario = round_pdd({"policy.relay_threshold_s": 100})
        turns = [
            (float(t), request(1000, 10, 900 if t else 100, first_turn=not t)) for t in (0, 5, 10)
        ]
        sim = simulation(scenario, turns)
        sim.advance(4.0)
        assert sim.pipeline.drc.held(request(1000, 1)) == 1010
        sim.turn("caches.drc_enabled", False)
        sim.advance(9.0)
        sim.turn("caches.drc_enabled", True)
        assert sim.pipeline.drc.used_bytes() == 0
        sim.advance_to_end()
        assert [rows(sim)[n]["md_hit"] for n in range(3)] == [100, 0, 0]
        assert sim.pipeline.drc.held(request(1000, 1)) == 1010
