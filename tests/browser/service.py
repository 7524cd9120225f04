"""A running service of its own, on a free port and in an empty folder."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
READY = "The twin runs at "


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running_service(folder: Path) -> Iterator[str]:
    """Start `python -m web`; its address. It ends as by Ctrl-C."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PDD_TWIN_")}
    environment |= {"PDD_TWIN_DATA": str(folder), "PDD_TWIN_PORT": str(free_port())}
    with (
        (folder / "errors").open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "web"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        line = next((line for line in process.stdout if line.startswith(READY)), "")
        assert line, (folder / "errors").read_text()
        try:
            yield line.removeprefix(READY).split()[0]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
