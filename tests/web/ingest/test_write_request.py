"""Bodies of remote write: what is kept, what is counted, and what is refused undecoded."""

from __future__ import annotations

import gzip

import cramjam
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.telemetry.series import Series, SeriesId, is_stale, stale_markers
from web.ingest.write_request import WriteRefused, read_write_request, write_request

NOW_MS = 1_800_000_000_000


def series(name: str, times, values, **labels) -> Series:
    return Series(
        SeriesId.of(name, labels), np.array(times, np.int64), np.array(values, np.float64)
    )


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=3),
        st.dictionaries(st.integers(1, NOW_MS), st.floats(allow_nan=False), min_size=1, max_size=9),
        min_size=1,
        max_size=5,
    )
)
def test_what_is_written_is_read(told):
    sent = [
        series(name, sorted(t), [t[at] for at in sorted(t)], job="j") for name, t in told.items()
    ]
    found = read_write_request(write_request(sent), NOW_MS)
    assert [one.id for one in found.series] == [one.id for one in sent]
    for one, other in zip(found.series, sent, strict=True):
        assert np.array_equal(one.time_ms, other.time_ms)
        assert np.array_equal(one.value, other.value)
    assert (found.duplicate, found.rejected) == (0, {})


def test_the_marker_keeps_its_bits():
    told = series("x", [1, 2], [5.0, 0.0])
    told.value[1] = stale_markers(1)[0]
    (found,) = read_write_request(write_request([told]), NOW_MS).series
    assert is_stale(found.value).tolist() == [False, True]


def test_a_mixed_body_keeps_its_good_part():
    good = series("good", [10, 20], [1, 2])
    ahead = series("ahead", [20, NOW_MS + 600_001], [3, 4])
    twice = series("good", [20, 20, 10], [2, 9, 1])  # a duplicate, a conflict, a duplicate
    nameless = Series(SeriesId("", (("a", "1"),)), np.array([5]), np.array([1.0]))
    found = read_write_request(write_request([good, ahead, twice, nameless]), NOW_MS)
    assert {one.id.name: one.time_ms.tolist() for one in found.series} == {
        "good": [10, 20], "ahead": [20],
    }  # fmt: skip
    assert found.duplicate == 2
    assert found.rejected == {"ahead of time": 1, "conflict": 1, "no name": 1}
    kept = sum(len(one.time_ms) for one in found.series)
    assert found.received == kept + found.duplicate + sum(found.rejected.values())


def test_ten_minutes_ahead_is_just_taken():
    found = read_write_request(write_request([series("x", [NOW_MS + 600_000], [1])]), NOW_MS)
    assert found.rejected == {}


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "the body is 0 bytes: send one snappy block"),
        (b"\x80\x80\x80\x80\x0a" + b"x" * 20, "a block of 2,684,354,560 bytes"),
        (bytes(cramjam.snappy.compress(b"framed" * 9)), "send one snappy block, not framed"),
        (gzip.compress(b"x" * 100), "send one snappy block"),
        (bytes(cramjam.snappy.compress_raw(b"\x0f\xff\xff")), "no WriteRequest"),
    ],
)
def test_what_is_no_body_is_refused(body, sentence):
    with pytest.raises(WriteRefused, match=sentence):
        read_write_request(body, NOW_MS)


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_or_read(body):
    for raw in (body, bytes(cramjam.snappy.compress_raw(body))):
        try:
            found = read_write_request(raw, NOW_MS)
        except WriteRefused:
            continue
        assert found.received >= sum(len(one.time_ms) for one in found.series)
