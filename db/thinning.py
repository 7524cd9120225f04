"""Which checkpoints of a twin are still needed: dense for the recent past, sparse for the old."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

SPARED_S = 3600.0
"""All checkpoints of the last simulated hour stay."""

SHARE_OF_AGE = 1 / 8
"""Older ones stay when they lie this share of their age apart, so a rewind replays no more."""

LONGEST_GAP_S = 21_600.0
"""Gaps grow to six hours, which are three seconds of replay, ..."""

GAPS = 125
"""... and beyond that only so that the whole life has no more than about twice so many."""


def superfluous(times: Sequence[float]) -> list[float]:
    """The times whose checkpoints may go; the first and the last always stay.

    `times` are simulated s, ascending, none twice.
    """
    if len(times) < 3:
        return []
    newest = times[-1]
    longest = max(LONGEST_GAP_S, (newest - times[0]) / GAPS)
    gone = []
    kept = times[0]
    for here, following in pairwise(times[1:]):
        age = newest - here
        if age > SPARED_S and following - kept <= min(age * SHARE_OF_AGE, longest):
            gone.append(here)
        else:
            kept = here
    return gone
