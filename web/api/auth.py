"""Who may ask, and who may change something: host names, origins, the shared token.

A page of another site must not drive a twin on this machine: its requests carry its own Origin, or
a Host that is not ours. Nothing here ever writes a token anywhere.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from twin.errors import shown

from ..settings import Settings
from .errors import ApiError, answer

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
DEFAULT_PORTS = {"http": 80, "https": 443}


def host_name(host: str) -> str:
    """The name in a Host header, without its port."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


def check_host(settings: Settings, headers: Headers) -> None:
    """ApiError when the service is asked under a name that is not its own."""
    allowed = settings.allowed_hosts
    host = headers.get("host", "")
    if allowed and host_name(host) not in allowed:
        message = (
            f"this service is not asked as {shown(host)}; whoever runs it can allow that name "
            "with PDD_TWIN_HOSTS"
        )
        raise ApiError("forbidden", message)


def check_origin(headers: Headers) -> None:
    """ApiError when a page of another origin asks."""
    origin = headers.get("origin")
    if origin is None:
        return
    parts = urlsplit(origin)
    host = headers.get("host", "").lower()
    port = DEFAULT_PORTS.get(parts.scheme)
    same = {parts.netloc.lower(), parts.netloc.lower().removesuffix(f":{port}")}
    if not parts.netloc or not same & {host, host.removesuffix(f":{port}")}:
        raise ApiError("forbidden", f"a page of {shown(origin)} may not do this here")


def check_path(path: str) -> None:
    """ApiError when no address has such a path; a newline would lead out of the API's routes."""
    steps = path.replace("\\", "/").split("/")
    if ".." in steps or any(char < " " for char in path):
        raise ApiError("not_found", f"there is nothing at {shown(path)}")


def check_token(settings: Settings, headers: Headers) -> None:
    """ApiError when a token is needed and not given."""
    if not knows_token(settings, headers):
        raise ApiError(
            "unauthorized",
            "whoever changes something here must send the token: Authorization: Bearer ...",
            headers={"WWW-Authenticate": "Bearer"},
        )


def knows_token(settings: Settings, headers: Headers) -> bool:
    """Whether the request may change something."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    given = token.strip() if scheme.lower() == "bearer" else ""
    return is_token(settings, given)


def is_token(settings: Settings, given: str) -> bool:
    """Whether `given` is the token; without one everything is. Takes the same time for all."""
    if settings.token is None:
        return True
    return hmac.compare_digest(given.encode(), settings.token.get_secret_value().encode())


class Guard:
    """Stands before the whole service, page and API, over HTTP and WebSocket."""

    def __init__(
        self, app: ASGIApp, settings: Settings, guarded: Iterable[str] = ("/api",)
    ) -> None:
        self.app = app
        self.settings = settings
        self.guarded = tuple(guarded)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through what may pass."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        try:
            self._check(scope)
        except ApiError as error:
            await answer(error)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        check_host(self.settings, headers)
        check_path(scope["path"])
        if scope["type"] == "websocket":
            check_origin(headers)
        elif scope["method"] not in SAFE_METHODS:
            check_origin(headers)
            if scope["path"].startswith(self.guarded):
                check_token(self.settings, headers)
