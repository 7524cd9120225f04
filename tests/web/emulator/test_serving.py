"""The pages and the control endpoint over real sockets on loopback, at a time that stands still."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

import httpx
import pytest
import yaml

from tests.house.tree import ROOT
from tests.web.emulator.pages import UNIX_S, FakeClock, total
from twin.engine.observer import MD, P
from web.emulator.__main__ import main, parser
from web.emulator.cluster import Cluster
from web.emulator.control import Control, handler
from web.emulator.serving import Serving, accepts_gzip, listen
from web.emulator.targets import Target

SCENARIO = str(ROOT / "scenarios" / "pdd_43a_32b.yaml")


@pytest.fixture
def served(start, clock: FakeClock) -> Iterator[Serving]:
    clock.now = UNIX_S
    cluster = start()
    clock.now += 60
    with Serving(cluster, lambda _: 0) as serving:
        yield serving


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes


def ask(serving: Serving, role: str, instance: int = 0, encodings: str = "identity") -> Answer:
    (target,) = [t for t in serving.servers if (t.role, t.instance) == (role, instance)]
    connection = http.client.HTTPConnection("127.0.0.1", serving.port(target), timeout=10)
    with contextlib.closing(connection):
        connection.request("GET", "/metrics", headers={"Accept-Encoding": encodings})
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())


def test_each_page_has_its_own_port(served):
    ports = {served.port(target) for target in served.servers}
    assert len(ports) == len(served.cluster.targets()) == 12
    answer = ask(served, MD, 2)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/plain; version=1.0.0; charset=utf-8"
    assert total(answer.body.decode(), "vllm:generation_tokens_total") > 0


def test_gzip_when_it_is_asked_for(served):
    plain = ask(served, P).body
    packed = ask(served, P, encodings="deflate, gzip;q=0.8")
    assert packed.headers["Content-Encoding"] == "gzip"
    body = packed.body
    assert len(body) < len(plain) / 4
    assert gzip.decompress(body) == plain
    assert "Content-Encoding" not in ask(served, P, encodings="gzip;q=0").headers
    assert not accepts_gzip("")
    assert accepts_gzip("br, *")


def test_a_target_that_is_down_does_not_answer(served):
    with served.lock:
        served.cluster.miss(MD, 0, for_s=5)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        ask(served, MD, 0)
    assert ask(served, MD, 1).status == 200


def test_a_new_instance_gets_a_port(served):
    with served.lock:
        served.cluster.turn("main_decode.instances", 5)
        served.open_new()
    assert ask(served, MD, 4).status == 200


def test_another_path_is_told(served):
    target = Target("line", 0, "A")
    answer = httpx.get(f"http://127.0.0.1:{served.port(target)}/")
    assert (answer.status_code, answer.text) == (404, "the page is at /metrics\n")


@pytest.fixture
def control(served: Serving) -> Iterator[httpx.Client]:
    server = listen(0, handler(Control(served.cluster, served.lock)))
    with httpx.Client(base_url=f"http://127.0.0.1:{server.server_address[1]}") as client:
        yield client
    server.shutdown()
    server.server_close()


def test_a_hidden_turn_and_the_truth(control, served):
    body = {"setting": "line.bandwidth_gbps", "value": 7.5}
    assert control.post("/turn", json=body).json() == {"done": True}
    said = control.get("/truth", params={"window_s": 60}).json()
    assert said["scenario"]["line"]["bandwidth_gbps"] == 7.5
    assert said["figures"]["arrival_rps"] > 1
    assert (said["seed"], said["pace"]) == (1, 1.0)
    assert len(control.get("/targets").json()) == 12


@pytest.mark.parametrize(
    "asked",
    [
        {"what": "restart", "role": "main_decode", "instance": 1, "for_s": 5},
        {"what": "counter_reset", "role": "prefill", "instance": 0},
        {"what": "missing_scrapes", "for_s": 2},
        {"what": "rename", "version": "0.8"},
        {"what": "line_cut"},
        {"what": "instance_lost", "role": "prefill", "instance": 2},
    ],
)
def test_what_can_happen(control, served, asked):
    assert control.post("/happen", json=asked).json() == {"done": True}
    cluster: Cluster = served.cluster
    line = cluster.sim.pipeline.line
    assert line is not None
    changed = (
        cluster.agenda or cluster.troubles.missing_until or cluster.troubles.names
        or line.cut or cluster.twin.entry
        or cluster.counting.engine(P, 0).started_s > 600
    )  # fmt: skip
    assert changed


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/turn", {"setting": "no.such", "value": 1}, 422, "no.such"),
        ("/turn", {"setting": "line.bandwidth_gbps"}, 422, "value"),
        ("/turn", {"setting": "line.bandwidth_gbps", "value": "fast"}, 422, "bandwidth_gbps"),
        ("/happen", {"what": "explode"}, 422, "restart"),
        ("/happen", {"what": "restart", "role": "main_decode", "instance": 9}, 422, "0 to 3"),
        ("/happen", {"what": "rename", "version": "1.0"}, 422, "known versions"),
        ("/happen", {"what": "restart", "role": "prefill", "for_s": -1}, 422, "for_s"),
        ("/nowhere", {}, 404, "/turn"),
    ],
)
def test_what_cannot_be_is_told(control, path, body, status, words):
    answer = control.post(path, json=body)
    assert answer.status_code == status
    assert words in answer.json()["error"]


def test_the_control_endpoint_is_for_this_machine_and_for_json(control):
    assert control.post("/turn", content="{}").status_code == 415
    assert control.post("/turn", json={}, headers={"Host": "evil.example"}).status_code == 403
    assert control.get("/truth", headers={"Host": "evil.example:9400"}).status_code == 403
    assert control.get("/truth", params={"window_s": "nan"}).status_code == 422
    long = control.post("/turn", json={"setting": "x" * 70_000, "value": 1})
    assert long.status_code == 413
    broken = control.post("/turn", content=b"\xff{", headers={"Content-Type": "application/json"})
    assert broken.status_code == 422


def test_a_taken_port_is_told(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        if port > 65_000:
            pytest.skip("too high for the pages above it")
        assert main([SCENARIO, "--port", str(port), "--warm-s", "0"]) == 2
    assert f"port {port}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--pace", "0"], "--pace"),
        (["--warm-s", "-1"], "--warm-s"),
        (["--port", "70000"], "--port"),
        (["--set", "line.bandwith_gbps=3"], "bandwi"),
    ],
)
def test_wrong_words_are_told(capsys, words, told):
    assert main([SCENARIO, *words]) == 2
    assert told in capsys.readouterr().err


def printed(capsys, *words: str) -> dict:
    assert main([SCENARIO, *words]) == 0
    return yaml.safe_load(capsys.readouterr().out)


def test_the_scrape_config_names_every_page(capsys):
    config = printed(capsys, "--print-scrape-config", "--port", "9000", "--every-s", "1")
    jobs = {job["job_name"]: job["static_configs"] for job in config["scrape_configs"]}
    assert set(jobs) == {"vllm", "dynamo", "node"}
    assert config["global"]["scrape_interval"] == "1000ms"
    assert jobs["vllm"][2] == {
        "targets": [f"127.0.0.1:{9300 + i}" for i in range(4)],
        "labels": {"pdd_role": "main_decode", "dc": "B"},
    }
    without = printed(capsys, "--print-scrape-config", "--no-frontend")
    assert [job["job_name"] for job in without["scrape_configs"]] == ["vllm", "node"]


@pytest.mark.prometheus
def test_prometheus_takes_the_scrape_config(capsys, prometheus, tmp_path):
    main([SCENARIO, "--print-scrape-config"])
    file = tmp_path / "prometheus.yml"
    file.write_text(capsys.readouterr().out)
    tool = prometheus.with_name("promtool")
    subprocess.run([tool, "check", "config", file], check=True, capture_output=True)


def test_the_sources_file_has_targets_and_roles(capsys):
    said = printed(capsys, "--print-sources", "--every-s", "1")
    (source,) = said["sources"]
    assert (source["kind"], source["every_s"], len(source["targets"])) == ("scrape", 1.0, 12)
    assert source["targets"][0] == {
        "url": "http://127.0.0.1:9500/metrics",
        "labels": {"job": "vllm", "pdd_role": "prefill", "dc": "A"},
    }
    assert said["roles"]["main_decode"] == {"dc": "B", "match": {"pdd_role": "main_decode"}}
    assert said["roles"]["line"] == {"match": {"pdd_role": "line"}, "device": "wan0"}


def free_base() -> int:
    """A port with free ones above it, as far as can be seen."""
    for _ in range(50):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            base = probe.getsockname()[1]
        above = [base + n for n in (0, 1, 2, *range(100, 105), 200, *range(300, 304))]
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            for port in above:
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
            return base
    raise AssertionError("no free ports")


def test_it_runs_as_a_program_and_stops_when_told(tmp_path):
    base, state = free_base(), tmp_path / "state"
    words = [SCENARIO, "--port", str(base), "--warm-s", "60", "--checkpoint", str(state)]
    process = subprocess.Popen(
        [sys.executable, "-m", "web.emulator", *words], cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert "12 pages" in process.stdout.readline()
        page = httpx.get(f"http://127.0.0.1:{base + 300}/metrics").text
        assert total(page, "vllm:num_requests_running") > 0
        assert json.loads(httpx.get(f"http://127.0.0.1:{base}/truth").text)["pace"] == 1.0
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")
    assert state.exists()


def test_a_checkpoint_of_something_else_is_refused(capsys, tmp_path, warm_state):
    state = tmp_path / "state"
    state.write_bytes(warm_state)
    assert main([SCENARIO, "--checkpoint", str(state), "--seed", "2"]) == 2
    assert "no warmed state of this scenario and seed" in capsys.readouterr().err
    state.write_bytes(b"not one")
    assert main([SCENARIO, "--checkpoint", str(state), "--seed", "1"]) == 2


def test_help_names_every_option():
    assert "--print-sources" in parser().format_help()
