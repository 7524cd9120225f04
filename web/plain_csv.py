"""Tables as CSV that no spreadsheet takes for formulas; what cannot be said is empty."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return "" if value is None else value


def of_rows(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows under the names of their columns."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([cell(name) for name in names])
    writer.writerows([cell(value) for value in row] for row in rows)
    return out.getvalue()


def of_columns(columns: dict[str, list[Any]]) -> str:
    """Columns of equal length, by name."""
    return of_rows(list(columns), zip(*columns.values(), strict=True))
