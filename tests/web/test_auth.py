"""Who may ask and who may change something: names, origins, the token."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr
from starlette.responses import PlainTextResponse

from web.api.auth import Guard, host_name
from web.client import Client, ClientError
from web.settings import Settings

TOKEN = "quite a secret token"
BANDWIDTH = "line.bandwidth_gbps"


class Guarded:
    """A service that lets everything through which the guard lets through."""

    def __init__(self, **settings):
        self.app = Guard(self.passed, Settings(data=Path("x"), **settings))

    async def passed(self, scope, receive, send):
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
        else:
            await PlainTextResponse("passed")(scope, receive, send)

    def ask(self, method, path, headers=()):
        async def ask():
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url=ADDRESS) as client:
                return await client.request(method, path, headers=dict(headers))

        return asyncio.run(ask())

    def opens_websocket(self, **headers):
        told = {"host": "127.0.0.1:8501", **headers}
        raw = [(name.encode(), value.encode()) for name, value in told.items()]
        scope = {"type": "websocket", "path": "/api/twins/default/live", "headers": raw}
        sent = []

        async def send(message):
            sent.append(message)

        async def receive():
            return {"type": "websocket.connect"}

        asyncio.run(self.app(scope, receive, send))
        return sent[0]["type"] == "websocket.accept"


guarded = Guarded
ADDRESS = "http://127.0.0.1:8501"
OPEN_TO_ALL = {"host": "0.0.0.0", "token": SecretStr(TOKEN)}


@pytest.mark.parametrize(
    ("host", "name"),
    [("a.b:80", "a.b"), ("A.b", "a.b"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]"), ("", "")],
)
def test_the_name_in_a_host(host, name):
    assert host_name(host) == name


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8501", 200), ("localhost:8501", 200), ("LOCALHOST", 200), ("[::1]:8501", 200),
        ("evil.example", 403), ("evil.example:8501", 403), ("127.0.0.1.evil.example", 403),
        ("", 403), ("localhost.", 403),
    ],
)  # fmt: skip
def test_on_loopback_only_names_of_loopback_are_asked_for(host, status):
    client = guarded()
    for path in ("/", "/api/twins"):
        answer = client.ask("GET", path, headers={"Host": host})
        assert answer.status_code == status
    if status == 403:
        assert answer.json()["error"]["code"] == "forbidden"


def test_other_names_can_be_allowed():
    client = guarded(hosts="twin.example")
    assert client.ask("GET", "/", headers={"Host": "twin.example"}).status_code == 200
    assert client.ask("GET", "/", headers={"Host": "other.example"}).status_code == 403
    assert (
        guarded(**OPEN_TO_ALL).ask("GET", "/", headers={"Host": "any.example"}).status_code == 200
    )


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200), ("http://127.0.0.1:8501", 200),
        ("http://127.0.0.1:9999", 403), ("http://localhost:8501", 403),
        ("http://evil.example", 403), ("null", 403), ("http://127.0.0.1:8501.evil.example", 403),
        ("", 403),
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/api/twins", "/_stcore/upload_file/x"])
def test_pages_of_other_origins_change_nothing(origin, status, method, path):
    headers = {} if origin is None else {"Origin": origin}
    assert guarded().ask(method, path, headers=headers).status_code == status


def test_default_ports_are_the_same_origin():
    client = guarded(hosts="twin.example")
    for host, origin in (
        ("twin.example", "https://twin.example"),
        ("twin.example", "http://twin.example:80"),
        ("twin.example:443", "https://twin.example"),
    ):
        headers = {"Host": host, "Origin": origin}
        assert client.ask("POST", "/api/x", headers=headers).status_code == 200, origin


def test_pages_of_other_origins_open_no_websocket():
    service = guarded()
    assert service.opens_websocket()
    assert service.opens_websocket(origin=ADDRESS)
    assert not service.opens_websocket(origin="http://evil.example")
    assert not service.opens_websocket(origin="null")
    assert not service.opens_websocket(host="evil.example")


def test_a_path_with_a_newline_leads_nowhere():
    answer = guarded().ask("GET", "/api/runs/%0Ax")
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == r"there is nothing at '/api/runs/\nx'"


@pytest.mark.parametrize("path", ["/api/twins/..%2f..", "/api/%2e%2e/x", "/api/a%5c..%5cb"])
def test_a_path_that_leads_upwards_leads_nowhere(path):
    answer = guarded().ask("GET", path)
    assert answer.status_code == 404
    assert answer.json()["error"]["message"].startswith("there is nothing at '/api/")


def test_reading_needs_no_token_and_writing_does():
    client = guarded(**OPEN_TO_ALL)
    assert client.ask("GET", "/api/twins").status_code == 200
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        answer = client.ask(method, "/api/twins")
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "unauthorized"
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        given = {"Authorization": f"Bearer {TOKEN}"}
        assert client.ask(method, "/api/twins", headers=given).status_code == 200


@pytest.mark.parametrize(
    "given", ["", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer", f"Bearer {TOKEN[:-1]}"]
)
def test_what_is_not_the_token(given):
    client = guarded(**OPEN_TO_ALL)
    assert client.ask("POST", "/api/twins", headers={"Authorization": given}).status_code == 401
    assert client.ask("POST", f"/api/twins?token={TOKEN}").status_code == 401  # never in an address


@pytest.fixture
def locked(server, monkeypatch):
    """The shared server with a token, as far as its WebSocket goes."""
    changed = server.settings.model_copy(update={"token": SecretStr(TOKEN)})
    monkeypatch.setattr(server.house, "settings", changed)
    return server


def test_a_viewer_looks_without_a_token_and_turns_with_it(locked, client, small, live, caplog):
    caplog.set_level(logging.DEBUG)
    viewer = live(small)
    viewer.until("hello")
    before = client.digest(small)
    for do, more in (
        ("turn", {"setting": BANDWIDTH, "value": 5}),
        ("set", {"values": {BANDWIDTH: 5}}),
        ("happen", {"what": "line_cut"}),
        ("pace", {"value": 20}),
        ("play", {}),
        ("rewind", {"to_s": 0}),
        ("fork", {}),
    ):
        with pytest.raises(ClientError) as refused:
            viewer.do(do, "nothing", **more)
        assert refused.value.code == "unauthorized"
    assert client.digest(small) == before
    assert viewer.do("forecast", "forecast", horizon_s=5)["to_s"] > 0
    with pytest.raises(ClientError, match="this is not the token"):
        viewer.do("auth", "authorized", token="some other token")
    viewer.do("auth", "authorized", token=TOKEN)
    assert viewer.turn(BANDWIDTH, 5)["entry"]["value"] == 5
    with Client(locked.settings.address, TOKEN) as known, known.live(small) as other:
        assert other.turn(BANDWIDTH, 6)["entry"]["value"] == 6
    assert TOKEN not in "".join(
        r.getMessage() for r in caplog.records if r.name != "websockets.client"
    )
    number = viewer.send("reset")
    assert viewer.until("moved", id=number)["twin"] == "default"
