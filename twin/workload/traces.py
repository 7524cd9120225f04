"""Recorded traces of LLM serving, read from an untrusted file in one of the known formats."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ..errors import Problem, TraceError
from . import azure, mooncake, weka
from .trace_checks import Complaints, Found, parse_json, seen
from .trace_rows import Reader, Reading, TraceRows
from .trace_table import Trace
from .trace_text import DEFAULT_LIMITS, Limits, Progress, Source, TraceText, shown_name

READERS: tuple[Reader, ...] = (mooncake.READER, azure.READER, weka.READER)
"""The formats, in the order in which a line is offered to them."""

LOOK_AHEAD_LINES = 20
"""Lines that are looked at to tell the format, so that one bad first line does not hide it."""

WHOLE = "the object"
"""Place of a JSON object that runs over many lines."""

Lines = Iterator[tuple[int, str]]


def read_trace(
    source: Source,
    *,
    name: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    progress: Progress | None = None,
) -> Trace:
    """Read a trace, plain or gzip, of any known format, told by its content.

    `source` is a path, the bytes, or a binary stream (left open); `name` is what the file is
    called when it is not a path. `progress` is told the share of the file's bytes read. Raises
    TraceError with every problem by line and field (the first 50, the rest counted); then
    nothing was kept.
    """
    called = shown_name(source, name)
    complaints = Complaints()
    rows = TraceRows(limits)
    try:
        with TraceText(source, limits, progress) as text:
            lines = text.lines(complaints)
            reader, placed = _recognised(lines, limits)
            reading = reader.read(placed, rows, complaints)
            digest = text.digest()
    except TraceError as bad:
        complaints.take(bad)
        raise complaints.error(called) from None
    return _kept(rows, complaints, reader, reading, called, digest)


def _kept(
    rows: TraceRows,
    complaints: Complaints,
    reader: Reader,
    reading: Reading,
    name: str,
    digest: str,
) -> Trace:
    if not len(rows) and not complaints.count:
        complaints.add("the trace", Found("empty"), "must hold at least one request")
    if complaints.count:
        raise complaints.error(name)
    return rows.finish(name, digest, reader.name, reading.block_tokens, reading.notes)


def _recognised(lines: Lines, limits: Limits) -> tuple[Reader, Iterator[tuple[str, str]]]:
    """The reader for these lines, and the lines with their places; TraceError for none."""
    head: list[tuple[int, str]] = []
    for line in itertools.islice(lines, LOOK_AHEAD_LINES):
        head.append(line)
        reader = _reader_of(line[1], _object_or_none(line[1]))
        if reader is not None:
            return reader, _placed(itertools.chain(head, lines))
    if not head:
        raise TraceError(Problem("the file", "empty", "must hold at least one request"))
    everything = itertools.chain(head, lines)
    if head[0][1].lstrip().startswith("{"):
        return _recognised_whole(everything, limits)
    raise _unknown(head[0])


def _recognised_whole(lines: Lines, limits: Limits) -> tuple[Reader, Iterator[tuple[str, str]]]:
    """As `_recognised`, for one JSON object that runs over many lines."""
    parts: list[tuple[int, str]] = []
    size = 0
    for number, text in lines:
        parts.append((number, text))
        size += len(text)
        if size > limits.line_bytes:
            raise _unknown(parts[0])
    whole = "\n".join(text for _, text in parts)
    row = _object_or_none(whole)
    reader = _reader_of(whole, row) if row is not None else None
    if reader is None:
        raise _unknown(parts[0], whole)
    return reader, iter([(WHOLE, whole)])


def _placed(lines: Lines) -> Iterator[tuple[str, str]]:
    return ((f"line {number}", text) for number, text in lines)


def _object_or_none(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _reader_of(text: str, row: dict[str, Any] | None) -> Reader | None:
    return next((reader for reader in READERS if reader.recognises(text, row)), None)


def _unknown(first: tuple[int, str], whole: str | None = None) -> TraceError:
    known = "; ".join(f"{reader.name} ({reader.shape})" for reader in READERS)
    remedy = f"no known format; known are {known}"
    if whole is not None:
        try:
            parse_json(whole)
        except ValueError as bad:
            remedy = f"{remedy}; as one object it {bad}"
    return TraceError(Problem(f"line {first[0]}", seen(first[1]), remedy))
