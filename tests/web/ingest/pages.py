"""A small site of pages for tests: what stands at a path can be changed, or fail, at any time."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Page = tuple[int, dict[str, str], bytes]
Answer = Page | Callable[[BaseHTTPRequestHandler], Page]


class Site:
    """Pages by path; `asked` are the requests that came, as (path, headers, body)."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.pages: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, str], bytes]] = []
        self.delay_s: dict[str, float] = {}

    def put(self, path: str, body: bytes | str, status: int = 200, **headers: str) -> None:
        """What is answered at a path from now on."""
        raw = body.encode() if isinstance(body, str) else body
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = status, named, raw


@contextlib.contextmanager
def site() -> Iterator[Site]:
    """A site on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            path = self.path.partition("?")[0]
            headers = {name.lower(): value for name, value in self.headers.items()}
            there.asked.append((self.path, headers, body))
            time.sleep(there.delay_s.get(path, 0))
            page = there.pages.get(path, (404, {}, b"404 page not found"))
            status, sent, raw = page(self) if callable(page) else page
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.send_response(status)
                for name, value in ({"content-type": "text/plain"} | sent).items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

        do_GET = do_POST = answer  # noqa: N815 - the server asks for these names

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    there = Site(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield there
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
