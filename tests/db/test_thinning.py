"""Checkpoints are dense for the recent past and sparse for the old, and never too many."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from db.thinning import GAPS, LONGEST_GAP_S, SHARE_OF_AGE, SPARED_S, superfluous

TIMES = st.lists(st.floats(0, 1e7), min_size=0, max_size=60, unique=True).map(sorted)


def kept_of(times, every=1):
    """What is left when checkpoints come one after the other and each time some go."""
    kept = []
    for time in times:
        kept.append(time)
        gone = set(superfluous(kept))
        kept = [one for one in kept if one not in gone]
    return kept


@given(TIMES)
def test_the_first_the_last_and_the_recent_stay(times):
    gone = superfluous(times)
    assert set(gone) <= set(times[1:-1])
    assert all(times[-1] - one > SPARED_S for one in gone)


@given(TIMES)
def test_no_gap_grows_beyond_what_a_rewind_may_replay(times):
    before = {}
    for earlier, later in pairwise(times):
        before[later] = earlier
    left = [one for one in times if one not in set(superfluous(times))]
    for earlier, later in pairwise(left):
        if before[later] != earlier:  # something between them has gone
            age = times[-1] - earlier
            most = max(LONGEST_GAP_S, (times[-1] - times[0]) / GAPS)
            assert later - earlier <= min(age * SHARE_OF_AGE, most) + 1e-6


@given(TIMES)
def test_what_is_left_is_left_again(times):
    gone = set(superfluous(times))
    assert superfluous([one for one in times if one not in gone]) == []


def test_a_long_life_fits_into_few_checkpoints():
    a_day = kept_of([600.0 * n for n in range(145)])
    assert a_day[0] == 0 and len(a_day) < 45
    a_hundred_days = kept_of([6000.0 * n for n in range(1_431)])
    a_hundred_days = kept_of([*a_hundred_days, *(600.0 * n for n in range(14_301, 14_400))])
    assert len(a_hundred_days) < 2 * GAPS + 60
    assert a_hundred_days[-7:] == [600.0 * n for n in range(14_393, 14_400)]
