"""Points of measured profiles from CSV files that lie beside the scenario file that names them.

A file has a line of column names, those of the point's settings, and a row for each point. Its
values land in the scenario; a problem of a row is told with the file and the line.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

from .errors import shown
from .plain_yaml import Document
from .settings import children, settings

MAX_BYTES = 256_000
FILE_NAME = re.compile(r"(?:[A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*\.csv", re.ASCII)
"""A file beside the scenario file, or in a folder beside it."""


def take_points(draft: Document, folder: Path) -> None:
    """Put the points of a file wherever a draft of a scenario names one for a profile."""
    for setting in settings():
        if setting.kind != "points":
            continue
        above, _, key = setting.path.rpartition(".")
        holder: Any = draft.data
        for step in above.split("."):
            holder = holder.get(step) if isinstance(holder, dict) else None
        if isinstance(holder, dict) and isinstance(holder.get(key), str):
            found = _points(draft, setting.path, holder[key], folder)
            if found is None:
                draft.told.add(setting.path)
                del holder[key]
            else:
                holder[key] = found


def _points(draft: Document, path: str, name: str, folder: Path) -> list[dict[str, Any]] | None:
    """The points of the file `name`, or None with the reason noted in the draft."""
    if FILE_NAME.fullmatch(name) is None:
        remedy = "give points, or the name of a CSV file beside this one, such as times.csv"
        draft.wrong(path, shown(name), remedy)
        return None
    text = _text(draft, path, name, folder / name)
    if text is None:
        return None
    columns = [child.rpartition(".")[2] for child in children(f"{path}[]")]
    reader = csv.reader(text.splitlines())
    head = [cell.strip() for cell in next(reader, [])]
    if sorted(head) != sorted(columns):
        there = shown(", ".join(head)) if any(head) else "absent"
        remedy = f"the first line must name the columns {', '.join(columns)}"
        draft.wrong(path, shown(name), f"{name}:1 {there}: {remedy}")
        return None
    found: list[dict[str, Any]] = []
    for row in reader:
        if any(cell.strip() for cell in row):
            place = f"{folder / name}:{reader.line_num}"
            draft.where[f"{path}[{len(found)}]"] = place
            found.append(_point(draft, f"{path}[{len(found)}]", head, row))
    return found


def _point(draft: Document, path: str, head: list[str], row: list[str]) -> dict[str, Any]:
    """One row as a point; a cell that is no number stays a text, which the setting refuses."""
    if len(row) > len(head):
        remedy = f"take as many as there are columns ({len(head)})"
        draft.wrong(path, f"a row of {len(row)} cells", remedy)
    return {name: _number(cell.strip()) for name, cell in zip(head, row, strict=False)}


def _number(cell: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell


def _text(draft: Document, path: str, name: str, file: Path) -> str | None:
    try:
        with file.open("rb") as opened:
            raw = opened.read(MAX_BYTES + 1)
        if len(raw) <= MAX_BYTES:
            return raw.decode("utf-8-sig")
        draft.wrong(path, shown(name), f"is too large; take at most {MAX_BYTES // 1000} KB")
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        draft.wrong(path, shown(name), f"{file} cannot be read: {reason}")
    except UnicodeDecodeError as error:
        draft.wrong(path, shown(name), f"save it as UTF-8 (byte {error.start} is not)")
    return None
