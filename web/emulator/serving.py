"""Every page of the cluster on a loopback port of its own, kept up with the clock.

A target that is down closes the connection without an answer, as a process that is not there.
"""

from __future__ import annotations

import gzip
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from twin.errors import Problem, RunError, TwinError

from .cluster import Cluster, PageDown
from .scraping import FIRST, PortOf
from .targets import Target

HOST = "127.0.0.1"
TICK_S = 0.25
"""The engine is brought up to the clock so often (wall s), so that no scrape waits for it."""

SMALLEST_GZIP = 500
"""Shorter answers are not worth compressing (bytes)."""


class Quiet(BaseHTTPRequestHandler):
    """A handler that answers without a word on the terminal."""

    protocol_version = "HTTP/1.1"
    timeout = 75

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Scrapes come every few seconds: nobody reads a line for each."""

    def answer(self, status: int, body: bytes, content_type: str) -> None:
        """Send an answer, compressed when that is asked for."""
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        if len(body) >= SMALLEST_GZIP and accepts_gzip(self.headers.get("Accept-Encoding", "")):
            body = gzip.compress(body, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self) -> None:
        """Close the connection without an answer."""
        self.close_connection = True


def accepts_gzip(header: str) -> bool:
    """Whether an Accept-Encoding takes gzip."""
    for part in header.lower().split(","):
        name, _, rest = part.partition(";")
        if name.strip() in ("gzip", "*"):
            weight = rest.replace(" ", "")
            return weight not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


class Server(ThreadingHTTPServer):
    """A server whose connections end with the program."""

    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no fault; anything else is told."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


def listen(port: int, handler: type[BaseHTTPRequestHandler]) -> Server:
    """A server on loopback, serving in a thread; RunError when the port is taken."""
    try:
        server = Server((HOST, port), handler)
    except OSError as error:
        remedy = f"cannot be listened on ({error.strerror}): choose another with --port"
        raise RunError(Problem(f"port {port}", "", remedy)) from None
    threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
    return server


def stop(server: Server) -> None:
    """Stop listening."""
    server.shutdown()
    server.server_close()


class Serving:
    """Pages of `cluster` on the ports of `port_of` (0: any free one); use it in a `with`."""

    def __init__(self, cluster: Cluster, port_of: PortOf) -> None:
        self.cluster = cluster
        self.port_of = port_of
        self.lock = threading.Lock()
        self.servers: dict[Target, Server] = {}
        self.stopped = threading.Event()

    def __enter__(self) -> Serving:
        try:
            self.open_new()
        except RunError:
            self.close()
            raise
        self.ticking = threading.Thread(target=self._tick, daemon=True)
        self.ticking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.ticking.join()
        self.close()

    def close(self) -> None:
        """Stop listening; each server takes a moment, so all do it at once."""
        with ThreadPoolExecutor(max(1, len(self.servers))) as stoppers:
            list(stoppers.map(stop, self.servers.values()))
        self.servers.clear()

    def open_new(self) -> None:
        """Listen for targets that have come since."""
        for target in self.cluster.targets():
            if target not in self.servers:
                _check_room(target)
                self.servers[target] = listen(self.port_of(target), self._handler(target))

    def port(self, target: Target) -> int:
        """Where a target really listens."""
        return self.servers[target].server_address[1]

    def _tick(self) -> None:
        told = ""
        while not self.stopped.wait(TICK_S):
            try:
                with self.lock:
                    self.cluster.advance_to(self.cluster.clock())
                    self.open_new()
            except TwinError as error:  # a script or a turn that cannot be: the rest goes on
                if str(error) != told:
                    told = str(error)
                    print(told, file=sys.stderr)

    def _handler(self, target: Target) -> type[BaseHTTPRequestHandler]:
        cluster, lock = self.cluster, self.lock

        class Pages(Quiet):
            def do_GET(self) -> None:
                if self.path.partition("?")[0] != "/metrics":
                    self.answer(404, b"the page is at /metrics\n", "text/plain; charset=utf-8")
                    return
                try:
                    with lock:
                        text = cluster.page(target.role, target.instance)
                except PageDown:
                    self.hang_up()
                    return
                self.answer(200, text.encode(), cluster.content_type(target.role))

        return Pages


def _check_room(target: Target) -> None:
    if target.instance >= 100:
        most = f"at most 100 instances of a role can be served, from port +{FIRST[target.role]}"
        raise RunError(Problem(target.role, f"{target.instance + 1} instances", most))
