"""Traces over HTTP: read whole before they are kept, capped, never half taken."""

from __future__ import annotations

import gzip
import socket

import pytest

from twin.scenario_file import shipped_folder
from web.client import ClientError

SAMPLE = shipped_folder() / "traces" / "agents_small.mooncake.jsonl"


def few_lines(count):
    return b"".join(SAMPLE.read_bytes().splitlines(keepends=True)[:count])


def test_the_sample_is_there_from_the_start(client):
    sample = client.trace("agents_small")
    assert sample in client.traces() and sample["shipped"] is True
    profile = sample["profile"]
    assert profile["requests"] == len(SAMPLE.read_bytes().splitlines())
    assert 0 < profile["mean_hit"] < 1 and len(profile["buckets"]) == 7
    assert {"tokens", "mean_hit", "share_ge_95"} == set(profile["lru"][0])
    with pytest.raises(ClientError, match="comes with the twin"):
        client.delete_trace("agents_small")


def test_a_trace_is_uploaded_shown_and_deleted(client, server):
    said = client.upload_trace(few_lines(40), "../../my \x07trace.jsonl")
    assert said["name"] == "my trace.jsonl" and said["format"]
    assert said["profile"]["requests"] == 40
    assert client.trace(said["id"]) == said
    assert client.upload_trace(gzip.compress(few_lines(40)))["id"] == said["id"]  # the same content
    file = server.house.trace_files.path(said["id"])
    assert file.exists()
    client.delete_trace(said["id"])
    assert not file.exists()
    assert said["id"] not in {trace["id"] for trace in client.traces()}


def test_a_form_is_taken_too(client):
    files = {"file": ("form.jsonl", few_lines(20))}
    said = client.ask("POST", "/traces", files=files).json()
    assert said["name"] == "form.jsonl" and said["profile"]["requests"] == 20
    client.delete_trace(said["id"])
    with pytest.raises(ClientError, match="no file in its field file"):
        client.ask("POST", "/traces", files={"other": ("x", b"1")})


def test_too_large_a_trace_is_refused_before_it_is_read(client, server, monkeypatch):
    monkeypatch.setattr(server.house, "upload_bytes", 100_000)
    for content in (b"x" * 300_000, iter([b"x" * 60_000] * 5)):  # told, and found out on the way
        answer = client.http.post("/traces", content=content)
        assert answer.status_code == 413
        error = answer.json()["error"]
        assert error["code"] == "too_large"
        assert "larger than 64 MiB: compress it with gzip or cut it" in error["message"]
    answer = client.http.post("/traces", files={"file": ("x", b"x" * 300_000)})
    assert answer.status_code == 413
    assert list(server.house.trace_files.folder.glob("incoming-*")) == []


def test_two_gigabytes_are_refused_without_waiting_for_them(server):
    """As a client sees it that has said how much it sends: the answer comes at once."""
    with socket.create_connection((server.settings.host, server.settings.port)) as raw:
        raw.sendall(
            b"POST /api/traces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2147483648\r\n\r\n"
            + few_lines(2)
        )
        raw.settimeout(30)
        assert raw.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_an_upload_that_breaks_off_leaves_nothing(client, server):
    before = client.traces()
    with socket.create_connection((server.settings.host, server.settings.port)) as raw:
        raw.sendall(
            b"POST /api/traces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500000\r\n\r\n"
            + few_lines(3)
        )
    for _ in range(200):
        if not list(server.house.trace_files.folder.glob("incoming-*")) and not (
            server.house.uploads
        ):
            break
        client.health()
    assert list(server.house.trace_files.folder.glob("incoming-*")) == []
    assert server.house.uploads == 0
    assert client.traces() == before


def test_a_trace_is_replayed(client):
    asked = client.ask_run("pdd_43a_32b", trace="agents_small", seed=1)
    events = list(client.run_events(asked))
    run = client.run(asked)
    assert run["status"] == "done", run["error"]
    assert events[-1] == {"id": asked, "status": "done", "progress": 1.0}
    requests = run["result"]["requests"]
    assert requests["arrived"] == requests["finished"] + requests["refused"]
    assert requests["arrived"] == client.trace("agents_small")["profile"]["requests"]
