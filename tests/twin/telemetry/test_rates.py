"""Increases over resets, gaps and new series; and Prometheus's own answers on a recording."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.twin.telemetry.recorded import read, selected
from twin.telemetry.quantile import prometheus_quantile
from twin.telemetry.rates import Unwound, increase, prometheus_rate, united_ms
from twin.telemetry.series import Series, SeriesId, stale_markers


def series(times_s, values) -> Series:
    return Series(
        SeriesId("x_total", ()),
        np.array([round(t * 1000) for t in times_s], np.int64), np.array(values, float),
    )  # fmt: skip


def test_a_reset_is_no_negative_rate():
    """Fault H7: 1000, 1500, 200, 700 is 1,200 more, with a reset at 20 s."""
    told = series([0, 10, 20, 30], [1000, 1500, 200, 700])
    found = increase(told, 0, 30_000)
    assert (found.value, found.resets, found.gaps) == (1200.0, (20_000,), ())
    steps = [increase(told, at, at + 10_000).per_s for at in (0, 10_000, 20_000)]
    assert steps == [50.0, 20.0, 50.0]


def test_a_missed_scrape_is_a_gap_and_no_reset():
    found = increase(series([0, 10, 20, 50, 60], [0, 10, 20, 50, 60]), 0, 60_000)
    assert (found.value, found.resets) == (60.0, ())
    assert found.gaps == ((20_000, 50_000),)


def test_a_new_series_begins_without_a_leap():
    """A restarted pod has another label: its counter comes in at 8, which is no increase of 8."""
    old = increase(series([0, 10, 20], [100, 110, 120]), 0, 60_000)
    new = increase(series([30, 40, 50, 60], [8, 18, 28, 38]), 0, 60_000)
    assert (old.value, new.value) == (20.0, 30.0)


def test_one_sample_says_nothing():
    assert increase(series([5], [3]), 0, 10_000).value is None
    assert increase(series([], []), 0, 10_000).per_s is None
    assert increase(series([0, 400], [1, 5]), 300_000, 400_000).value is None  # too old a base


def test_the_marker_of_an_ended_series_is_no_value():
    told = series([0, 10, 20, 30], [5, 7, 0, 9])
    told.value[2] = stale_markers(1)[0]
    assert increase(told, 0, 30_000).value == 4.0


@given(
    st.lists(st.tuples(st.floats(0, 1e6), st.booleans()), min_size=2, max_size=60),
    st.integers(1, 58),
)
def test_windows_that_touch_add_up(steps, cut):
    """Each sample adds what its counter grew by, whichever window it falls into."""
    value, values, true = 0.0, [0.0], [0.0]
    for grown, restarts in steps:
        value = grown if restarts else value + grown
        fell = value < values[-1]
        true.append(value if fell else value - values[-1])
        values.append(value)
    told = series(range(0, 10 * len(values), 10), values)
    end = 10_000 * (len(values) - 1)
    middle = 10_000 * min(cut, len(values) - 1)
    whole, first = increase(told, 0, end), increase(told, 0, middle)
    assert whole.value == pytest.approx(sum(true))
    assert whole.value is not None and whole.value >= 0
    rest = increase(told, middle, end).value or 0.0
    assert (first.value or 0.0) + rest == pytest.approx(whole.value)


@pytest.mark.usefixtures("public_metrics")
def test_the_recorded_restart():
    """7,461 tokens over a decode engine's death; PromQL's increase says 7,565.6."""
    (told,) = selected("vllm:generation_tokens_total", pdd_role="main_decode")
    found = increase(told, int(told.time_ms[0]), int(told.time_ms[-1]))
    assert found.value == 7461.0
    assert len(found.resets) == len(found.gaps) == 1
    start, end = found.gaps[0]
    assert 110_000 < end - start < 130_000


def test_prometheus_extrapolates_to_the_edges_of_its_window():
    """By hand: six samples over 50 s, 5 s to either edge; a counter begins no earlier than zero."""
    high = series(range(5, 60, 10), range(100, 160, 10))
    assert prometheus_rate(high, 60_000, 60_000, per_second=False) == pytest.approx(60)
    low = series(range(5, 60, 10), range(0, 60, 10))
    assert prometheus_rate(low, 60_000, 60_000) == pytest.approx(55 / 60)
    gap = series([5, 15, 25, 35], [100, 110, 120, 130])  # 25 s to the end: half an interval counts
    assert prometheus_rate(gap, 60_000, 60_000, per_second=False) == pytest.approx(40)
    fell = series([5, 15, 25, 35, 45, 55], [100, 110, 20, 30, 40, 50])
    assert prometheus_rate(fell, 60_000, 60_000, per_second=False) == pytest.approx(60 * 1.2)
    assert prometheus_rate(high, 60_000, 5_000) is None


def test_a_hole_of_five_minutes_is_told_and_not_counted():
    told = Unwound(series([0, 10, 400, 410], [5, 15, 900, 910]))
    assert told.increase(10_000, 410_000).value == 10.0
    assert told.increase(10_000, 410_000).gaps == ((10_000, 400_000),)


def test_time_that_two_cover_counts_once():
    assert united_ms([(0, 30), (40, 60)]) == 50
    assert united_ms([(0, 30), (10, 20), (25, 60)]) == 60
    assert united_ms([]) == 0


RATE = re.compile(r"sum\(rate\(([\w:]+)\{([^}]*)\}\[(\d+)s\]\)\)")
QUANTILE = re.compile(
    r"histogram_quantile\(([\d.]+),sum by\(le\)\(rate\(([\w:]+)\{([^}]*)\}\[(\d+)s\]\)\)\)"
)
INCREASE = re.compile(r"increase\(([\w:]+)\{([^}]*)\}\[(\d+)s\]\)")


def labels(text: str) -> dict[str, str]:
    return dict(re.findall(r'(\w+)="([^"]*)"', text))


def rate_sum(name: str, wanted: str, seconds: str, at_ms: int) -> float:
    every = [
        prometheus_rate(s, at_ms, int(seconds) * 1000) for s in selected(name, **labels(wanted))
    ]
    known = [one for one in every if one is not None]
    return sum(known) if known else math.nan


def answer(query: str, at_ms: int) -> float:
    """What Prometheus must say to a query of the recording."""
    if found := QUANTILE.fullmatch(query):
        buckets: dict[float, float] = {}
        for one in selected(found[2], **labels(found[3])):
            rate = prometheus_rate(one, at_ms, int(found[4]) * 1000)
            if rate is not None:
                edge = float(one.id.label("le") or "nan")
                buckets[edge] = buckets.get(edge, 0.0) + rate
        return prometheus_quantile(float(found[1]), list(buckets.items()))
    if found := INCREASE.fullmatch(query):
        (one,) = selected(found[1], **labels(found[2]))
        grown = prometheus_rate(one, at_ms, int(found[3]) * 1000, per_second=False)
        return math.nan if grown is None else grown
    above, _, below = query.partition("/")
    over = RATE.fullmatch(above)
    assert over is not None, query
    value = rate_sum(over[1], over[2], over[3], at_ms)
    if below:
        under = RATE.fullmatch(below)
        assert under is not None
        divisor = rate_sum(under[1], under[2], under[3], at_ms)
        return value / divisor if divisor else math.nan
    return value


@pytest.mark.usefixtures("public_metrics")
def test_every_recorded_answer_of_prometheus():
    golden = read("golden_query_range.json")["golden"]
    points = 0
    for name, told in golden.items():
        if name == "D_running":  # a gauge as it stands
            continue
        for at_s, text in told["range"]["data"]["result"][0]["values"]:
            found, wanted = answer(told["query"], round(at_s * 1000)), float(text)
            assert found == pytest.approx(wanted, abs=1e-9, rel=1e-9, nan_ok=True), (name, at_s)
            points += 1
    assert points == 138
