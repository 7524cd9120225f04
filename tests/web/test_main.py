"""The whole service as `make run` starts it: one line when ready, no process left, no word lost."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from tests.house.tree import ROOT
from tests.postgres import free_port
from web.client import Client

WAIT_S = 120.0


class Started:
    """`python -m web` in a process group of its own, as a terminal starts it."""

    def __init__(self, data: Path, **environment: str) -> None:
        self.port = environment.get("PDD_TWIN_PORT") or str(free_port())
        ours = {"PDD_TWIN_DATA": str(data), "PDD_TWIN_PORT": self.port, "PDD_TWIN_SPARES": "1"}
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("PDD_TWIN_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "web"], cwd=ROOT, env=inherited | ours | environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.address = f"http://127.0.0.1:{self.port}"

    def ready(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline()

    def children(self) -> list[int]:
        """All processes of the service but the service itself."""
        found = []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError, IndexError):
                pid = int(entry.name)
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                state, group = fields[0], int(fields[2])
                if group == self.process.pid != pid and state != "Z":
                    found.append(pid)
        return found

    def end(self, sign: signal.Signals, to_group: bool = False) -> tuple[int, str, str]:
        if to_group:
            os.killpg(self.process.pid, sign)
        else:
            self.process.send_signal(sign)
        out, err = self.process.communicate(timeout=WAIT_S)
        return self.process.returncode, out, err

    def no_children_left(self) -> bool:
        end = time.monotonic() + 30
        while self.children() and time.monotonic() < end:
            time.sleep(0.05)
        return self.children() == []


@pytest.fixture
def start(tmp_path):
    started: list[Started] = []

    def start(**environment):
        started.append(Started(tmp_path, **environment))
        return started[-1]

    yield start
    for one in started:
        for pid in [*one.children(), one.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        one.process.communicate()


pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


def test_it_serves_pages_api_and_assets_and_stops_on_interrupt(start, tmp_path):
    service = start()
    line = service.ready()
    assert line == (
        f"The twin runs at {service.address} and keeps its data in {tmp_path}; Ctrl-C stops it.\n"
    )
    with httpx.Client(base_url=service.address, timeout=60) as http:
        assert "<title>" in http.get("/").text
        assert http.get("/api/health").json()["status"] == "ok"
        assert http.get("/api/nothing").status_code == 404
        plotly = http.get("/assets/plotly.min.js")
        assert plotly.status_code == 200 and b"plotly.js v" in plotly.content[:300]
        assert http.get("/", headers={"Host": "evil.example"}).status_code == 403
        assert http.get("/api/twins/default").json()["t"] >= 7200
    with Client(service.address) as client, client.live() as viewer:
        viewer.until("hello")
        assert len(service.children()) >= 3
        code, out, err = service.end(signal.SIGINT, to_group=True)
    assert (code, out) == (0, "")
    assert "Traceback" not in err and err == ""
    assert service.no_children_left()


def test_what_was_acknowledged_outlives_a_killed_server(start, tmp_path):
    service = start()
    service.ready()
    with Client(service.address) as client:
        made = client.make_twin("pdd_43a_32b", pace=50)["id"]
        log = [client.turn(made, "line.bandwidth_gbps", 5 + i) for i in range(5)]
    service.end(signal.SIGKILL)
    assert service.no_children_left()
    again = start(PDD_TWIN_PORT=service.port)
    assert again.ready()
    with Client(again.address) as client:
        assert client.log(made) == log
        assert client.twin(made)["t"] >= log[-1]["at_s"]
        assert client.turn(made, "line.bandwidth_gbps", 12)["number"] == 6
        assert client.twin("default")["t"] >= 7200
    code, _, err = again.end(signal.SIGTERM)
    assert code == 0 and "Traceback" not in err
    assert again.no_children_left()


def refusal(start, **environment):
    service = start(**environment)
    out, err = service.process.communicate(timeout=WAIT_S)
    return service.process.returncode, out, err


def test_what_keeps_it_from_starting_is_told_in_a_sentence(start, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert refusal(start, PDD_TWIN_PORT=port) == (
            2, "", f"Port {port} of 127.0.0.1 is taken by another program: set PDD_TWIN_PORT to a "
            "free one.\n",
        )  # fmt: skip
    code, out, err = refusal(start, PDD_TWIN_HOST="0.0.0.0")
    assert (code, out) == (2, "") and "set PDD_TWIN_TOKEN to a secret of at least" in err
    (tmp_path / "twin.sqlite3").write_bytes(b"no database at all" * 1000)
    code, out, err = refusal(start)
    assert (code, out) == (2, "") and len(err.splitlines()) == 1
    assert f"the database {tmp_path}/twin.sqlite3: cannot be read: file is not a database" in err
    assert (tmp_path / "twin.sqlite3").read_bytes().startswith(b"no database at all")


def test_streamlit_is_told_what_it_would_not_hear_otherwise(monkeypatch, tmp_path):
    """In a process of its own, for Streamlit keeps its configuration in globals."""
    script = """
import json, sys
from pathlib import Path
from streamlit import config
from streamlit.web import bootstrap
from web.__main__ import streamlit_config
from web.settings import Settings
told = streamlit_config(Settings(data=Path(sys.argv[1])))
bootstrap.load_config_options(told)
print(json.dumps({name: config.get_option(name) for name in told}))
"""
    monkeypatch.setenv("STREAMLIT_SERVER_FILE_WATCHER_TYPE", "auto")
    said = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, capture_output=True, check=True
    )

    held = json.loads(said.stdout)
    assert held["runner.postScriptGC"] is False
    assert held["server.fileWatcherType"] == "none"
    assert held["server.maxUploadSize"] == 16
    assert held["server.enableStaticServing"] is False
    assert held["server.enableXsrfProtection"] is True and held["server.enableCORS"] is True
    assert held["browser.gatherUsageStats"] is False
    assert held["client.toolbarMode"] == "viewer"
    assert held["client.showErrorDetails"] == "none"
    assert held["server.address"] == "127.0.0.1" and held["server.port"] == 8501
