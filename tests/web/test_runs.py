"""Runs as jobs: carried out elsewhere, with progress, cached, cancelled, kept."""

from __future__ import annotations

import os

import pytest

from twin.engine.run import run
from twin.scenario_file import load, shipped_folder, with_setting
from web.client import ClientError

SHORT = {"run.requests": 400}
LONG = {"run.requests": 900_000}


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ended(client, run_id):
    for _ in client.run_events(run_id):
        pass
    return client.run(run_id)


def test_a_run_says_what_the_same_run_here_says(client):
    asked = client.ask_run("bench_4p4d", seed=7, set=SHORT)
    said = ended(client, asked)
    assert said["status"] == "done" and said["error"] is None and said["kind"] == "run"
    assert said["finished_at"] >= said["created_at"]
    scenario = with_setting(load(shipped_folder() / "bench_4p4d.yaml"), "run.requests", 400)
    expected = run(scenario, seed=7).model_dump(mode="json")
    result = said["result"]
    for name in expected:
        if name != "cpu_s":
            assert result[name] == expected[name], name
    listed = {one["id"]: one for one in client.runs()}
    assert listed[asked]["status"] == "done" and "result" not in listed[asked]


def test_the_same_run_is_not_computed_twice(client):
    first = client.ask_run("bench_4p4d", seed=8, set=SHORT)
    assert client.ask_run("bench_4p4d", seed=8, set=SHORT) == first
    ended(client, first)
    assert client.ask_run("bench_4p4d", seed=8, set=SHORT) == first
    assert client.ask_run("bench_4p4d", seed=9, set=SHORT) != first


def test_comparison_and_capacity(client):
    few = {"run.requests": 300, "workload.clients": 20}
    compared = client.ask_run("pdd_43a_32b", "compare", baseline="same_dc_88a", set=few)
    found = client.ask_run("bench_4p4d", "capacity", set={"run.requests": 150})
    result = ended(client, compared)["result"]
    assert [one["scenario"] for one in result["results"]] == ["same_dc_88a", "pdd_43a_32b"]
    assert result["results"][0]["runs"][0]["requests"]["arrived"] == 300
    capacity = ended(client, found)["result"]
    assert len(capacity["runs"]) >= 2 and capacity["share"] == 0.9


def test_progress_and_cancelling_a_run_that_is_carried_out(client, server):
    asked = client.ask_run("bench_4p4d", set=LONG)
    waiting = client.ask_run("bench_4p4d", seed=1, set=LONG)
    seen = []
    for event in client.run_events(asked):
        seen.append(event)
        if event["progress"] > 0.001:
            break
    assert [event["status"] for event in seen[-1:]] == ["running"]
    assert client.run(waiting)["status"] == "queued"
    workers = {one.pid for one in server.house.crew._all}
    client.cancel_run(waiting)
    client.cancel_run(asked)
    assert client.run(asked)["status"] == client.run(waiting)["status"] == "cancelled"
    left = {one.pid for one in server.house.crew._all}
    assert len(workers - left) == 1
    assert [pid for pid in workers - left if alive(pid)] == []
    with pytest.raises(ClientError, match="cancelled already") as refused:
        client.cancel_run(asked)
    assert refused.value.status == 409
    assert client.run(asked)["result"] is None


def test_a_run_that_takes_too_long_is_ended(client, server, monkeypatch):
    monkeypatch.setattr(server.house.jobs, "_limit_s", 0.2)
    run_ = ended(client, client.ask_run("bench_4p4d", seed=77, set=LONG))
    assert run_["status"] == "failed"
    assert "takes longer than 0.2 s: make it smaller" in run_["error"]["message"]


def test_a_run_that_cannot_be_is_told(client):
    lost = [
        {"at_s": 1, "what": "instance_lost", "pool": "prefill", "instance": index}
        for index in range(4)
    ]
    asked = client.ask_run("bench_4p4d", set={"events": lost, "run.requests": 50})
    said = ended(client, asked)
    assert said["status"] == "failed"
    assert "bring the line or the instance back" in said["error"]["message"]
    assert said["error"]["problems"][0]["place"] == "run"
