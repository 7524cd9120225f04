"""Taking bodies of requests: no more of one is read than is allowed, and JSON strictly."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.types import Message, Receive

from .errors import ApiError
from .strict_json import parse

MOST_BYTES = 1_000_000
"""Largest body but that of a trace."""


def _too_large() -> ApiError:
    return ApiError("too_large", f"a request has at most {MOST_BYTES:,} bytes here")


def at_most(receive: Receive, most: int, error: ApiError) -> Receive:
    """`receive`, which raises `error` once it has given more than `most` bytes."""
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise error
        return message

    return limited


def refuse_if_told_larger(request: Request, most: int, error: ApiError) -> None:
    """Raise `error` before anything is read, when the request itself says that it is larger."""
    told = request.headers.get("content-length", "")
    if told.isdigit() and int(told) > most:
        raise error


class StrictRoute(APIRoute):
    """A route whose body, where it takes one, is small and is read by `strict_json.parse`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        takes_json = self.body_field is not None

        async def strictly(request: Request) -> Response:
            if not takes_json:
                return await handle(request)
            refuse_if_told_larger(request, MOST_BYTES, _too_large())
            strict = Request(request.scope, at_most(request.receive, MOST_BYTES, _too_large()))
            body = await strict.body()
            if body:
                strict._json = parse(body)
            return await handle(strict)

        return strictly
