"""Plain text tables: aligned columns, numbers with units, a dash for what is unknown."""

from __future__ import annotations

from collections.abc import Sequence

UNKNOWN = "–"


def table(rows: Sequence[Sequence[str]], align: str) -> str:
    """Rows as lines; `align` has < or > for each column, the last one stands for all further."""
    columns = max(len(row) for row in rows)
    align = align.ljust(columns, align[-1])
    padded = [[*row, *[""] * (columns - len(row))] for row in rows]
    widths = [max(len(row[i]) for row in padded) for i in range(columns)]
    lines = [
        "  ".join(f"{cell:{align[i]}{widths[i]}}" for i, cell in enumerate(row)).rstrip()
        for row in padded
    ]
    return "\n".join(lines)


def number(
    value: float | None, digits: int = 2, unit: str = "", scale: float = 1.0, sign: bool = False
) -> str:
    """A number such as "1,234.50 s", with its sign when asked, or a dash."""
    if value is None:
        return UNKNOWN
    text = f"{value * scale:{'+' if sign else ''},.{digits}f}"
    return f"{text} {unit}" if unit else text


def spread(
    value: float | None,
    sd: float | None,
    digits: int = 2,
    unit: str = "",
    scale: float = 1.0,
    sign: bool = False,
) -> str:
    """A mean with its standard deviation where there is one: "4.19 ± 0.31 s"."""
    if value is None or not sd:
        return number(value, digits, unit, scale, sign)
    mean = number(value, digits, scale=scale, sign=sign)
    text = f"{mean} ± {number(sd, digits, scale=scale)}"
    return f"{text} {unit}" if unit else text


def count(value: float | None) -> str:
    """A whole number such as "20,000", or a dash; a mean that is not whole gets a decimal."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
