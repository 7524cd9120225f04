"""The control endpoint: turn hidden settings, provoke troubles, ask for the truth.

POST /turn {setting, value} · POST /happen {what, ...} · GET /truth?window_s=600 · GET /targets.
It listens on loopback and takes JSON only, so that no page in a browser can reach it unasked.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from twin.errors import TwinError

from .cluster import Cluster
from .serving import Quiet
from .truth import truth

MOST_BODY_BYTES = 65_536
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class _Asked(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Turn(_Asked):
    """A live setting and its new value."""

    setting: str
    value: Any


class Happening(_Asked):
    """Something that happens now; without a role or an instance to all where that makes sense."""

    what: Literal[
        "restart", "counter_reset", "missing_scrapes", "rename",
        "line_cut", "line_back", "instance_lost", "instance_back",
    ]  # fmt: skip
    role: str | None = None
    instance: int | None = Field(None, ge=0)
    for_s: float = Field(10.0, gt=0, le=86_400)
    version: str = "0.10"


class BadRequest(Exception):
    """A request that is answered with a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def happen(cluster: Cluster, asked: Happening) -> None:
    """Carry out what was asked; TwinError when it cannot be."""
    role, instance = asked.role or "", asked.instance or 0
    if asked.what == "restart":
        cluster.restart(role, instance, asked.for_s)
    elif asked.what == "counter_reset":
        cluster.reset(role, instance)
    elif asked.what == "missing_scrapes":
        cluster.miss(asked.role, asked.instance, asked.for_s)
    elif asked.what == "rename":
        cluster.rename(asked.version, asked.role, asked.instance)
    else:
        cluster.fail(asked.what, asked.role, instance)


class Control:
    """Answers of the control endpoint, as (status, plain data)."""

    def __init__(self, cluster: Cluster, lock: threading.Lock) -> None:
        self.cluster = cluster
        self.lock = lock

    def get(self, path: str) -> Any:
        """The answer to a GET."""
        parts = urlsplit(path)
        with self.lock:
            if parts.path == "/truth":
                return self._truth(parse_qs(parts.query))
            if parts.path == "/targets":
                return [target._asdict() for target in self.cluster.targets()]
        raise BadRequest(404, "there are GET /truth and /targets, POST /turn and /happen")

    def _truth(self, query: dict[str, list[str]]) -> Any:
        try:
            window_s = float(query.get("window_s", ["600"])[0])
        except ValueError:
            window_s = -1.0
        if not 0 < window_s <= 1e9:
            raise BadRequest(422, "window_s must be a number of seconds above 0")
        self.cluster.advance_to(self.cluster.clock())
        return truth(self.cluster.sim, window_s) | {
            "seed": self.cluster.seed, "pace": self.cluster.pace
        }  # fmt: skip

    def post(self, path: str, body: bytes) -> Any:
        """The answer to a POST."""
        doing: dict[str, Callable[[bytes], None]] = {"/turn": self._turn, "/happen": self._happen}
        what = doing.get(urlsplit(path).path)
        if what is None:
            raise BadRequest(404, "there are POST /turn and /happen")
        try:
            with self.lock:
                what(body)
        except ValidationError as error:
            told = "; ".join(
                f"{'.'.join(map(str, e['loc'])) or 'body'}: {e['msg']}"
                for e in error.errors(include_url=False, include_input=False)
            )
            raise BadRequest(422, told) from None
        except TwinError as error:
            raise BadRequest(422, str(error)) from None
        return {"done": True}

    def _turn(self, body: bytes) -> None:
        asked = Turn.model_validate_json(body)
        self.cluster.turn(asked.setting, asked.value)

    def _happen(self, body: bytes) -> None:
        happen(self.cluster, Happening.model_validate_json(body))


def _refuse(error: BadRequest) -> None:
    raise error


def handler(control: Control) -> type[BaseHTTPRequestHandler]:
    """A handler of HTTP requests for the control endpoint."""

    class Controls(Quiet):
        def do_GET(self) -> None:  # noqa: N802
            self._say(lambda: control.get(self.path))

        def do_POST(self) -> None:  # noqa: N802
            try:
                body = self._body()
            except BadRequest as error:
                self._say(partial(_refuse, error))
                return
            self._say(lambda: control.post(self.path, body))

        def _say(self, work: Callable[[], Any]) -> None:
            try:
                self._check_host()
                status, said = 200, work()
            except BadRequest as error:
                status, said = error.status, {"error": str(error)}
            text = json.dumps(said, allow_nan=False) + "\n"
            self.answer(status, text.encode(), "application/json")

        def _check_host(self) -> None:
            host = (self.headers.get("Host") or "").rpartition(":")[0] or self.headers.get("Host")
            if host not in LOOPBACK:
                raise BadRequest(403, "ask for 127.0.0.1")

        def _body(self) -> bytes:
            kind = (self.headers.get("Content-Type") or "").partition(";")[0].strip().lower()
            length = self.headers.get("Content-Length") or ""
            if not length.isdigit() or int(length) > MOST_BODY_BYTES:
                self.close_connection = True  # it stays unread
                raise BadRequest(413, f"send at most {MOST_BODY_BYTES:,} bytes with their length")
            body = self.rfile.read(int(length))
            if kind != "application/json":
                raise BadRequest(415, "send application/json")
            return body

    return Controls
