"""Azure's CSV: exact times with and without a zone, and what is refused in which words."""

from __future__ import annotations

import pytest

from twin.errors import TraceError
from twin.workload.traces import Trace, read_trace

HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens"
YEAR_2023 = "\r\n".join(
    [
        HEADER,
        "2023-11-16 18:17:03.9799600,4808,10",
        "2023-11-16 18:17:04.0319600,3180,8",
        "2023-11-16 18:17:04.0781497,110,27",
    ]
)


def read(text: str) -> Trace:
    return read_trace(text.encode(), name="a.csv")


def refused(*lines: str, header: str = HEADER) -> list[str]:
    with pytest.raises(TraceError) as caught:
        read("\n".join([header, *lines]))
    return [problem.sentence() for problem in caught.value.problems]


def test_the_form_of_2023_with_seven_digits_and_no_final_newline():
    trace = read(YEAR_2023)
    assert trace.format == "azure"
    assert trace.arrival_s.tolist() == [0.0, 0.052, 0.0981897]
    assert trace.input_tokens.tolist() == [4808, 3180, 110]
    assert trace.output_tokens.tolist() == [10, 8, 27]
    assert trace.block_tokens is None
    assert trace.block_ids is None
    assert trace.request(0).blocks is None
    assert trace.full_blocks(0) is None
    assert not trace.closed_loop
    assert trace.notes == ("times count from the earliest request",)


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("2024-05-10 00:00:00.009930+00:00", "2024-05-10 00:00:00.017335+00:00", 0.007405),
        ("2024-05-10 00:00:00+00:00", "2024-05-12 00:00:00.5+00:00", 172800.5),
        ("2024-05-10 02:00:00+02:00", "2024-05-10 00:00:01Z", 1.0),
        ("2024-05-09T22:30:00-01:30", "2024-05-10 00:00:01+0000", 1.0),
        ("2023-12-31 23:59:59.9999999", "2024-01-01 00:00:00", 1e-7),
        ("2024-02-28 00:00:00", "2024-03-01 00:00:00", 172800.0),
    ],
)
def test_times_of_later_forms(first: str, second: str, apart: float):
    assert read(f"{HEADER}\n{first},5,6\n{second},7,8").arrival_s.tolist() == [0.0, apart]


def test_late_rows_are_sorted_and_the_earliest_is_zero():
    trace = read(f"{HEADER}\n2023-11-16 18:17:05,5,6\n2023-11-16 18:17:04,7,0")
    assert trace.arrival_s.tolist() == [0.0, 1.0]
    assert trace.input_tokens.tolist() == [7, 5]
    assert trace.notes[1:] == (
        "requests with output 0, kept: 1",
        "rows earlier than the row before them, sorted by arrival (stable): 1",
    )


def test_columns_are_found_by_name_and_others_ignored():
    trace = read(
        "NumImages, GeneratedTokens ,TIMESTAMP,ContextTokens\n1,491,2024-10-15T12:00:00.269Z,770"
    )
    assert trace.request(0)[2:4] == (770, 491)


GOOD = "2023-11-16 18:17:03.9799600"
TIMES = "must be a time such as 2023-11-16 18:17:03.9799600"


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (f"{GOOD},-5,1",
         "line 3, ContextTokens is '-5': must be a whole number of tokens, 1 to 100,000,000"),
        (f"{GOOD},0,1",
         "line 3, ContextTokens is '0': must be a whole number of tokens, 1 to 100,000,000"),
        (f"{GOOD},5,",
         "line 3, GeneratedTokens is absent: must be a whole number of tokens, 0 to 100,000,000"),
        *((f"{GOOD},{text},5",
           f"line 3, ContextTokens is '{text}': must be a whole number of tokens, "
           "1 to 100,000,000") for text in ("12.0", "NaN", "1e999", "1_0", "+5", "٣", "9" * 30)),
        ("yesterday,5,6", f"line 3, TIMESTAMP is 'yesterday': {TIMES}"),
        (",5,6", f"line 3, TIMESTAMP is absent: {TIMES}"),
        ("2023-02-30 00:00:00,5,6", f"line 3, TIMESTAMP is '2023-02-30 00:00:00': {TIMES}"),
        ("0001-01-01 00:00:00,5,6", f"line 3, TIMESTAMP is '0001-01-01 00:00:00': {TIMES}"),
        ("2023-11-16 25:00:00,5,6", f"line 3, TIMESTAMP is '2023-11-16 25:00:00': {TIMES}"),
        ("2023-11-16 18:17:03Z,5,6",
         "line 3, TIMESTAMP is '2023-11-16 18:17:03Z': must be without a zone, as the times "
         "before it"),
        (f"{GOOD},5", "line 3 is a row of length 2: must have 3 fields, as the header"),
        (f"{GOOD},5,6,7", "line 3 is a row of length 4: must have 3 fields, as the header"),
        ("x" * 2000, "line 3 is a row of length 1: must have 3 fields, as the header"),
        ('"', "line 3 is a row of length 1: must have 3 fields, as the header"),
    ],
)  # fmt: skip
def test_a_bad_line_is_told_by_line_field_value_and_remedy(bad: str, sentence: str):
    assert refused(f"{GOOD},4808,10", bad, f"{GOOD},3180,8") == [sentence]


def test_all_wrong_fields_of_a_line_are_told():
    assert [t.split(" is ")[0] for t in refused("x,-1,-2")] == [
        "line 2, TIMESTAMP", "line 2, ContextTokens", "line 2, GeneratedTokens",
    ]  # fmt: skip


def test_a_header_alone_is_an_empty_trace():
    assert refused() == ["the trace is empty: must hold at least one request"]


def test_a_file_without_its_header_says_which_header():
    told = refused(f"{GOOD},5,6", header=f"{GOOD},4,5")
    assert len(told) == 1
    assert f"CSV with the columns {HEADER}" in told[0]
