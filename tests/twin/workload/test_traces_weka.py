"""Agent sessions: chains with think time, sub-agents, local ids, and what is refused."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from twin.errors import TraceError
from twin.workload.mooncake import write_mooncake
from twin.workload.traces import Trace, read_trace


def turn(t: float, tokens: float = 130, ids: Any = (1, 2), out: int = 5, **more: Any) -> dict:
    row = {"t": t, "type": "n", "in": tokens, "out": out, "hash_ids": ids}
    return row | {"think_time": 1.0, "api_time": 2.0} | more


def without(row: dict, *names: str) -> dict:
    return {k: v for k, v in row.items() if k not in names}


def agent(t: float, *requests: dict, **more: Any) -> dict:
    return {"t": t, "type": "subagent", "requests": requests, **more}


def session(*requests: Any, **more: Any) -> dict:
    whole = {"id": "s", "block_size": 64, "hash_id_scope": "local", "requests": requests}
    return whole | more


def read(*sessions: Any) -> Trace:
    return read_trace("\n".join(json.dumps(s) for s in sessions).encode(), name="a.jsonl")


def refused(*sessions: Any) -> list[str]:
    with pytest.raises(TraceError) as caught:
        read(*sessions)
    return [problem.sentence() for problem in caught.value.problems]


UNKNOWN_STARTS = "the file does not say when sessions start: all start together at 0 s"


def test_a_session_is_a_closed_loop():
    trace = read(session(turn(0, think_time=9.0), turn(7.5, think_time=3.0), turn(20)))
    assert (trace.format, trace.block_tokens, trace.closed_loop) == ("weka", 64, True)
    assert trace.chains is not None
    (chain,) = trace.chains
    assert (chain.session, chain.start_s, list(chain.rows)) == (0, 0.0, [0, 1, 2])
    assert [r.think_s for r in trace.requests()] == [0.0, 3.0, 1.0]
    assert trace.arrival_s.tolist() == [0.0, 7.5, 20.0]
    assert trace.sessions == ("s",)
    assert trace.notes == (UNKNOWN_STARTS,)


def test_the_first_turn_starts_the_chain_when_it_was_recorded():
    trace = read(session(turn(4.0), turn(9.0)))
    assert trace.chains is not None
    assert trace.chains[0].start_s == 4.0


def test_local_ids_mean_nothing_outside_their_session():
    trace = read(session(turn(0), turn(5, 192, (1, 2, 3))), session(turn(0)))
    assert [r.blocks for r in trace.requests()] == [(0, 1), (0, 1, 2), (3, 4)]
    assert trace.block_count == 5
    assert trace.block_ids is None
    assert trace.sessions == ("s", "s (2)")


def test_missing_think_time_is_derived_or_told_to_be_unknown():
    lines = [
        turn(0.0, api_time=2.5),
        without(turn(10.0, api_time=2.0), "think_time"),
        without(turn(11.0), "think_time", "api_time"),
        without(turn(50.0), "think_time"),
        turn(60.0, out=0, think_time=None),
    ]
    trace = read(session(*lines))
    assert [r.think_s for r in trace.requests()] == [0.0, 7.5, 0.0, 0.0, 8.0]
    assert trace.notes == (
        UNKNOWN_STARTS,
        "turns without think_time, taken from t and the api_time before: 3",
        "turns without think_time or the api_time before, taken as 0 s: 1",
        "requests with output 0, kept: 1",
    )


def test_a_subagent_is_a_chain_of_its_own_that_starts_before_its_t():
    helper = agent(161.0, turn(0), turn(30, 192, (1, 2, 9)), duration_ms=141_500)
    trace = read(session(turn(0), helper, turn(323.0, 192, (1, 2, 3))))
    assert trace.chains is not None
    assert [(c.session, c.start_s, list(c.rows)) for c in trace.chains] == [
        (0, 0.0, [0, 1]), (0, 19.5, [2, 3]),
    ]  # fmt: skip
    assert trace.arrival_s.tolist() == [0.0, 323.0, 19.5, 49.5]
    assert [r.blocks for r in trace.requests()] == [(0, 1), (0, 1, 2), (0, 1), (0, 1, 3)]
    assert "sub-agents, each a chain of its own that starts duration_ms before its t: 1" in (
        trace.notes
    )


def test_a_subagent_of_a_subagent_counts_from_its_parent():
    inner = agent(10.0, turn(0.5), duration_ms=4_000)
    trace = read(session(turn(0), agent(100.0, turn(0), inner)))
    assert trace.chains is not None
    assert [c.start_s for c in trace.chains] == [0.0, 100.0, 106.5]


def test_turns_out_of_order_are_sorted_and_told():
    trace = read(session(turn(0, out=1), turn(9, out=2), turn(4, out=3)))
    assert trace.output_tokens.tolist() == [1, 3, 2]
    assert trace.notes[-1] == "turns earlier than the turn before them, sorted by t (stable): 1"


def test_sessions_can_be_given_starts():
    trace = read(session(turn(0), agent(5.0, turn(0))), session(turn(1), turn(2)))
    moved = trace.starting([100.0, 7.0])
    assert moved.chains is not None
    assert [c.start_s for c in moved.chains] == [100.0, 105.0, 8.0]
    assert moved.arrival_s.tolist() == [100.0, 105.0, 8.0, 9.0]
    assert len({trace.digest, moved.digest, trace.starting([100.0, 8.0]).digest}) == 3
    assert moved.digest == trace.starting([100.0, 7.0]).digest
    assert trace.arrival_s.tolist() == [0.0, 5.0, 1.0, 2.0]


@pytest.mark.parametrize("starts", [[1.0], [1.0, -1.0], [1.0, float("nan")], []])
def test_wrong_starts_are_refused(starts: list[float]):
    with pytest.raises(ValueError, match="start"):
        read(session(turn(0)), session(turn(0))).starting(starts)


def test_one_json_object_over_many_lines():
    whole = session(turn(0), turn(5))
    spread = read_trace(json.dumps(whole, indent=1).encode())
    assert spread.arrival_s.tolist() == read(whole).arrival_s.tolist()
    broken = json.dumps(session(turn(0, tokens=-1)), indent=1).encode()
    with pytest.raises(TraceError, match=r"the object, requests\[0\], in is -1: must be a whole"):
        read_trace(broken)


def test_an_empty_session_is_passed_over():
    assert read(session(), session(turn(0))).sessions == ("s", "s (2)")
    assert refused(session()) == ["the trace is empty: must hold at least one request"]


TOKENS = "must be a whole number of tokens, 1 to 100,000,000"


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (session(turn(0, tokens=0)), f"line 2, requests[0], in is 0: {TOKENS}"),
        (session(without(turn(0), "in")), f"line 2, requests[0], in is absent: {TOKENS}"),
        (session(turn(0), agent(3, turn(0), turn(1, tokens=2.5))),
         f"line 2, requests[1], requests[1], in is 2.5: {TOKENS}"),
        (session(turn(0), turn(-2)),
         "line 2, requests[1], t is -2: must be seconds from the session's start, "
         "0 to 1,000,000,000"),
        (session(turn(0, think_time=-1)),
         "line 2, requests[0], think_time is -1: must be seconds since the reply before, "
         "0 to 1,000,000,000"),
        (session(turn(0, api_time="2")),
         "line 2, requests[0], api_time is '2': must be seconds from request to reply, "
         "0 to 1,000,000,000"),
        (session(turn(0, ids=[1])),
         "line 2, requests[0], hash_ids is a list of length 1: must be one id per full block of "
         "64 tokens: 2 for 130 tokens"),
        (session(turn(0, ids=[1, "2"])),
         "line 2, requests[0], hash_ids[1] is '2': must be a whole number of at most 64 bits"),
        (session(turn(0), agent(-3, turn(0))),
         "line 2, requests[1], t is -3: must be seconds from the session's start, "
         "0 to 1,000,000,000"),
        (session(turn(0), agent(3, turn(0), duration_ms=-1)),
         "line 2, requests[1], duration_ms is -1: must be a duration in ms, "
         "0 to 1,000,000,000,000"),
        (session(turn(0), {"t": 3, "type": "subagent"}),
         "line 2, requests[1], requests is absent: must be a list of requests [{...}, ...]"),
        (session("x"), "line 2, requests[0] is 'x': must be a JSON object {...}"),
        (session(turn(0), block_size=32), "line 2, block_size is 32: must be 64"),
        (session(turn(0), block_size=True), "line 2, block_size is true: must be 64"),
        (without(session(turn(0)), "block_size"), "line 2, block_size is absent: must be 64"),
        (session(turn(0), hash_id_scope="global"),
         "line 2, hash_id_scope is 'global': must be \"local\""),
        (session(requests=None),
         "line 2, requests is null: must be a list of requests [{...}, ...]"),
    ],
)  # fmt: skip
def test_a_bad_line_is_told_by_line_field_value_and_remedy(bad: dict, sentence: str):
    assert refused(session(turn(0)), bad, session(turn(0))) == [sentence]


def test_nesting_without_end_is_refused():
    deep = agent(0, turn(0))
    for _ in range(40):
        deep = agent(0, deep)
    assert refused(session(deep)) == [
        "line 1" + ", requests[0]" * 17 + " is nested too deeply: at most 16 levels are read"
    ]


def test_written_as_mooncake_every_eighth_id_stands_for_512_tokens():
    first = turn(0, 1100, list(range(17)))
    second = turn(4, 1030, [*range(16)], think_time=2)
    third = turn(6, 1024, [*range(12), *range(100, 104)])
    stream = io.StringIO()
    write_mooncake(read(session(first, second, third), session(turn(0, 64, [3]))), stream)
    again = read_trace(stream.getvalue().encode())
    assert again.format == "mooncake"
    assert again.input_tokens.tolist() == [1100, 64, 1030, 1024]
    assert again.arrival_s.tolist() == [0.0, 0.0, 4.0, 6.0]
    assert [again.sessions[r.session or 0] for r in again.requests()] == ["s", "s (2)", "s", "s"]
    blocks = [r.blocks for r in again.requests()]
    assert blocks == [(0, 1), (), (0, 1), (0, 5)]
    assert len(set(again.block_ids or ())) == 6
