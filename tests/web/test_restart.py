"""Nothing that was acknowledged is lost: dying workers, sleep, and a server that stops."""

from __future__ import annotations

import os
import signal
import time
from functools import partial

import pytest

from db.opening import open_store
from db.store import StoreError
from twin.running import CHECKPOINT_EVERY_S, REMEMBERS_S
from web.api.standby import Standby
from web.api.twin_worker import MEMORY_EVERY_S
from web.client import ClientError

from .reference import made_of, replayed

BANDWIDTH = "line.bandwidth_gbps"


def kill_worker(server, twin):
    os.kill(server.twin(twin).process.pid, signal.SIGKILL)


def latest(courses):
    """The samples of the last simulated half hour."""
    most = int(REMEMBERS_S / 5) - 1
    return {name: course[-most:] for name, course in courses["values"].items()}


def stands_by(live_twin, t):
    return live_twin._standby is not None and live_twin._standby.t == t


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_killed_worker_is_replaced_by_one_in_the_same_state(client, server, small, live):
    server.advance(small, 700)
    client.turn(small, BANDWIDTH, 6)
    server.advance(small, 2 * REMEMBERS_S + CHECKPOINT_EVERY_S + 0.7)
    client.turn(small, "workload.clients", 50)
    viewer = live(small)
    before, told = client.digest(small), viewer.until("hello")
    kill_worker(server, small)
    assert viewer.until("state", status="restarting")
    assert viewer.until("state", status="paused")
    assert client.digest(small) == before
    again = live(small).until("hello")
    for part in ("t", "entry", "log", "scenario", "baseline", "tiles"):
        assert again[part] == told[part], part
    for part in ("courses", "baseline_courses"):
        assert latest(again[part]) == latest(told[part])


def test_the_next_worker_begins_at_the_newest_state(client, server, small, live, monkeypatch):
    """It replays minutes, and remembers the same half hour as one that replays all of it."""
    live_twin, newest = server.twin(small), 2 * REMEMBERS_S + 0.7
    server.advance(small, 2500.3)
    client.turn(small, BANDWIDTH, 6)
    server.advance(small, newest)
    time.sleep(MEMORY_EVERY_S)
    client.turn(small, "workload.clients", 50)
    wait_for(partial(stands_by, live_twin, newest))
    server.advance(small, newest + 90)
    client.turn(small, BANDWIDTH, 7)
    server.advance(small, newest + 200)
    before, told = client.digest(small), live(small).until("hello")
    monkeypatch.setattr(live_twin, "start_at", None)  # nothing is taken from the database
    kill_worker(server, small)
    wait_for(lambda: client.twin(small)["status"] == "paused")
    assert client.digest(small) == before
    wait_for(partial(stands_by, live_twin, before["t"]))  # the next one would have nothing to do
    again = live(small).until("hello")
    for part in ("t", "entry", "log", "scenario", "tiles"):
        assert again[part] == told[part], part
    for part in ("courses", "baseline_courses"):
        assert latest(again[part]) == latest(told[part])


@pytest.mark.parametrize(
    ("at_s", "log", "later"),
    [
        (700.0, [1, 2], []), (900.0, [1, 2, 3], [3]), (600.0, [2], []),
        (599.0, [1, 2], None), (600.0 + REMEMBERS_S, [1, 2], None), (700.0, [1, 3], None),
        (700.0, [], None),
    ],
)  # fmt: skip
def test_when_the_newest_state_is_of_use(at_s, log, later):
    entries = [{"number": number, "at_s": 300.0 * number} for number in log]
    made = Standby(600.0, 2, b"state", b"memory").made_from(entries, at_s)
    assert (made and [entry["number"] for entry in made["log"]]) == later


def test_a_twin_that_ran_when_its_worker_died_equals_an_undisturbed_one(client, server, small):
    scenario, baseline = made_of(client, small)
    client.change_twin(small, paused=False, pace=600)
    client.turn(small, BANDWIDTH, 6)
    wait_for(lambda: client.twin(small)["t"] > 900)
    for value in (5, 7):
        kill_worker(server, small)
        client.turn(small, BANDWIDTH, value)
    stands = client.change_twin(small, paused=True)
    said = client.digest(small)
    log = client.log(small)
    assert [entry["value"] for entry in log] == [6, 5, 7]
    assert said["t"] == stands["t"] > 900
    copy = replayed(scenario, baseline, 0, log, said["t"])
    assert copy.digest() == said["digest"]


def test_frames_go_on_after_a_death_without_a_hole_in_the_courses(client, server, small, live):
    client.change_twin(small, paused=False, pace=100)
    viewer = live(small)
    times = viewer.until("hello")["courses"]["time_s"]
    for _ in range(3):
        times += viewer.until("frame").get("course", {"time_s": []})["time_s"]
    kill_worker(server, small)
    viewer.until("state", status="running")
    for _ in range(6):
        times += viewer.until("frame").get("course", {"time_s": []})["time_s"]
    assert times == [5.0 * (i + 1) for i in range(len(times))]


def test_a_turn_that_kills_its_workers_is_given_up(client, server, small):
    server.advance(small, 10)
    before = client.digest(small)
    live_twin = server.twin(small)
    # an order that no worker can read ends each worker that gets it
    with pytest.raises(Exception, match="cannot do this"):
        server.call(live_twin.process.ask("orders", "no orders"))
    wait_for(lambda: client.twin(small)["status"] == "paused")
    assert client.digest(small) == before


def test_an_unwatched_twin_sleeps_and_wakes_as_it_was(serve):
    server = serve(sleep_after_s=0.6, spares=1, most_twins=2)
    with server.client() as client:
        made = client.make_twin("pdd_43a_32b", pace=50)["id"]
        client.turn(made, BANDWIDTH, 7)
        with client.live(made) as viewer:
            viewer.until("hello")
            client.change_twin(made, paused=True)
            time.sleep(1.5)
            assert client.twin(made)["status"] == "paused"  # watched, so it stays
            before = client.digest(made)
        wait_for(lambda: client.twin(made)["status"] == "asleep")
        assert server.twin(made).process.pid is None
        assert client.digest(made) == before
        assert [entry["value"] for entry in client.log(made)] == [7]
        with client.live("default") as one, client.live(made) as other:
            one.until("hello")
            other.until("hello")
            with pytest.raises(ClientError, match="all 2 twins that may run are being") as busy:
                client.make_twin("bench_4p4d")
            assert (busy.value.code, busy.value.status) == ("busy", 429)
        third = client.make_twin("bench_4p4d")["id"]  # the one unwatched longest makes room
        statuses = [client.twin(name)["status"] for name in ("default", made, third)]
        assert statuses.count("asleep") >= 1 and statuses[2] == "running"
        assert len(client.twins()) == 3
    server.stop()


def test_a_server_that_stops_keeps_everything(serve, tmp_path):
    first = serve(data=tmp_path, spares=1)
    with first.client() as client:
        made = client.make_twin("pdd_43a_32b", "same_dc_88a", seed=3, title="My twin")["id"]
        scenario, baseline = made_of(client, made)
        client.turn(made, BANDWIDTH, 6)
        client.turn(made, "policy.p_rld", True)
        first.advance(made, 650)
        client.change_twin(made, pace=20, paused=True)
        twin, digest, log = client.twin(made), client.digest(made), client.log(made)
        copy = client.fork(made, 300, set={BANDWIDTH: 9})
        client.save_scenario("extends: pdd_43a_32b.yaml\nname: mine\nworkload: {clients: 160}")
        asked = client.ask_run("bench_4p4d", set={"run.requests": 300})
        run = [client.run(event["id"]) for event in client.run_events(asked)][-1]
        default = client.twin("default")
    children = [one.pid for one in list(first.house.crew._all)]
    assert len(children) >= 3
    first.stop()
    assert [pid for pid in children if alive(pid)] == []
    second = serve(data=tmp_path, spares=1)
    with second.client() as client:
        assert client.twin(made)["status"] == "asleep"
        assert client.digest(made) == digest and client.log(made) == log
        again = client.twin(made)
        assert {**again, "status": "paused", "viewers": 0} == {**twin, "viewers": 0}
        assert replayed(scenario, baseline, 3, log, digest["t"]).digest() == digest["digest"]
        client.rewind(made, 100)
        assert client.digest(made)["t"] == 100
        assert client.twin(copy["id"])["forked_at_s"] == 300
        assert client.scenario("mine")["scenario"]["workload"]["clients"] == 160
        assert client.run(asked) == run and run["status"] == "done"
        assert client.twin("default")["t"] >= default["t"]
        with client.live() as viewer:
            hello = viewer.until("hello")
        assert hello["t"] >= default["t"] and hello["tiles"]["ttft_p50_s"] is not None
    second.stop()


def test_only_one_server_uses_a_database(client, server):
    with pytest.raises(StoreError, match="in use by another server"):
        open_store(server.settings.database_address)
    assert client.health()["status"] == "ok"


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
