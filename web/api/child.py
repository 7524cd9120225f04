"""What runs in every worker process: it gets ready, waits to be told what it is, and is that."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

from .wire import Ended, Wire

LOOK_EVERY_S = 0.5
"""How often it is checked that the server is still there."""


def main(connection: socket.socket, server: int) -> None:
    """Serve the process `server` over `connection`; ends with it, however that ends."""
    _mind_signals()
    forget_own_folders()
    threading.Thread(target=_watch, args=(server,), daemon=True).start()
    from . import forecast_worker, job_worker, twin_worker

    roles = {
        "twin": twin_worker.work,
        "forecasts": forecast_worker.work,
        "job": job_worker.work,
    }
    wire = Wire(connection)
    with contextlib.suppress(Ended):
        wire.send(("ready",))
        message = wire.receive(None)
        if message is not None:
            roles[message[0]](wire)


def forget_own_folders() -> None:
    """Take folders inside this package off the search path, where `numbers.py` hides another one.

    Streamlit puts that of the pages there while it runs a page, and a process that is started in
    that moment inherits it.
    """
    package = Path(__file__).resolve().parents[1]
    sys.path[:] = [one for one in sys.path if not Path(one).resolve().is_relative_to(package)]


def _mind_signals() -> None:
    """Ctrl-C is for the server, which then ends its workers; SIGTERM ends one at once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _end(*_: Any) -> None:
    os._exit(0)  # it has nothing to keep, and may be ending already


def _watch(server: int) -> None:
    """End with the server even in the middle of a long computation."""
    while os.getppid() == server:
        time.sleep(LOOK_EVERY_S)
    os._exit(1)
