"""Recorded agent sessions in Weka's form: one JSON object a session, replayed as a closed loop.

A session has `block_size` 64, `hash_id_scope` "local" (its ids mean nothing outside it) and
`requests[]`: `t` seconds from the session's start, `in`, `out` tokens, `hash_ids` one id per
*full* block (`in // 64`), and where known `think_time` between the previous reply and this
request and `api_time` that the recorded system took. Source: kv-cache-tester, `traces/`.

Rules of replay:
- Each session is a chain; a turn comes `think_time` after the reply before it. Where that is
  missing it is t - (t + api_time of the turn before), at least 0; where api_time is missing too,
  nothing tells thinking from serving and it is 0.
- A `type: "subagent"` is a chain of its own in the same session, with ids in the session's scope.
  Its `t` is the time at which its result was back, so it starts at t - duration_ms (at t without
  a duration), counted from the start of the chain that holds it. It does not wait for its
  parent's turns; the parent's recorded think time already holds the wait for it.
- The file does not say when sessions start: all start at 0.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..units import KILO, ms_to_s
from .trace_checks import MAX_SECONDS, Complaints, Fields, Found, parse_object
from .trace_rows import Reader, Reading, TraceRows, output_zero_note
from .trace_table import Chain

BLOCK_TOKENS = 64
"""Tokens of a block in these files."""

MAX_NESTING = 16
"""Deepest sub-agent of a sub-agent that is believed (assumed; one level is usual)."""

SIGNS = frozenset({"requests", "block_size", "hash_id_scope"})


class _Turn(NamedTuple):
    t_s: float
    input_tokens: int
    output_tokens: int
    ids: list[int]
    think_s: float | None
    api_s: float | None


class _Piece(NamedTuple):
    """A chain before it is in the table: its start after the session's, and its turns."""

    start_s: float
    turns: list[_Turn]


def _recognises(_: str, row: dict[str, Any] | None) -> bool:
    return row is not None and bool(SIGNS & row.keys())


def _read(lines: Iterable[tuple[str, str]], rows: TraceRows, complaints: Complaints) -> Reading:
    told: Counter[str] = Counter()
    for place, text in lines:
        session = parse_object(text, place, complaints)
        if session is not None:
            _take(Fields(session, place, complaints), rows, complaints, told)
    return Reading(BLOCK_TOKENS, (*_notes(told), *output_zero_note(rows)))


def _take(fields: Fields, rows: TraceRows, complaints: Complaints, told: Counter[str]) -> None:
    """One session: checked whole, then added chain by chain."""
    before = complaints.count
    fields.constant("block_size", BLOCK_TOKENS, needed=True)
    fields.constant("hash_id_scope", "local", needed=False)
    name = fields.label("id")
    pieces = list(_pieces(fields, 0.0, complaints, told, 0))
    if complaints.count > before:
        return
    session = rows.fresh_session(name or fields.place)
    rows.open_scope()
    for piece in pieces:
        _add_chain(piece, session, rows, told)


def _pieces(
    fields: Fields, start_s: float, complaints: Complaints, told: Counter[str], depth: int
) -> Iterator[_Piece]:
    """The chain of an object with `requests`, and after it those of its sub-agents."""
    turns: list[_Turn] = []
    nested: list[_Piece] = []
    for i, request in enumerate(fields.objects("requests")):
        name = f"requests[{i}]"
        if not isinstance(request, dict):
            fields.wrong(name, request, "must be a JSON object {...}")
            continue
        inner = Fields(request, f"{fields.place}, {name}", complaints)
        if request.get("type") != "subagent":
            turns.append(_turn(inner))
        elif depth >= MAX_NESTING:
            fields.wrong(name, Found("nested too deeply"), f"at most {MAX_NESTING} levels are read")
        else:
            told["subagents"] += 1
            started = start_s + _subagent_start(inner)
            nested.extend(_pieces(inner, started, complaints, told, depth + 1))
    if turns:
        told["late"] += sum(b.t_s < a.t_s for a, b in itertools.pairwise(turns))
        yield _Piece(start_s, sorted(turns, key=lambda turn: turn.t_s))
    yield from nested


def _subagent_start(fields: Fields) -> float:
    back_s = fields.time("t", MAX_SECONDS, "seconds from the session's start")
    took_ms = fields.optional_time("duration_ms", MAX_SECONDS * KILO, "a duration in ms")
    return max(0.0, back_s - ms_to_s(took_ms or 0.0))


def _turn(fields: Fields) -> _Turn:
    turn = _Turn(
        fields.time("t", MAX_SECONDS, "seconds from the session's start"),
        fields.tokens("in", 1),
        fields.tokens("out", 0),
        fields.ids("hash_ids"),
        fields.optional_time("think_time", MAX_SECONDS, "seconds since the reply before"),
        fields.optional_time("api_time", MAX_SECONDS, "seconds from request to reply"),
    )
    full = turn.input_tokens // BLOCK_TOKENS
    if fields.sound and len(turn.ids) != full:
        remedy = f"must be one id per full block of {BLOCK_TOKENS} tokens: {full:,} for"
        found = Found(f"a list of length {len(turn.ids):,}")
        fields.wrong("hash_ids", found, f"{remedy} {turn.input_tokens:,} tokens")
    return turn


def _add_chain(piece: _Piece, session: int, rows: TraceRows, told: Counter[str]) -> None:
    first = piece.turns[0]
    start_s = piece.start_s + first.t_s
    rows.chains.append(Chain(session, start_s, len(rows), len(piece.turns)))
    before: _Turn | None = None
    for turn in piece.turns:
        think_s = 0.0 if before is None else _think(turn, before, told)
        arrival_s = piece.start_s + turn.t_s
        rows.add(arrival_s, turn.input_tokens, turn.output_tokens, turn.ids, session, think_s)
        before = turn


def _think(turn: _Turn, before: _Turn, told: Counter[str]) -> float:
    if turn.think_s is not None:
        return turn.think_s
    if before.api_s is not None:
        told["derived"] += 1
        return max(0.0, turn.t_s - (before.t_s + before.api_s))
    told["unknown"] += 1
    return 0.0


def _notes(told: Counter[str]) -> Iterator[str]:
    yield "the file does not say when sessions start: all start together at 0 s"
    if told["subagents"]:
        agents = "sub-agents, each a chain of its own that starts duration_ms before its t"
        yield f"{agents}: {told['subagents']}"
    if told["derived"]:
        yield f"turns without think_time, taken from t and the api_time before: {told['derived']}"
    if told["unknown"]:
        yield f"turns without think_time or the api_time before, taken as 0 s: {told['unknown']}"
    if told["late"]:
        yield f"turns earlier than the turn before them, sorted by t (stable): {told['late']}"


READER = Reader(
    "weka",
    'JSON sessions {"block_size": 64, "requests": [{"t", "in", "out", "hash_ids"}, ...]}',
    _recognises,
    _read,
)
