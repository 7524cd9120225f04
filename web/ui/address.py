"""Values as they stand in an address: the same words as those of the running twin's page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from twin.settings import find

SWITCHES = {"on": True, "off": False}


def in_words(value: Any) -> str:
    """A value as a text for an address."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float | int):
        return f"{value:.8g}"
    if isinstance(value, list | tuple):
        return "-".join(f"{share:.4g}" for share in value)
    return str(value)


def read_value(text: str, like: Any) -> Any:
    """The value that a text stands for, of the kind of `like`; the text itself when it is none."""
    if isinstance(like, bool):
        return SWITCHES.get(text, text)
    if isinstance(like, float | int):
        number = _number(text)
        return text if number is None else int(number) if isinstance(like, int) else number
    if isinstance(like, list | tuple):
        numbers = [_number(part) for part in text.split("-")]
        return text if None in numbers else numbers
    return text


def value_like(value: Any, like: Any) -> bool:
    """Whether a value is of the kind of `like` (None: any kind)."""
    if like is None or isinstance(like, str):
        return True
    return not isinstance(value, str)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


LIKE: Mapping[str, Any] = {
    "number": 0.0, "whole": 0, "switch": False, "numbers": [0.0], "choice": "", "text": "",
    "name": "",
}  # fmt: skip


def like_setting(path: str) -> Any:
    """A value of the kind that a setting of a scenario takes; None when it is no setting."""
    if path in ("model", "line") or path.endswith(".chip"):
        return ""  # a part by its name
    found = find(path)
    return None if found is None else LIKE.get(found.kind)


def link(page: str, values: Mapping[str, Any]) -> str:
    """The address of a page with these values."""
    query = urlencode({name: in_words(value) for name, value in values.items()})
    return f"/{page}?{query}" if query else f"/{page}"
