"""JSON answers in which nothing but JSON stands, and routes that take nothing else."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

import orjson
from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse, Response

from .strict_json import parse


class Answer(JSONResponse):
    """A JSON answer; NaN and Infinity are null in it."""

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content)


def moment(seconds: float | None) -> str | None:
    """A moment of the wall clock as a text with its zone."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


class StrictRoute(APIRoute):
    """A route whose body, where it is JSON, is read by `strict_json.parse`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        takes_json = self.body_field is not None

        async def strictly(request: Request) -> Response:
            if takes_json:
                body = await request.body()
                if body:
                    request._json = parse(body)
            return await handle(request)

        return strictly
