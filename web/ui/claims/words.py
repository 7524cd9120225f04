"""Figures of claims as words: values with their sign and unit, bands, seeds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from twin.reproduction.results import ClaimResult
from twin.verdicts import Verdict

from ..numbers import DASH, MINUS
from ..tables import Bar
from ..texts.claims import BAND, CLAIMS

EXACT = 1.001
"""A band not wider than one unit of its last decimal (and rounding) is told as a figure."""

ROOM = 0.3
"""So much of the width of a band is drawn on each side of what is in the picture."""


def plain(value: float | None, digits: int, signed: bool = False) -> str:
    """A number with so many decimals, and its sign if it is a change."""
    if value is None:
        return DASH
    text = f"{abs(value):,.{digits}f}"
    minus = value < 0 and text.strip("0.,") != ""
    return f"{MINUS}{text}" if minus else f"+{text}" if signed else text


def public(claim: ClaimResult) -> str:
    """The published figure, with a minus where it has one."""
    return re.sub(r"(?<![\w.])-(?=[\d.])", MINUS, claim.public)


def value(figure: Verdict) -> str:
    """Our value without its unit."""
    return plain(figure.value, figure.digits, figure.signed)


def spread(figure: Verdict) -> str:
    """The spread between the seeds; empty where there is none."""
    return f"± {figure.sd:.{figure.digits}f}" if figure.sd else ""


def with_unit(text: str, unit: str) -> str:
    """A number and its unit, if it has one."""
    return f"{text} {unit}".strip()


def band(figure: Verdict) -> str:
    """The band in words."""
    low, high = figure.low, figure.high
    if low is None and high is None:
        return BAND["told"]
    if _is_exact(figure):
        return BAND["exactly"].format(value=_end(figure, ((low or 0) + (high or 0)) / 2))
    if low is None or high is None:
        words = BAND["below"] if low is None else BAND["above"]
        end = _end(figure, high if low is None else low)
        return words.format(low=end, high=end)
    low_text = plain(low, figure.digits, figure.signed)
    return BAND["between"].format(low=low_text, high=_end(figure, high))


def _is_exact(figure: Verdict) -> bool:
    low, high = figure.low, figure.high
    return low is not None and high is not None and high - low <= EXACT * 10**-figure.digits


def _end(figure: Verdict, end: float | None) -> str:
    return with_unit(plain(end, figure.digits, figure.signed), figure.unit)


def bar(figure: Verdict) -> Bar | None:
    """The picture of a value within its band; None where the band is absent or a single figure."""
    value, low, high = figure.value, figure.low, figure.high
    if value is None or (low is None and high is None) or _is_exact(figure):
        return None
    known = [end for end in (low, high, value) if end is not None]
    width = max(known) - min(known) or abs(value) or 1.0
    first, last = min(known) - ROOM * width, max(known) + ROOM * width
    return Bar(
        low=0.0 if low is None else (low - first) / (last - first),
        high=1.0 if high is None else (high - first) / (last - first),
        at=(value - first) / (last - first),
        sd=(figure.sd or 0.0) / (last - first),
        inside=figure.inside,
    )


def trend(inside: bool | None) -> Literal["", "better", "worse"]:
    """How a figure is coloured: by whether it lies in its band."""
    return "" if inside is None else "better" if inside else "worse"


def label(figure: Verdict, about: str) -> str:
    """What tells a figure from the others of its claim; empty for the only one."""
    return figure.about.removeprefix(about).removeprefix(", ")


def seeds(which: Sequence[int]) -> str:
    """Seeds in words."""
    if not which:
        return CLAIMS["no_seed"]
    words = CLAIMS["seed"] if len(which) == 1 else CLAIMS["seeds"]
    return words.format(first=which[0], last=which[-1])


def span(claims: Sequence[str]) -> str:
    """C01, C02, C03, C05 as "C01 to C03, C05"."""
    runs: list[list[str]] = []
    for claim in claims:
        if runs and int(claim[1:]) == int(runs[-1][-1][1:]) + 1:
            runs[-1].append(claim)
        else:
            runs.append([claim])
    return ", ".join(f"{r[0]} to {r[-1]}" if len(r) > 2 else ", ".join(r) for r in runs)


def shown(value: Any) -> str:
    """A value of a setting as text."""
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,g}" if isinstance(value, int | float) else f"{value}"
