"""A running service for the tests of this folder: the API alone, in a thread, on a free port."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from db.opening import open_store
from tests.postgres import free_port
from web.api.app import make_api
from web.api.auth import Guard
from web.api.house import House
from web.api.live_twin import LiveTwin
from web.client import Client
from web.settings import Settings

WAIT_S = 60.0


class Server:
    """The service, and a way into its event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.house = House(settings, open_store(settings.database_address))
        self.loop: asyncio.AbstractEventLoop | None = None
        self.opened = threading.Event()
        app = Starlette(routes=[Mount("/api", make_api(self.house))], lifespan=self._lifespan)
        config = uvicorn.Config(
            Guard(app, settings), host=settings.host, port=settings.port, log_level="warning",
            ws="websockets-sansio", timeout_graceful_shutdown=5,
        )  # fmt: skip
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette):
        self.loop = asyncio.get_running_loop()
        async with self.house.opened():
            self.opened.set()
            yield

    def start(self) -> None:
        self.thread.start()
        assert self.opened.wait(WAIT_S)
        with self.client() as client:
            for _ in range(100):
                with contextlib.suppress(Exception):
                    client.health()
                    return
                threading.Event().wait(0.05)

    def stop(self) -> None:
        self.house.stopping.set()
        self.server.should_exit = True
        self.thread.join(WAIT_S)
        assert not self.thread.is_alive()

    def client(self, token: str | None = None) -> Client:
        return Client(self.settings.address, token)

    def call(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Carry out something on the server's own loop."""
        assert self.loop is not None
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(WAIT_S)

    def twin(self, name: str) -> LiveTwin:
        return self.house.twins.twins[name]

    def advance(self, name: str, until_s: float) -> None:
        """Take a twin to a simulated time as fast as can be."""
        self.call(self.twin(name).advance(until_s))


@pytest.fixture(scope="session")
def serve(tmp_path_factory) -> Iterator[Callable[..., Server]]:
    """Starts services; they are stopped at the end."""
    started: list[Server] = []

    def start(**settings: Any) -> Server:
        settings.setdefault("data", tmp_path_factory.mktemp("data"))
        server = Server(Settings(port=free_port(), **settings))
        server.start()
        started.append(server)
        return server

    yield start
    for server in started:
        if server.thread.is_alive():
            server.stop()


@pytest.fixture(scope="session")
def server(serve) -> Server:
    """One service that many tests share; each makes its own twins."""
    return serve(spares=2, most_twins=40)


@pytest.fixture
def client(server) -> Iterator[Client]:
    with server.client() as client:
        yield client


@pytest.fixture
def live(client):
    """Opens live connections that are closed again."""
    with contextlib.ExitStack() as stack:
        yield lambda twin="default": stack.enter_context(client.live(twin))


@pytest.fixture(scope="session")
def _small(server) -> Iterator[str]:
    with server.client() as client:
        yield client.make_twin("pdd_43a_32b", "same_dc_88a", set={"workload.clients": 40})["id"]


@pytest.fixture
def small(client, server, _small) -> str:
    """A running twin of a small deployment at its first second, paused: a test alone moves it."""
    client.change_twin(_small, paused=True, pace=10)
    client.rewind(_small, 0)  # takes back what other tests have done after it
    server.advance(_small, 1)
    return _small
