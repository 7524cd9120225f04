"""Checks on untrusted fields of a trace: every complaint names line, field, value and remedy."""

from __future__ import annotations

import json
from typing import Any

from ..errors import Problem, TraceError, shown

MAX_PROBLEMS = 50
"""Problems told one by one; further ones are only counted."""

MAX_TOKENS = 100_000_000
"""Longest prompt or output that is believed, in tokens (assumed: far above any real context)."""

MAX_SECONDS = 1e9
"""Longest time that is believed, in seconds (some 32 years)."""

ID_LEAST, ID_MOST = -(2**63), 2**64 - 1
"""Block ids are 64 bits, signed or unsigned."""


class Complaints:
    """What is wrong with a trace so far; the first `MAX_PROBLEMS` are kept, all are counted."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.count = 0

    def add(self, place: str, value: Any, remedy: str) -> None:
        """Complain of a value; a value that is text of our own is passed as `Found`."""
        self.count += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(place, seen(value), remedy))

    def take(self, error: TraceError) -> None:
        """Add the problems that ended the reading."""
        self.count += len(error.problems)
        self.problems.extend(error.problems)

    def error(self, name: str) -> TraceError:
        """All of it as one error on the trace called `name`."""
        told = list(self.problems)
        if self.count > len(told):
            more = f"and {self.count - len(told):,} more"
            told.append(Problem(more, "", "put the ones above right first"))
        return TraceError(told, f"{name} cannot be read as a trace; nothing of it was kept.")


class Found(str):
    """Words of ours in the place of a value, shown as they are."""


ABSENT = Found("absent")


def seen(value: Any) -> str:
    """A value as it stands in the file, short."""
    if isinstance(value, Found):
        return str(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return shown(value)


class _Constant(ValueError):
    """NaN or an infinity in JSON."""


def _refuse_constant(text: str) -> Any:
    raise _Constant(text)


def parse_json(text: str) -> Any:
    """The JSON value in a text, integers exact; ValueError with a sentence for a person.

    NaN and Infinity are refused: JSON does not have them.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except _Constant as bad:
        raise ValueError(f"must be JSON, which has no {bad}") from None
    except json.JSONDecodeError as bad:
        at = f"column {bad.colno}" if bad.lineno == 1 else f"line {bad.lineno}"
        raise ValueError(f"must be JSON ({bad.msg}, {at})") from None
    except RecursionError:
        raise ValueError("must be JSON that is not nested so deeply") from None
    except ValueError:
        raise ValueError("must be JSON with numbers of sensible length") from None


def parse_object(text: str, place: str, complaints: Complaints) -> dict[str, Any] | None:
    """The JSON object of a line, or None after a complaint."""
    try:
        value = parse_json(text)
    except ValueError as bad:
        complaints.add(place, text, str(bad))
        return None
    if not isinstance(value, dict):
        complaints.add(place, text, "must be a JSON object {...}")
        return None
    return value


class Fields:
    """The fields of one object, checked as they are taken; `sound` tells if all were right.

    A wrong field gives a harmless value, so that all fields of a line are complained of at once.
    """

    def __init__(self, row: dict[str, Any], place: str, complaints: Complaints) -> None:
        self.row = row
        self.place = place
        self.sound = True
        self._complaints = complaints

    def wrong(self, name: str, value: Any, remedy: str) -> None:
        """Complain of a field."""
        self.sound = False
        self._complaints.add(f"{self.place}, {name}", value, remedy)

    def tokens(self, name: str, least: int) -> int:
        """A number of tokens, a whole number from `least` to `MAX_TOKENS`."""
        value = self.row.get(name, ABSENT)
        if type(value) is int and least <= value <= MAX_TOKENS:
            return value
        self.wrong(name, value, f"must be a whole number of tokens, {least} to {MAX_TOKENS:,}")
        return least

    def time(self, name: str, most: float, what: str) -> float:
        """A finite time from 0 to `most`; `what` says its unit and origin."""
        value = self.row.get(name, ABSENT)
        if type(value) in (int, float) and 0 <= value <= most:  # false for what is not finite
            return float(value)
        self.wrong(name, value, f"must be {what}, 0 to {most:,.0f}")
        return 0.0

    def optional_time(self, name: str, most: float, what: str) -> float | None:
        """As `time`, but None where the field is absent or null."""
        return None if self.row.get(name) is None else self.time(name, most, what)

    def ids(self, name: str) -> list[int]:
        """A list of 64-bit block ids."""
        value = self.row.get(name, ABSENT)
        if not isinstance(value, list):
            self.wrong(name, value, "must be a list of block ids [1, 2, ...]")
            return []
        for i, one in enumerate(value):
            if type(one) is not int or not ID_LEAST <= one <= ID_MOST:
                self.wrong(f"{name}[{i}]", one, "must be a whole number of at most 64 bits")
                return []
        return value

    def label(self, name: str) -> str | None:
        """A short text or a whole number that names something; None where absent or null."""
        value = self.row.get(name)
        if value is None or (isinstance(value, str) and _is_label(value)):
            return value
        if type(value) is int:
            return str(value)
        self.wrong(name, value, "must be a text of 1 to 200 printable characters, or a number")
        return None

    def objects(self, name: str) -> list[Any]:
        """A list; its items are checked by whoever takes them."""
        value = self.row.get(name, ABSENT)
        if isinstance(value, list):
            return value
        self.wrong(name, value, "must be a list of requests [{...}, ...]")
        return []

    def constant(self, name: str, right: int | str, *, needed: bool) -> None:
        """A field that may have one value only."""
        value = self.row.get(name, ABSENT)
        if value is ABSENT and not needed:
            return
        if type(value) is not type(right) or value != right:
            self.wrong(name, value, f"must be {json.dumps(right)}")


def _is_label(text: str) -> bool:
    return 0 < len(text) <= 200 and text.isprintable()
