"""JSON in and out: nothing but JSON is taken, and what cannot be said goes out as null."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse, Response


class Answer(JSONResponse):
    """A JSON answer; NaN and Infinity are null in it."""

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content)


def parse(text: str | bytes) -> Any:
    """What a JSON text says; JSONDecodeError for whatever a careful reader would not take.

    NaN, Infinity and numbers beyond a float are no JSON; of a key given twice nobody can tell which
    was meant; half of a surrogate pair is no text.
    """
    source = text if isinstance(text, str) else _decoded(text)
    try:
        value = json.loads(
            source, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_once,
            parse_int=_whole,
        )  # fmt: skip
        if "\\u" in source:
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise json.JSONDecodeError("nests too deeply", "", 0) from None
    except UnicodeEncodeError:
        raise json.JSONDecodeError("holds half of a surrogate pair", "", 0) from None
    return value


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise json.JSONDecodeError(f"is not UTF-8 (byte {error.start})", "", 0) from None


def _no_number(word: str) -> Any:
    raise json.JSONDecodeError(f"{word} is no number in JSON", "", 0)


def _finite(word: str) -> float:
    number = float(word)
    if not math.isfinite(number):
        raise json.JSONDecodeError(f"{word[:40]} is too large a number", "", 0)
    return number


def _whole(word: str) -> int:
    if len(word) > 40:
        raise json.JSONDecodeError(f"{word[:40]}... is too large a number", "", 0)
    return int(word)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise json.JSONDecodeError(f"the key {twice[:80]!r} is given twice", "", 0)
    return found


class StrictRequest(Request):
    """A request whose JSON is read by `parse`."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = parse(await self.body())
        return self._json


class StrictRoute(APIRoute):
    """A route that reads JSON strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return strictly
