"""The CSV of Azure's public LLM inference traces: arrival times and lengths, no block ids.

Columns TIMESTAMP, ContextTokens, GeneratedTokens. The 2023 files have local times with seven
fractional digits and no zone, the 2024 ones six digits and a zone; further columns are ignored.
Source: Patel et al., "Splitwise", ISCA 2024, and the AzurePublicDataset.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from .trace_checks import MAX_TOKENS, Complaints, Found
from .trace_rows import Reader, Reading, TraceRows, output_zero_note

TIME, INPUT, OUTPUT = "TIMESTAMP", "ContextTokens", "GeneratedTokens"
NS_PER_S = 10**9
MAX_LINE_CHARS = 1000
YEARS = range(1970, 2200)
TIME_FORM = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:(Z)|([+-])(\d\d):?(\d\d))?",
    re.ASCII,
)
TIME_REMEDY = "must be a time such as 2023-11-16 18:17:03.9799600"
WHOLE = re.compile(r"\d{1,18}", re.ASCII)


def _cells(text: str) -> list[str]:
    if len(text) > MAX_LINE_CHARS:
        return [text]
    return [cell.strip() for cell in next(csv.reader([text]), [])]


def _recognises(text: str, row: dict[str, Any] | None) -> bool:
    return row is None and {TIME, INPUT, OUTPUT} <= set(_cells(text))


class _Columns:
    """Absolute times in ns and lengths, until the earliest time is known."""

    def __init__(self, header: list[str], complaints: Complaints) -> None:
        self.width = len(header)
        self.at = [header.index(name) for name in (TIME, INPUT, OUTPUT)]
        self.complaints = complaints
        self.ns, self.input_tokens, self.output_tokens = array("q"), array("q"), array("q")
        self.zoned: bool | None = None

    def take(self, place: str, text: str) -> None:
        """One line of the file."""
        before = self.complaints.count
        cells = _cells(text)
        if len(cells) != self.width:
            fields = Found(f"a row of length {len(cells)}")
            self.complaints.add(place, fields, f"must have {self.width} fields, as the header")
            return
        time, given, made = (cells[i] for i in self.at)
        ns = self._ns(place, time)
        input_tokens = self._tokens(place, INPUT, given, 1)
        output_tokens = self._tokens(place, OUTPUT, made, 0)
        if self.complaints.count == before:
            self.ns.append(ns)
            self.input_tokens.append(input_tokens)
            self.output_tokens.append(output_tokens)

    def _tokens(self, place: str, name: str, text: str, least: int) -> int:
        if WHOLE.fullmatch(text) and least <= int(text) <= MAX_TOKENS:
            return int(text)
        remedy = f"must be a whole number of tokens, {least} to {MAX_TOKENS:,}"
        self.complaints.add(f"{place}, {name}", text or Found("absent"), remedy)
        return 0

    def _ns(self, place: str, text: str) -> int:
        parts = TIME_FORM.fullmatch(text)
        ns = _ns_since_1970(parts) if parts else None
        if parts is None or ns is None:
            self.complaints.add(f"{place}, {TIME}", text or Found("absent"), TIME_REMEDY)
            return 0
        zoned = bool(parts[8] or parts[9])
        if self.zoned is None:
            self.zoned = zoned
        if zoned != self.zoned:
            way = "with" if self.zoned else "without"
            remedy = f"must be {way} a zone, as the times before it"
            self.complaints.add(f"{place}, {TIME}", text, remedy)
        return ns


def _ns_since_1970(parts: re.Match[str]) -> int | None:
    """Nanoseconds since 1970 of a matched time, exact; None for a day or hour that is not."""
    year, month, day, hour, minute, second = (int(parts[i]) for i in range(1, 7))
    if year not in YEARS:
        return None
    try:
        whole = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        if parts[9]:
            offset = timedelta(hours=int(parts[10]), minutes=int(parts[11]))
            whole = whole - offset if parts[9] == "+" else whole + offset
    except (ValueError, OverflowError):
        return None
    since = whole - datetime(1970, 1, 1, tzinfo=UTC)
    fraction = int((parts[7] or "").ljust(9, "0"))
    return (since.days * 86400 + since.seconds) * NS_PER_S + fraction


def _read(lines: Iterable[tuple[str, str]], rows: TraceRows, complaints: Complaints) -> Reading:
    """Rows of all lines; the earliest arrival is time 0."""
    columns: _Columns | None = None
    for place, text in lines:
        if columns is not None:
            columns.take(place, text)
        elif _recognises(text, None):
            columns = _Columns(_cells(text), complaints)
        else:
            complaints.add(place, text, f"must be the header {TIME},{INPUT},{OUTPUT}")
    if columns is not None and len(columns.ns):
        _shift(columns, rows)
    return Reading(None, ("times count from the earliest request", *output_zero_note(rows)))


def _shift(columns: _Columns, rows: TraceRows) -> None:
    """Add the rows with times in seconds after the earliest; differences are exact to a ns."""
    earliest = min(columns.ns)
    columns_of_rows = zip(columns.ns, columns.input_tokens, columns.output_tokens, strict=True)
    for ns, input_tokens, output_tokens in columns_of_rows:
        rows.add((ns - earliest) / NS_PER_S, input_tokens, output_tokens)


READER = Reader("azure", f"CSV with the columns {TIME},{INPUT},{OUTPUT}", _recognises, _read)
