"""Numbers on a page: with unit, where they come from, and an explanation; never a bare figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .components.widgets import widget
from .texts.studies import KINDS

DASH = "–"
NARROW = "\u202f"
MINUS = "\u2212"

Kind = Literal[
    "fit", "predict", "arith", "shape", "input", "refuse", "published", "assumed", "simulated",
    "computed",
]  # fmt: skip
Role = Literal["p", "rld", "md", "line", "accent", "red", "soft"]


def number(value: float | None, digits: int = 3) -> str:
    """A number with so many digits that `digits` of them tell something; a dash when unknown.

    With `digits` 0 it is a whole number.
    """
    if value is None or not math.isfinite(value):
        return DASH
    size = abs(value)
    if size >= 1000 or digits == 0:
        text = f"{size:,.0f}"
    else:
        decimals = 0 if size == 0 else digits - 1 - math.floor(math.log10(size))
        text = f"{size:.{max(0, min(digits - 1, decimals))}f}"
    return f"{MINUS}{text}" if value < 0 else text


def seconds(value: float | None) -> tuple[str, str]:
    """Seconds as number and unit, such as 4.17 s or 350 ms."""
    if value is None or not math.isfinite(value):
        return DASH, ""
    if abs(value) < 1:
        return f"{value * 1000:.0f}".replace("-", MINUS), "ms"
    return f"{value:.{2 if abs(value) < 10 else 1}f}".replace("-", MINUS), "s"


def percent(value: float | None, decimals: int = 1) -> tuple[str, str]:
    """A share as percent."""
    if value is None or not math.isfinite(value):
        return DASH, ""
    return f"{value * 100:.{decimals}f}".replace("-", MINUS), "%"


def spread(sd: float | None, scale: float = 1.0, digits: int = 3) -> str:
    """A standard deviation behind a mean: ± 0.12; empty when unknown."""
    return "" if sd is None else f"± {number(sd * scale, digits)}"


@dataclass(frozen=True)
class Number:
    """One figure to be shown.

    `about` says what it means and how it is computed; `source` where it comes from, and is left out
    only by a `kind` that says so itself ("assumed", "simulated", "computed"). `note` stands below
    it, such as a spread; `name` is how tests find it.
    """

    name: str
    label: str
    text: str
    unit: str
    about: str
    kind: Kind
    source: str = ""
    note: str = ""
    role: Role = "soft"
    trend: Literal["", "better", "worse"] = ""

    def lines(self) -> list[str]:
        """The explanation on hover."""
        return [line for line in (self.about, KINDS[self.kind], self.source) if line]

    def data(self) -> dict[str, Any]:
        """What the component draws."""
        return {
            "name": self.name, "label": self.label, "text": self.text, "unit": self.unit,
            "note": self.note, "badge": badge(self.kind), "role": self.role,
            "lines": self.lines(), "trend": self.trend,
        }  # fmt: skip


def badge(kind: Kind) -> dict[str, str] | None:
    """The mark of a kind; what is simulated or computed here needs none."""
    return None if kind in ("simulated", "computed") else {"kind": kind, "text": kind}


def numbers(key: str, figures: Sequence[Number]) -> None:
    """A row of figures, each explained on hover, focus or touch."""
    widget("numbers", key, {"numbers": [one.data() for one in figures]})
