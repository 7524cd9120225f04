"""Times without samples: of a target that was not asked, and of one that did not answer."""

from __future__ import annotations

import numpy as np

from twin.telemetry.series import Gap, Series, SeriesId
from web.ingest.holes import DOWN, NOT_ASKED, holes


def up(times, values, instance="a:1") -> Series:
    return Series(
        SeriesId.of("up", {"instance": instance}), np.array(times, np.int64),
        np.array(values, float),
    )  # fmt: skip


def found(told: Series, before=None, to_ms=None, every_ms=1_000) -> list[Gap]:
    known = {} if before is None else {told.id.text: before}
    end = int(told.time_ms[-1]) if to_ms is None else to_ms
    return holes("prod", [told], known, end, every_ms)


def gap(start, end, reason):
    return Gap("prod", "a:1", start, end, reason)


def test_one_late_scrape_is_no_hole_and_two_missed_ones_are():
    assert found(up([1000, 2000, 4000, 5000, 6000, 7000], [1] * 6)) == []
    assert found(up([1000, 2000, 3000, 8000, 9000, 10_000], [1] * 6)) == [
        gap(3000, 8000, NOT_ASKED)
    ]


def test_what_answers_with_a_failure_is_down_until_it_is_back():
    assert found(up([1000, 2000, 3000, 4000, 5000], [1, 0, 0, 1, 1])) == [gap(2000, 4000, DOWN)]
    assert found(up([1000, 2000, 3000], [1, 1, 0])) == [gap(3000, 3000, DOWN)]


def test_a_hole_between_two_windows_is_seen():
    assert found(up([120_000, 121_000], [1, 1]), before=20_000) == [gap(20_000, 120_000, NOT_ASKED)]
    assert found(up([120_000, 121_000], [1, 1]), before=119_000) == []
    assert found(up([120_000, 121_000], [1, 1])) == []  # not known before


def test_a_target_that_has_vanished_is_told_at_the_end():
    assert found(up([1000, 2000, 3000], [1] * 3), to_ms=60_000) == [gap(3000, 60_000, NOT_ASKED)]


def test_the_interval_is_that_of_the_samples():
    slow = up([0, 30_000, 60_000, 90_000, 120_000, 150_000], [1] * 6)
    assert found(slow, every_ms=1_000) == []
