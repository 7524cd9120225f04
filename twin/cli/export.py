"""Results as a file: JSON as on standard output, or CSV with one flat row for each thing."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import Problem
from .console import InputError, OutputError, json_text

ENDINGS = (".json", ".csv")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First signs of a text that a spreadsheet would compute."""

LEFT_OUT = ("runs", "series")
"""What has no place in a flat row."""

Rows = Sequence[Mapping[str, Any]]


class Export:
    """The file of `--out`, looked at before any work is done; written whole or not at all."""

    def __init__(self, name: str | None) -> None:
        self.path = None if name is None else Path(name)
        if self.path is not None:
            _usable(self.path)

    def write(self, data: Any, rows: Rows) -> None:
        """Write `data` as JSON or `rows` as CSV, by the file's ending."""
        if self.path is None:
            return
        is_json = self.path.suffix.lower() == ".json"
        text = f"{json_text(data)}\n" if is_json else csv_text(rows)
        try:
            _replace(self.path, text.encode())
        except OSError as error:
            raise OutputError(_unwritable(self.path, error.strerror or "an error")) from None


def csv_text(rows: Rows) -> str:
    """Rows with a line of names; every name of any row has a column, in order of appearance."""
    flattened = [flat(row) for row in rows]
    names = list(dict.fromkeys(name for row in flattened for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
    writer.writerow(dict(zip(names, map(_cell, names), strict=True)))
    for row in flattened:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return text.getvalue()


def flat(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested data with dotted names: {"ttft_s": {"p50": 4}} -> {"ttft_s.p50": 4}."""
    out: dict[str, Any] = {}
    for key, value in data.items():
        name = f"{prefix}{key}"
        if key in LEFT_OUT:
            continue
        if isinstance(value, Mapping):
            out |= flat(value, f"{name}.")
        elif isinstance(value, list | tuple) and key == "troubles":
            out[name] = "; ".join(map(str, value))
        elif isinstance(value, list | tuple):
            out |= flat({str(i): item for i, item in enumerate(value)}, f"{name}.")
        else:
            out[name] = value
    return out


def _cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula; unknown is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _usable(path: Path) -> None:
    if path.suffix.lower() not in ENDINGS:
        remedy = f"end it with {' or '.join(ENDINGS)}, which tells the format"
        raise InputError(Problem("--out", repr(str(path)), remedy))
    folder = path.parent
    if path.is_dir():
        raise InputError(_unwritable(path, "is a directory"))
    if not folder.is_dir():
        raise InputError(_unwritable(path, f"there is no folder {folder}"))
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(_unwritable(path, "permission denied"))


def _unwritable(path: Path, reason: str) -> Problem:
    return Problem("--out", repr(str(path)), f"cannot be written: {reason.lower()}")


def _replace(path: Path, content: bytes) -> None:
    """Write beside it and move it into place, so that no half file is ever seen."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)  # a device or a pipe
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
