"""JSON answers in which nothing but JSON stands."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
from starlette.responses import JSONResponse


class Answer(JSONResponse):
    """A JSON answer; NaN and Infinity are null in it."""

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content)


def moment(seconds: float | None) -> str | None:
    """A moment of the wall clock as a text with its zone."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
