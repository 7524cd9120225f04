"""Starts the service: the one place where the API and the pages come together."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamlit import App

    from .api.house import House
    from .settings import Settings

PAGES = Path(__file__).parent / "ui"

CANNOT_START = 2
"""Exit code when something a person can mend keeps the service from starting."""


def streamlit_config(settings: Settings) -> dict[str, Any]:
    """What Streamlit is told; it hears nothing from its own variables when started this way."""
    from .ui.theme import THEME

    return {
        **THEME,
        "server.address": settings.host,
        "server.port": settings.port,
        "server.headless": True,
        "server.fileWatcherType": "none",  # walks all modules on the event loop otherwise
        "server.maxUploadSize": 16,
        "server.enableStaticServing": False,
        "server.enableXsrfProtection": True,
        "server.enableCORS": True,
        "runner.postScriptGC": False,  # a whole collection after every rerun otherwise
        "browser.gatherUsageStats": False,
        "client.toolbarMode": "viewer",
        "client.showErrorDetails": "none",
        "logger.hideWelcomeMessage": True,
    }


def make_app(house: House) -> App:
    """Pages, API and assets in one application on one port."""
    from starlette.middleware import Middleware
    from starlette.routing import Mount, Route
    from streamlit import App

    from .api.app import make_api
    from .api.auth import Guard
    from .ui.serving import Assets

    @contextlib.asynccontextmanager
    async def lifespan(_: App) -> AsyncIterator[None]:
        async with house.opened():
            house.stop_with(signal.SIGINT, signal.SIGTERM)
            print(_ready(house), flush=True)
            yield

    return App(
        PAGES / "page.py",
        lifespan=lifespan,
        routes=[
            Mount("/api", make_api(house)),
            Route("/assets/plotly.min.js", _plotly),
            Mount("/assets", Assets(directory=PAGES / "assets")),
        ],
        middleware=[Middleware(Guard, settings=house.settings)],
    )


async def _plotly(_: Any) -> Any:
    """Plotly's own script from its package; 5 MB are not worth compressing for each reader."""
    from starlette.responses import FileResponse

    spec = find_spec("plotly")
    assert spec is not None and spec.origin is not None
    script = Path(spec.origin).parent / "package_data" / "plotly.min.js"
    headers = {"Cache-Control": "public, max-age=86400", "Content-Encoding": "identity"}
    return FileResponse(script, media_type="text/javascript", headers=headers)


def _ready(house: House) -> str:
    settings = house.settings
    place = "a database of your own" if settings.database else settings.data
    return f"The twin runs at {settings.address} and keeps its data in {place}; Ctrl-C stops it."


def port_problem(settings: Settings) -> str | None:
    """Why the port cannot be listened on, in one sentence; None when it can."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        if os.name != "nt":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            reason = (
                "is taken by another program" if taken else f"cannot be used ({error.strerror})"
            )
            place = f"Port {settings.port} of {settings.host}"
            return f"{place} {reason}: set PDD_TWIN_PORT to a free one."
    return None


def _quiet(record: logging.LogRecord) -> bool:
    """Only what somebody has to know: the server's own progress is not."""
    return record.levelno >= logging.WARNING


def main() -> int:
    """Serve until Ctrl-C or SIGTERM; the exit code."""
    try:
        return _serve()
    except KeyboardInterrupt:
        return 0


def _serve() -> int:
    from db.opening import open_store
    from twin.errors import TwinError

    from .settings import read

    signal.signal(signal.SIGTERM, _end)
    try:
        settings = read(os.environ)
        told = port_problem(settings)
        if told is not None:
            return _cannot(told)
        store = open_store(settings.database_address)
    except TwinError as error:
        return _cannot(str(error))
    for note in store.notes:
        print(note, file=sys.stderr)
    for name in ("uvicorn.error", "uvicorn"):
        logging.getLogger(name).addFilter(_quiet)

    from .api.house import House

    make_app(House(settings, store)).run(config=streamlit_config(settings))
    return 0


def _end(*_: Any) -> None:
    sys.exit(0)


def _cannot(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return CANNOT_START


if __name__ == "__main__":
    sys.exit(main())
