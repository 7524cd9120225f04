"""Every endpoint of the API: what it says, and in what shape it says no."""

from __future__ import annotations

import csv
import io

import httpx
import pytest

from twin.scenario_file import loads, shipped_folder
from twin.settings import settings
from twin.version import VERSION
from web.client import ClientError
from web.plain_csv import of_columns

BANDWIDTH = "line.bandwidth_gbps"


def refused(status, code):
    """Expects an error with this status and code."""
    return pytest.raises(ClientError, check=lambda e: (e.status, e.code) == (status, code))


# --- about


def test_health(client):
    said = client.health()
    assert said["status"] == "ok" and said["version"] == VERSION
    assert tuple(map(int, said["sqlite_version"].split("."))) >= (3, 31)
    assert said["uptime_s"] > 0 and said["twins"] >= 0


def test_settings_are_the_table_of_the_model(client):
    told = {one["path"]: one for one in client.settings()}
    assert list(told) == [one.path for one in settings()]
    bandwidth = told[BANDWIDTH]
    assert bandwidth["live"] is True and bandwidth["nullable"] is True
    assert (bandwidth["low"], bandwidth["low_open"], bandwidth["unit"]) == (0, True, "Gbps")
    assert told["workload.hit_shares"]["default"][0] == 0.098


def test_documentation_is_served(client):
    assert "swagger" in client.ask("GET", "/docs").text.lower()
    paths = client.ask("GET", "/openapi.json").json()["paths"]
    assert {"/twins/{twin_id}/turns", "/runs/{run_id}/events", "/traces"} <= set(paths)


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/twins/nobody", 404, "not_found"),
        ("GET", "/scenarios/nothing", 404, "not_found"),
        ("GET", "/runs/none", 404, "not_found"),
        ("GET", "/runs/none/events", 404, "not_found"),
        ("GET", "/traces/none", 404, "not_found"),
        ("DELETE", "/traces/none", 404, "not_found"),
        ("DELETE", "/scenarios/none", 404, "not_found"),
        ("DELETE", "/runs/none", 404, "not_found"),
        ("PUT", "/twins", 405, "not_allowed"),
        ("POST", "/twins", 422, "bad_request"),
        ("GET", "/twins/default/log?after=x", 422, "bad_request"),
    ],
)
def test_errors_have_one_shape(client, method, path, status, code):
    answer = client.http.request(method, path)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert set(error) == {"code", "message", "problems"} and error["message"]


# --- scenarios


def test_shipped_scenarios(client):
    listed = {one["name"]: one for one in client.scenarios() if one["shipped"]}
    files = {path.stem for path in shipped_folder().glob("*.yaml")}
    assert set(listed) == files
    said = client.scenario("pdd_43a_32b")
    assert said["digest"] == listed["pdd_43a_32b"]["digest"]
    assert loads(said["yaml"]).digest() == said["digest"]
    assert "workload.clients" in said["assumed"] and "slo.total_s" not in said["assumed"]
    assert said["sources"]["slo.total_s"] == "claim C24"
    assert said["versions"] == []


def test_saving_keeps_versions_and_never_overwrites_a_shipped_one(client):
    base = "extends: pdd_43a_32b.yaml\nname: saved one\n"
    first = client.save_scenario(base)
    assert first["version"] == 1 and first["shipped"] is False
    assert client.save_scenario(base)["version"] == 1  # nothing has changed
    assert client.save_scenario(f"{base}line: {{bandwidth_gbps: 7}}")["version"] == 2
    values = client.scenario("saved one")["scenario"]
    assert values["line"]["bandwidth_gbps"] == 7
    values["line"]["bandwidth_gbps"] = 8
    assert client.save_scenario(values)["version"] == 3
    old = client.ask("GET", "/scenarios/saved one", params={"version": 1}).json()
    assert old["scenario"]["line"]["bandwidth_gbps"] == 10
    assert [one["version"] for one in old["versions"]] == [3, 2, 1]
    with refused(409, "conflict"):
        client.save_scenario(values, name="pdd_43a_32b")
    assert client.scenario("pdd_43a_32b")["scenario"]["line"]["bandwidth_gbps"] == 10
    assert client.save_scenario(values, name="another")["name"] == "another"
    client.delete_scenario("another")
    client.delete_scenario("saved one")
    with refused(404, "not_found"):
        client.scenario("saved one")
    with refused(409, "conflict"):
        client.delete_scenario("pdd_43a_32b")


def test_checking_tells_every_problem(client):
    problems = client.check_scenario("extends: pdd_43a_32b.yaml\nname: x\nline: {rtt_ms: -1, q: 2}")
    assert len(problems) == 2
    assert client.check_scenario("extends: pdd_43a_32b.yaml\nname: x") == []


# --- running twins


def test_a_twin_is_made_listed_changed_and_deleted(client):
    made = client.make_twin(
        "pdd_43a_32b", "same_dc_88a", seed=5, pace=0.5, warm_s=60, title="Mine",
        set={"workload.clients": 40},
    )  # fmt: skip
    assert made["t"] >= 60 and made["seed"] == 5 and made["pace"] == 0.5
    assert made["baseline_name"] == "same_dc_88a" and made["status"] == "running"
    assert made["id"] in {twin["id"] for twin in client.twins()}
    changed = client.change_twin(made["id"], title="Yours", pace=2, paused=True)
    assert (changed["title"], changed["pace"], changed["paused"]) == ("Yours", 2, True)
    assert changed["status"] == "paused"
    with client.live(made["id"]) as viewer:
        hello = viewer.until("hello")
    assert hello["scenario"]["workload"]["clients"] == 40
    assert hello["baseline"]["workload"] == hello["scenario"]["workload"]
    client.delete_twin(made["id"])
    with refused(404, "not_found"):
        client.twin(made["id"])


def test_a_twin_is_made_of_values_too(client):
    values = client.scenario("bench_4p4d")["scenario"]
    values["workload"]["rate_rps"] = 3
    made = client.make_twin(values)
    assert made["scenario_name"] == "bench_4p4d" and made["baseline_name"] is None
    client.delete_twin(made["id"])


def test_the_baseline_gets_the_requests_of_the_scenario(client):
    made = client.make_twin("thin_line", "same_dc_88a")
    clients = client.scenario("thin_line")["scenario"]["workload"]["clients"]
    assert clients != client.scenario("same_dc_88a")["scenario"]["workload"]["clients"]
    with client.live(made["id"]) as viewer:
        hello = viewer.until("hello")
    assert hello["baseline"]["workload"]["clients"] == clients
    assert hello["baseline"]["sources"].get("workload.clients") is None
    client.delete_twin(made["id"])
    with refused(422, "scenario_invalid"):
        client.make_twin("pdd_43a_32b", "same_dc_88a", set={"prices.chips.A": 2})


def test_turns_and_happenings_are_logged(client, small):
    entry = client.turn(small, BANDWIDTH, 8)
    assert (entry["number"], entry["setting"], entry["value"]) == (1, BANDWIDTH, 8)
    lost = client.happen(small, "instance_lost", pool="relay_decode", instance=0)
    assert lost["number"] == 2 and lost["at_s"] == entry["at_s"]
    assert client.log(small) == [entry, lost]
    assert client.log(small, after=1) == [lost]
    assert client.twin(small)["entry"] == 2
    assert client.frame(small)["relay"]["instances"][0]["state"] == "lost"


def test_rewind_fork_and_forecast(client, server, small):
    server.advance(small, 700)
    assert client.rewind(small, 650)["t"] == 650
    copy = client.fork(small, 300, set={BANDWIDTH: 25})
    assert copy["t"] == 300 and copy["entry"] == 1 and copy["parent"] == small
    with refused(422, "bad_request"):
        client.fork(small, 5000)
    with refused(422, "turn_refused"):
        client.fork(small, set={BANDWIDTH: -1})
    forecast = client.forecast(small, 60)
    assert (forecast["from_s"], forecast["to_s"]) == (650, 710)
    client.delete_twin(copy["id"])


def test_the_shared_twin_is_forked_and_not_changed(client):
    for change in (
        lambda: client.turn("default", BANDWIDTH, 5),
        lambda: client.happen("default", "line_cut"),
        lambda: client.rewind("default", 7000),
        lambda: client.change_twin("default", paused=True),
        lambda: client.delete_twin("default"),
    ):
        with refused(409, "conflict"):
            change()
    assert client.twin("default")["shared"] is True
    assert client.digest("default")["entry"] == 0


def test_exports(client, server, small):
    server.advance(small, 30)
    client.turn(small, BANDWIDTH, 8)
    exported = loads(client.scenario_yaml(small))
    assert exported.line is not None and exported.line.bandwidth_gbps == 8
    rows = list(csv.reader(io.StringIO(client.courses_csv(small), newline="")))
    assert rows[0][0] == "time_s" and "line_gbps" in rows[0]
    assert "baseline_throughput_rps" in rows[0]
    assert [float(row[0]) for row in rows[1:]] == [5.0, 10.0, 15.0, 20.0, 25.0, 30.0]
    answer = client.ask("GET", f"/twins/{small}/courses.csv")
    assert answer.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])
def test_no_cell_of_an_export_is_a_formula(text):
    written = of_columns({text: ["=2", None, -1.5]})
    rows = list(csv.reader(io.StringIO(written, newline="")))
    assert [row[0] for row in rows] == [f"'{text}", "'=2", "", "-1.5"]


def test_looking_changes_nothing(client, small):
    before = client.digest(small)
    client.frame(small)
    client.courses_csv(small)
    client.scenario_yaml(small)
    client.forecast(small)
    client.twins()
    assert client.digest(small) == before


def test_a_window_without_requests_says_null(client):
    """H10: what cannot be said is null, and the endpoint answers."""
    made = client.make_twin("pdd_43a_32b", "same_dc_88a", set={"workload.clients": 1})
    client.change_twin(made["id"], paused=True)
    tiles = client.frame(made["id"])["tiles"]
    for name in ("ttft_p50_s", "ttft_p99_s", "sla_ok_share", "goodput_rps", "p_hit", "bcr"):
        assert tiles[name] is None, name
    client.delete_twin(made["id"])


# --- who may ask


def test_a_foreign_page_cannot_drive_a_local_twin(server, client, small):
    before = client.digest(small)
    foreign = {"Origin": "http://evil.example"}
    body = {"setting": BANDWIDTH, "value": 5}
    answer = client.http.post(f"/twins/{small}/turns", json=body, headers=foreign)
    assert answer.status_code == 403 and answer.json()["error"]["code"] == "forbidden"
    own = {"Origin": server.settings.address}
    assert client.http.post(f"/twins/{small}/forecast", json={}, headers=own).status_code == 200
    rebound = {"Host": f"evil.example:{server.settings.port}"}
    assert client.http.get("/twins", headers=rebound).status_code == 403
    assert client.digest(small) == before
    # a form of another page needs no permission to be sent, so it must not be taken
    form = client.http.post(
        f"/twins/{small}/turns",
        content='{"setting": "line.bandwidth_gbps", "value": 5}',
        headers={"Content-Type": "text/plain"},
    )
    assert form.status_code == 422
    assert client.digest(small) == before


def test_a_body_that_is_too_large_is_refused(client, small):
    body = b'{"setting": "x", "value": "' + b"y" * 1_100_000 + b'"}'
    answer = client.http.post(
        f"/twins/{small}/turns", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 413 and answer.json()["error"]["code"] == "too_large"


def test_what_nobody_foresaw_is_told_without_its_insides(server, monkeypatch, caplog):
    async def broken(*_):
        raise RuntimeError("a secret of the house")

    monkeypatch.setattr(server.house.twins, "find", broken)
    answer = httpx.get(f"{server.settings.address}/api/twins/x")
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal"
    assert "secret" not in answer.text and "Traceback" not in answer.text
    assert "a secret of the house" in caplog.text
