"""Mooncake JSON lines: what is read, what is refused and in which words, what is written."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.errors import TraceError
from twin.workload.mooncake import write_mooncake
from twin.workload.traces import Trace, read_trace


def line(**changes: Any) -> str:
    row = {"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1, 2], **changes}
    return json.dumps({k: v for k, v in row.items() if v is not ...})


def read(*lines: str) -> Trace:
    return read_trace("\n".join(lines).encode(), name="a.jsonl")


def refused(*lines: str) -> list[str]:
    with pytest.raises(TraceError) as caught:
        read(*lines)
    assert caught.value.headline == "a.jsonl cannot be read as a trace; nothing of it was kept."
    return [problem.sentence() for problem in caught.value.problems]


def test_columns_in_seconds_and_tokens():
    trace = read(line(), line(timestamp=1500, input_length=512, output_length=7, hash_ids=[1]))
    assert (trace.name, trace.format, trace.block_tokens) == ("a.jsonl", "mooncake", 512)
    assert trace.arrival_s.tolist() == [0.0, 1.5]
    assert trace.input_tokens.tolist() == [600, 512]
    assert trace.output_tokens.tolist() == [5, 7]
    assert trace.session is None
    assert trace.notes == ()
    assert not trace.closed_loop


def test_a_request_in_plain_numbers_has_full_blocks_only():
    trace = read(line(), line(timestamp=3, input_length=512, hash_ids=[9]))
    assert [r._asdict() for r in trace.requests()] == [
        {"row": 0, "arrival_s": 0.0, "input_tokens": 600, "output_tokens": 5,
         "blocks": (0,), "session": None, "think_s": 0.0},
        {"row": 1, "arrival_s": 0.003, "input_tokens": 512, "output_tokens": 5,
         "blocks": (2,), "session": None, "think_s": 0.0},
    ]  # fmt: skip
    assert all(type(v) in (int, float, tuple, type(None)) for v in trace.request(0))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2**32 + 1),
        (2**53, 2**53 + 1),
        (2**63, -(2**63)),
        (2**64 - 1, -1),
        (2**64 - 1, 2**64 - 2),
        (0, -(2**63)),
    ],
)
def test_ids_keep_all_64_bits(one: int, other: int):
    trace = read(*(line(hash_ids=[i], input_length=512) for i in (one, other, one)))
    assert [r.blocks for r in trace.requests()] == [(0,), (1,), (0,)]
    assert trace.block_ids == (one, other)


def test_late_rows_are_sorted_stably_and_told():
    times = [5, 3] * 50
    lines = [
        line(timestamp=t, output_length=i, input_length=512 * (i + 1), hash_ids=[*range(i + 1)])
        for i, t in enumerate(times)
    ]
    trace = read(*lines)
    assert trace.output_tokens.tolist() == [*range(1, 100, 2), *range(0, 100, 2)]
    assert [r.blocks for r in trace.requests()] == [
        tuple(range(i + 1)) for i in trace.output_tokens
    ]
    assert trace.notes == (
        "requests with output 0, kept: 1",
        "rows earlier than the row before them, sorted by arrival (stable): 50",
    )


def test_sessions_are_indexed_and_may_be_absent():
    lines = [line(session_id=s) for s in ("b", "a", ..., "b", 7)]
    trace = read(*lines)
    assert trace.session is not None
    assert trace.session.tolist() == [0, 1, -1, 0, 2]
    assert trace.sessions == ("b", "a", "7")
    assert [r.session for r in trace.requests()] == [0, 1, None, 0, 2]


def test_columns_cannot_be_changed():
    trace = read(line(session_id="s"))
    assert trace.block_numbers is not None
    for column in (trace.arrival_s, trace.input_tokens, trace.block_numbers, trace.session):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1  # type: ignore[index]


TOKENS = "must be a whole number of tokens, 1 to 100,000,000"
OUTPUT = "must be a whole number of tokens, 0 to 100,000,000"
TIMES = "must be ms since the trace's start, 0 to 1,000,000,000,000"
BITS = "must be a whole number of at most 64 bits"


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (line(timestamp=...), f"line 2, timestamp is absent: {TIMES}"),
        (line(timestamp=-1), f"line 2, timestamp is -1: {TIMES}"),
        (line(timestamp="12"), f"line 2, timestamp is '12': {TIMES}"),
        (line(timestamp=True), f"line 2, timestamp is true: {TIMES}"),
        (line(timestamp=1e13), f"line 2, timestamp is 10000000000000.0: {TIMES}"),
        (line().replace('"timestamp": 0', '"timestamp": 1e999'),
         f"line 2, timestamp is inf: {TIMES}"),
        (line(input_length=0, hash_ids=[]), f"line 2, input_length is 0: {TOKENS}"),
        (line(input_length=-5), f"line 2, input_length is -5: {TOKENS}"),
        (line(input_length=600.0), f"line 2, input_length is 600.0: {TOKENS}"),
        (line(input_length=None), f"line 2, input_length is null: {TOKENS}"),
        (line(input_length=10**30), f"line 2, input_length is 1{'0' * 30}: {TOKENS}"),
        (line().replace("600", "1e999"), f"line 2, input_length is inf: {TOKENS}"),
        (line(output_length=...), f"line 2, output_length is absent: {OUTPUT}"),
        (line(output_length=-1), f"line 2, output_length is -1: {OUTPUT}"),
        (line(output_length=False), f"line 2, output_length is false: {OUTPUT}"),
        (line(hash_ids=...), "line 2, hash_ids is absent: must be a list of block ids [1, 2, ...]"),
        (line(hash_ids={"a": 1}),
         "line 2, hash_ids is {'a': 1}: must be a list of block ids [1, 2, ...]"),
        (line(hash_ids=[1, 2.0]), f"line 2, hash_ids[1] is 2.0: {BITS}"),
        (line(hash_ids=["1", 2]), f"line 2, hash_ids[0] is '1': {BITS}"),
        (line(hash_ids=[1, True]), f"line 2, hash_ids[1] is true: {BITS}"),
        (line(hash_ids=[2**64, 1]), f"line 2, hash_ids[0] is {2**64}: {BITS}"),
        (line(hash_ids=[-(2**63) - 1, 1]), f"line 2, hash_ids[0] is {-(2**63) - 1}: {BITS}"),
        (line(hash_ids=[1]),
         "line 2, hash_ids is a list of length 1: must be one id per 512 tokens or part of it: "
         "2 for 600 tokens"),
        (line(input_length=512),
         "line 2, hash_ids is a list of length 2: must be one id per 512 tokens or part of it: "
         "1 for 512 tokens"),
        (line(session_id=["a"]),
         "line 2, session_id is ['a']: must be a text of 1 to 200 printable characters, "
         "or a number"),
        (line(session_id="a\nb"),
         "line 2, session_id is 'a\\nb': must be a text of 1 to 200 printable characters, "
         "or a number"),
        ("[1, 2]", "line 2 is '[1, 2]': must be a JSON object {...}"),
        ("{nonsense", "line 2 is '{nonsense': must be JSON (Expecting property name enclosed in "
         "double quotes, column 2)"),
        (line().replace("600", "NaN"), None),
        (line().replace("600", "-Infinity"), None),
        (line().replace("600", "9" * 5000), None),
        ("[" * 100_000, None),
    ],
)  # fmt: skip
def test_a_bad_line_is_told_by_line_field_value_and_remedy(bad: str, sentence: str | None):
    told = refused(line(), bad, line())
    assert len(told) == 1
    if sentence is None:
        assert told[0].startswith("line 2 is ")
        assert "must be JSON" in told[0]
        assert len(told[0]) < 300
    else:
        assert told[0] == sentence


def test_all_wrong_fields_of_all_lines_are_told_at_once():
    told = refused(line(timestamp=...), line(), line(input_length=-1, output_length="x"))
    assert [t.split(" is ")[0] for t in told] == [
        "line 1, timestamp", "line 3, input_length", "line 3, output_length",
    ]  # fmt: skip


def test_fifty_problems_are_told_and_the_rest_counted():
    told = refused(line(), *(line(output_length=-i - 1) for i in range(1234)))
    assert len(told) == 51
    assert told[0].startswith("line 2, output_length is -1:")
    assert told[-1] == "and 1,184 more: put the ones above right first"


def test_a_bad_first_line_does_not_hide_the_format():
    assert refused("oops", line())[0].startswith("line 1 is 'oops': must be JSON")


def test_blank_lines_count_as_lines_but_are_no_rows():
    assert len(read(line(), "", "  ", line(), "")) == 2
    assert refused(line(), "", line(timestamp=None))[0].startswith("line 3, timestamp is null")


def written(trace: Trace) -> str:
    stream = io.StringIO()
    write_mooncake(trace, stream)
    return stream.getvalue()


def own_terms(trace: Trace) -> list[tuple]:
    """Rows with the file's own ids and session names."""
    assert trace.block_ids is not None
    rows = []
    for r in trace.requests():
        numbers = trace.blocks(r.row)
        assert numbers is not None
        session = None if r.session is None else trace.sessions[r.session]
        ids = [trace.block_ids[n] for n in numbers]
        rows.append((r.arrival_s, r.input_tokens, r.output_tokens, ids, session))
    return rows


@st.composite
def mooncake_lines(draw: st.DrawFn) -> list[str]:
    def one() -> str:
        tokens = draw(st.integers(1, 3000))
        count = -(-tokens // 512)
        ids = draw(st.lists(st.integers(-(2**63), 2**64 - 1), min_size=count, max_size=count))
        return line(
            timestamp=draw(st.integers(0, 10**12) | st.floats(0, 1e12)),
            input_length=tokens,
            output_length=draw(st.integers(0, 10**8)),
            hash_ids=ids,
            session_id=draw(st.sampled_from(["s", "t", ...])),
        )

    return [one() for _ in range(draw(st.integers(1, 6)))]


@given(mooncake_lines())
def test_written_reads_back_equal(lines: list[str]):
    trace = read(*lines)
    again = read(written(trace))
    assert own_terms(again) == own_terms(trace)
    assert written(again) == written(trace)


def test_whole_milliseconds_are_written_as_integers():
    lines = [line(timestamp=t, session_id="s") + "\n" for t in (0, 1, 7, 1001, 10535.5, 123456789)]
    assert written(read(*lines)) == "".join(lines)


def test_a_trace_without_ids_cannot_be_written():
    azure = b"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10"
    with pytest.raises(TraceError, match="only block ids that can be joined to 512 tokens"):
        written(read_trace(azure))
