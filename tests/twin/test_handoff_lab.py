"""The handoff lab: C14 and C15 by the formulas, and stories that agree with the engine's plan."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployments import shipped
from twin.handoff_lab import (
    Setting,
    by_ids,
    by_kv,
    extended_step_s,
    main_step_s,
    microbenchmark,
    stories,
    story,
)
from twin.physics.handoff import catch_up, one_shot

PDD = shipped("pdd_43a_32b")
SEEDS = range(6)


def test_c14_by_kv():
    found = microbenchmark(PDD, SEEDS, timeout_share=0.003).kv
    assert found.nbytes == pytest.approx(4_649e3, rel=0.001)
    assert found.times_s.shape == (6, 2_000)
    assert 0.170 < found.mean_s < 0.200
    assert found.max_s < 0.540
    assert (found.max_by_seed_s > 0.4).all()  # a retransmission in every seed


def test_c15_by_ids():
    found = microbenchmark(PDD, SEEDS)
    assert found.step_s == pytest.approx(0.0140, abs=0.0001)
    assert 0.290 < found.ids.mean_s < 0.320
    assert found.ids.sd_s < 0.008
    assert found.ids.sd_s == pytest.approx(found.step_s / 12**0.5, rel=0.02)  # a uniform phase
    assert found.ids.max_s < 0.340
    assert found.times_fewer_bytes == pytest.approx(3_099, rel=0.001)  # C22: not 15.2


def test_equal_seeds_give_equal_times_and_others_do_not():
    one, other, third = (microbenchmark(PDD, [seed]) for seed in (1, 1, 2))
    assert (one.kv.times_s == other.kv.times_s).all()
    assert (one.kv.times_s != third.kv.times_s).any()
    both = microbenchmark(PDD, [1, 2]).kv.times_s
    assert (both[0] == one.kv.times_s[0]).all() and (both[1] == third.kv.times_s[0]).all()


@given(nbytes=st.floats(0, 1e10), flows=st.integers(0, 30))
def test_kv_takes_at_least_its_rate_and_half_a_round_trip(nbytes, flows):
    assert PDD.line is not None
    found = by_kv(PDD.line, nbytes, [0], 50, flows).times_s
    least = nbytes * (flows + 1) / 8.7e9 * 8 + 0.0105
    assert found.min() >= least - 1e-9
    assert found.max() - found.min() <= 0.3 * 0.021 + 1e-9  # jitter; no timeouts here


def test_ids_by_hand():
    # 23 ids, 5 a step: five steps and a part of the running one
    found = by_ids(23, 0.01, 0.1, 5, [0], 5_000).times_s
    assert found.min() == pytest.approx(0.51, abs=0.001)
    assert found.max() == pytest.approx(0.61, abs=0.001)


def test_a_histogram_counts_all():
    counts, edges = microbenchmark(PDD, SEEDS).ids.counted(20)
    assert counts.sum() == 12_000 and len(edges) == 21


SETTING = Setting(hop_s=0.0105, main_step_s=0.014, relay_itl_s=0.018)


@given(
    eager=st.integers(0, 3_000), width=st.integers(1, 64), step=st.floats(0.001, 0.2),
    itl=st.floats(0.002, 0.2), rounds=st.integers(1, 8),
)  # fmt: skip
def test_a_story_is_the_plan_of_the_engine(eager, width, step, itl, rounds):
    setting = Setting(0.0105, step, itl, width, most_rounds=rounds)
    many, once = story(eager, "catch_up", setting), story(eager, "one_shot", setting)
    plan = catch_up(eager, 0.0105, step, 0.5, width, itl, rounds)
    assert (many.relay_s, many.gap_s) == pytest.approx((plan.relay_leaves_after_s, plan.gap_s))
    assert len(many.batches) == plan.rounds
    plan = one_shot(eager, 0.0105, step, 0.5, width)
    assert (once.relay_s, once.gap_s) == pytest.approx((0.0, plan.gap_s))


def test_auto_takes_the_one_below_the_threshold_and_the_other_above():
    told = stories([10, 64, 65, 400], SETTING)
    for i, like in enumerate(("one_shot", "one_shot", "catch_up", "catch_up")):
        assert told["auto"][i].batches == told[like][i].batches
    small = stories([65], Setting(0.0105, 0.014, 0.018, auto_tokens=10))
    assert small["auto"][0].gap_s < told["one_shot"][2].gap_s


def test_catch_up_hides_the_gap_and_keeps_rld_longer():
    once, many = (story(400, mode, SETTING) for mode in ("one_shot", "catch_up"))
    assert once.gap_s > 1.0 > 10 * many.gap_s
    assert once.relay_s == 0 < many.relay_s
    assert [b.ids for b in many.batches] == sorted((b.ids for b in many.batches), reverse=True)


def test_a_relay_that_main_decode_cannot_catch_is_told_and_stays_small():
    """Batches grow a hundredfold each: 3,000 ids at one a step of .2 s, RLD at 2 ms a token."""
    told = story(3_000, "catch_up", Setting(0.0105, 0.2, 0.002, ids_per_step=1, most_rounds=8))
    assert not told.shrinks and told.batches[-1].ids > told.batches[0].ids
    assert len(told.token_s) == 2_000 + 40 and told.made_by_relay > 10**9
    assert story(400, "catch_up", SETTING).shrinks
    assert story(400, "one_shot", SETTING).shrinks


@given(eager=st.integers(1, 500), more=st.integers(1, 60))
def test_more_ids_a_step_never_make_the_gap_longer(eager, more):
    wide = Setting(0.0105, 0.014, 0.018, ids_per_step=5 + more)
    assert story(eager, "one_shot", wide).gap_s <= story(eager, "one_shot", SETTING).gap_s


def test_the_user_sees_the_gap_among_the_tokens():
    told = story(400, "one_shot", SETTING)
    waits = np.diff(told.token_s, prepend=0.0)
    assert waits.max() == pytest.approx(told.gap_s + SETTING.main_step_s)
    shown = story(400, "catch_up", SETTING)
    assert (np.diff(shown.token_s) > 0).all()
    assert np.diff(shown.token_s, prepend=0.0).max() < 0.1


def test_a_few_ids_are_nearly_free_while_memory_binds():
    pool, model = PDD.main_decode, PDD.model
    alone = main_step_s(PDD, 10)
    assert extended_step_s(pool, model, 10, 1) == pytest.approx(alone)
    assert extended_step_s(pool, model, 10, 5) == pytest.approx(alone, rel=0.1)
    assert extended_step_s(pool, model, 10, 200) > 2 * alone


def test_the_setting_of_a_scenario():
    setting = Setting.of(PDD)
    assert (setting.hop_s, setting.ids_per_step, setting.auto_tokens) == (0.0105, 5, 64)
    with pytest.raises(ValueError, match="relay decode"):
        Setting.of(shipped("same_dc_88a"))
    with pytest.raises(ValueError, match="line"):
        microbenchmark(shipped("same_dc_88a"))
