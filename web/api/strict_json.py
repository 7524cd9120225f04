"""Reads JSON as its definition has it, and tells what is wrong by its place.

NaN, Infinity and numbers beyond a float are no JSON; of a key given twice nobody can tell which was
meant; half of a surrogate pair is no text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, NoReturn

from twin.errors import Problem, TwinError, shown

DEEPEST = 64

LONGEST_WHOLE = 40
"""Digits of a whole number that is read; no setting has bounds beyond it."""

LONGEST_WORD = 40


class JsonError(TwinError):
    """A text is not JSON, or holds what JSON has not."""


class _NoNumber(float):
    """Stands for a number that is none, until its place is known."""

    word = ""
    remedy = "give a finite number"


def parse(text: str | bytes, what: str = "the body") -> Any:
    """What a JSON text says; JsonError for whatever a careful reader would not take."""
    source = text if isinstance(text, str) else _decoded(text, what)
    try:
        value = json.loads(
            source, parse_constant=_no_number, parse_float=_number, parse_int=_whole,
            object_pairs_hook=_once,
        )  # fmt: skip
        wrong = list(_no_numbers(value))
        if "\\u" in source:
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        place = f"{what}, line {error.lineno}, column {error.colno}"
        _refuse(place, "", f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]}")
    except RecursionError:
        _refuse(what, f"nested deeper than {DEEPEST} levels", "write it flatter")
    except UnicodeEncodeError:
        _refuse(what, "no text", "a surrogate stands without its other half")
    for place, none in wrong:
        _refuse(place or what, none.word[:LONGEST_WORD], none.remedy)
    return value


def _refuse(place: str, found: str, remedy: str) -> NoReturn:
    raise JsonError(Problem(place, found, remedy)) from None


def _decoded(text: bytes, what: str) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse(what, "not UTF-8", f"byte {error.start} is not")


def _no_number(word: str) -> float:
    number = _NoNumber("nan")
    number.word = word
    return number


def _number(word: str) -> float:
    number = float(word)
    return number if math.isfinite(number) else _no_number(word)


def _whole(word: str) -> int | float:
    digits = len(word.lstrip("-"))
    if digits <= LONGEST_WHOLE:
        return int(word)
    number = _NoNumber("nan")
    number.word, number.remedy = f"a number of {digits} digits", "give one within its bounds"
    return number


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        _refuse(shown(twice), "given twice", "keep one")
    return found


def _no_numbers(value: Any, place: str = "", depth: int = 0) -> Iterator[tuple[str, _NoNumber]]:
    """Place and word of everything that is no number."""
    if depth > DEEPEST:
        raise RecursionError
    if isinstance(value, _NoNumber):
        yield place, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _no_numbers(item, f"{place}.{name}" if place else str(name), depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _no_numbers(item, f"{place}[{index}]", depth + 1)
