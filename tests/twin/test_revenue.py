"""C20: revenue against hit rate is a bathtub with three dips, and what moves them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployments import shipped
from twin.physics.chunks import ChunkRule, chunk_cost
from twin.revenue import Revenue, Tariff, dips, revenue, valley, way_out


def course(cached: float = 0.10, beta: float = 0.0, **rule: int) -> Revenue:
    scenario = shipped("same_dc_88a")
    cost = chunk_cost(scenario.prefill, scenario.model, overhead_s=0.5)
    return revenue(cost, ChunkRule(merged_tail_share=beta, **rule), Tariff(cached=cached))


def test_three_dips_where_a_hit_just_fails_to_save_a_chunk():
    found = course()
    assert [dip.hit for dip in found.dips] == [
        pytest.approx(hit, abs=0.001) for hit in (0.199, 0.466, 0.732)
    ]
    page = 64 / 61_440
    for dip, edge in zip(found.dips, found.expected_dips, strict=True):
        assert edge - page * 1.01 <= dip.hit < edge
    assert found.ratio(0.97) == pytest.approx(1.09, abs=0.005)


def test_a_higher_price_of_cached_input_keeps_the_dips_and_lifts_the_right_bank():
    found = course(cached=0.25)
    every = dips(found.hit, found.revenue, least=1e-9)
    assert [dip.hit for dip in every] == [dip.hit for dip in course().dips]
    assert [dip.prominence >= 0.01 for dip in every] == [True, False, False]
    assert found.ratio(0.97) == pytest.approx(2.34, abs=0.05)


def test_merged_tails_move_the_dips():
    merged = course(beta=1.0)
    moved = [dip.hit for dip in merged.dips]
    for edge in merged.expected_dips:
        assert all(abs(hit - edge) > 0.02 for hit in moved)
    assert min(merged.revenue) > min(course().revenue)


@given(chunk=st.integers(4_096, 61_440))
def test_revenue_jumps_up_where_a_hit_saves_a_chunk(chunk):
    found = course(longest_tokens=chunk)
    for edge in found.expected_dips:
        above = int(np.searchsorted(found.hit, edge - 1e-9))
        if 0 < above < len(found.hit):
            assert found.revenue[above] > found.revenue[above - 1]
            assert found.prefill_s[above] < found.prefill_s[above - 1] - 0.4  # t0 is .5 s


@given(price=st.floats(0.0, 1.0))
def test_revenue_never_falls_with_the_price_of_cached_input(price):
    assert (course(cached=price).revenue <= course(cached=1.0).revenue + 1e-9).all()


def test_prominence_is_the_lower_ridge():
    hits = np.arange(7) / 10
    found = dips(hits, np.array([5.0, 2.0, 3.0, 1.0, 4.0, 3.9, 8.0]), least=0.0)
    assert [dip.hit for dip in found] == [0.1, 0.3, 0.5]
    assert [dip.prominence for dip in found] == [
        pytest.approx(0.5), pytest.approx(4.0), pytest.approx(0.1 / 3.9),
    ]  # fmt: skip


def test_a_flat_bottom_is_one_dip():
    hits = np.arange(5) / 10
    assert len(dips(hits, np.array([2.0, 1.0, 1.0, 1.0, 2.0]))) == 1


def test_the_valley_is_where_hits_earn_less_than_none():
    found = course()
    tub = valley(found)
    assert tub is not None and tub.deepest is not None
    assert tub.from_hit == pytest.approx(64 / 61_440)
    assert tub.to_hit == pytest.approx(found.dips[-1].hit)
    assert tub.deepest.hit == found.dips[-1].hit
    assert valley(course(cached=1.0)) is None


def test_which_way_out_is_better():
    now, merged = course(), course(beta=1.0)
    at_a_dip = way_out(now, merged, 0.732, 0.74)
    assert at_a_dip.inside and at_a_dip.better == "larger cache"  # one page saves a chunk
    before = way_out(now, merged, 0.60, 0.65)
    assert before.inside and before.better == "shallower tub"
    assert before.larger_cache < 0 < before.shallower_tub
    assert "the shallower tub is better" in before.words
    right = way_out(now, now, 0.97, 0.97)
    assert not right.inside and right.better == "none"
