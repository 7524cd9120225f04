"""The Mooncake dialect: one JSON object a line, with ids of 512-token prompt blocks.

Fields: `timestamp` ms since the start, `input_length`, `output_length` tokens, `hash_ids` one id
per block of the prompt, the last one partial; optional `session_id`. An id stands for the block
and everything before it. Source: Qin et al., "Mooncake", FAST 2025, and its published traces.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

import numpy as np

from ..errors import Problem, TraceError
from ..units import KILO, ms_to_s
from .trace_checks import MAX_SECONDS, Complaints, Fields, Found, parse_object
from .trace_rows import Reader, Reading, TraceRows, output_zero_note
from .trace_table import NO_SESSION, Trace

BLOCK_TOKENS = 512
"""Tokens of a full block in this dialect."""

FIELDS = frozenset({"timestamp", "input_length", "output_length", "hash_ids"})


def _recognises(_: str, row: dict[str, Any] | None) -> bool:
    return row is not None and len(FIELDS & row.keys()) >= 2


def _read(lines: Iterable[tuple[str, str]], rows: TraceRows, complaints: Complaints) -> Reading:
    for place, text in lines:
        row = parse_object(text, place, complaints)
        if row is not None:
            _take(Fields(row, place, complaints), rows)
    return Reading(BLOCK_TOKENS, tuple(output_zero_note(rows)))


def _take(fields: Fields, rows: TraceRows) -> None:
    arrival_s = ms_to_s(fields.time("timestamp", MAX_SECONDS * KILO, "ms since the trace's start"))
    input_tokens = fields.tokens("input_length", 1)
    output_tokens = fields.tokens("output_length", 0)
    ids = fields.ids("hash_ids")
    name = fields.label("session_id")
    if fields.sound and len(ids) != _blocks(input_tokens):
        need = f"{_blocks(input_tokens):,} for {input_tokens:,} tokens"
        remedy = f"must be one id per {BLOCK_TOKENS} tokens or part of it: {need}"
        fields.wrong("hash_ids", Found(f"a list of length {len(ids):,}"), remedy)
    if fields.sound:
        session = NO_SESSION if name is None else rows.session_index(name)
        rows.add(arrival_s, input_tokens, output_tokens, ids, session)


def _blocks(tokens: int) -> int:
    return -(-tokens // BLOCK_TOKENS)


READER = Reader(
    "mooncake",
    'JSON lines {"timestamp": ms, "input_length", "output_length", "hash_ids": [...]}',
    _recognises,
    _read,
)


def write_mooncake(trace: Trace, stream: TextIO) -> None:
    """Write a trace as Mooncake JSON lines, in order of (recorded) arrival.

    A Mooncake trace keeps its own ids and reads back equal. Smaller blocks are joined: ids are
    chained, so the id of every eighth 64-token block stands for a 512-token one, and a partial
    last block gets an id of its own. A closed loop is written with its recorded times; the
    dialect has no think time. TraceError for a trace without block ids or with blocks that do
    not divide 512.
    """
    if trace.block_tokens is None or BLOCK_TOKENS % trace.block_tokens:
        remedy = f"only block ids that can be joined to {BLOCK_TOKENS} tokens can be written"
        raise TraceError(Problem("block_tokens", str(trace.block_tokens), remedy))
    fresh = itertools.count(trace.block_count)
    order = np.argsort(trace.arrival_s, kind="stable").tolist()
    stream.writelines(json.dumps(_record(trace, row, fresh)) + "\n" for row in order)


def _record(trace: Trace, row: int, fresh: Iterator[int]) -> dict[str, Any]:
    record: dict[str, Any] = {
        "timestamp": _ms(float(trace.arrival_s[row])),
        "input_length": int(trace.input_tokens[row]),
        "output_length": int(trace.output_tokens[row]),
        "hash_ids": _ids(trace, row, fresh),
    }
    if trace.session is not None and trace.session[row] != NO_SESSION:
        record["session_id"] = trace.sessions[trace.session[row]]
    return record


def _ids(trace: Trace, row: int, fresh: Iterator[int]) -> list[int]:
    """The ids of a row's 512-token blocks; `fresh` gives unused ids for partial last blocks."""
    numbers = trace.blocks(row)
    assert numbers is not None
    assert trace.block_tokens is not None
    if trace.block_ids is not None and trace.block_tokens == BLOCK_TOKENS:
        return [trace.block_ids[n] for n in numbers.tolist()]
    step = BLOCK_TOKENS // trace.block_tokens
    joined = numbers[step - 1 :: step].tolist()
    if len(joined) < _blocks(int(trace.input_tokens[row])):
        joined.append(next(fresh))
    return joined


def _ms(arrival_s: float) -> int | float:
    """Milliseconds that read back as the same seconds; whole ones as integers."""
    ms = arrival_s * KILO
    near = (round(ms), ms, math.nextafter(ms, 0), math.nextafter(ms, math.inf))
    return next((m for m in near if ms_to_s(m) == arrival_s), ms)
