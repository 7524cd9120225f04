"""The WebSocket: what a viewer is told and shown, and that visitors do not touch each other."""

from __future__ import annotations

import contextlib
from itertools import pairwise

import pytest

from web.client import ClientError

BANDWIDTH = "line.bandwidth_gbps"


def frame_of(viewer, entry):
    """A frame that shows a log entry: the latest, or the first that comes."""
    while viewer.latest.get("frame", {"entry": -1})["entry"] < entry:
        viewer.until("frame")
    return viewer.latest["frame"]


def frame_with(viewer, **like):
    """A frame with these fields: the latest, or the first that comes."""
    latest = viewer.latest.get("frame", {})
    if all(latest.get(name) == value for name, value in like.items()):
        return latest
    return viewer.until("frame", **like)


def test_hello_tells_the_whole_twin(live):
    hello = live().until("hello")
    assert hello["twin"] == "default" and hello["shared"] is True
    assert hello["scenario"]["name"] == "pdd_43a_32b"
    assert hello["baseline"]["name"] == "same_dc_88a"
    assert hello["t"] >= 7200 and hello["pace"] == 10
    assert 3.0 <= hello["tiles"]["ttft_p50_s"] <= 5.5
    times = hello["courses"]["time_s"]
    assert times == hello["baseline_courses"]["time_s"]
    assert times[-1] - times[0] >= 1700
    assert all(len(course) == len(times) for course in hello["courses"]["values"].values())


def test_frames_show_requests_and_go_on(live):
    viewer = live()
    first, second = viewer.until("frame"), viewer.until("frame")
    assert second["t"] > first["t"]
    assert first["of"] == len(first["requests"]) > 0
    assert {"counts", "line", "prefill", "relay", "main", "crossing", "totals"} <= set(first)


def test_courses_of_frames_leave_no_hole(live):
    viewer = live()
    times = list(viewer.until("hello")["courses"]["time_s"])
    for _ in range(15):
        times += viewer.until("frame").get("course", {"time_s": []})["time_s"]
    steps = {round(b - a, 6) for a, b in pairwise(times)}
    assert steps == {5.0}


def test_first_turn_forks_the_shared_twin_for_that_visitor(client, live):
    mine, theirs = live(), live()
    mine.until("hello")
    theirs.until("hello")
    before = client.log("default")
    number = mine.send("turn", setting=BANDWIDTH, value=7.5)
    moved = mine.until("moved")
    assert (moved["id"], moved["from"]) == (number, "default")
    hello = mine.until("hello", "frame", "turned")
    assert hello["type"] == "hello" and hello["twin"] == moved["twin"]
    assert hello["parent"] == "default" and hello["shared"] is False
    assert hello["scenario"]["line"]["bandwidth_gbps"] == 7.5
    turned = mine.until("turned")
    assert turned["id"] == number and turned["by"] == "you"
    assert turned["entry"]["setting"] == BANDWIDTH
    assert frame_of(mine, 1)["twin"] == moved["twin"]
    assert theirs.until("frame")["twin"] == "default"
    assert client.log("default") == before == []
    assert client.twin("default")["entry"] == 0
    client.delete_twin(moved["twin"])


def test_a_fork_leaves_the_other_untouched(client, small, server):
    copy = client.fork(small, set={BANDWIDTH: 25})["id"]
    assert client.twin(copy)["parent"] == small
    before = client.digest(small)
    client.turn(copy, BANDWIDTH, 30)
    server.advance(copy, 400)
    assert client.digest(small) == before
    assert client.digest(copy)["digest"] != before["digest"]
    client.delete_twin(copy)


def test_all_viewers_hear_of_a_turn_and_who_made_it(live, small):
    mine, other = live(small), live(small)
    mine.until("hello")
    other.until("hello")
    entry = mine.turn(BANDWIDTH, 8)["entry"]
    heard = other.until("turned")
    assert (heard["entry"], heard["by"], heard["id"]) == (entry, "other", None)
    for viewer in (mine, other):
        assert "tiles" in frame_of(viewer, entry["number"])


def test_frames_are_the_same_for_all_viewers(live, small):
    viewers = [live(small) for _ in range(3)]
    for viewer in viewers:
        viewer.until("hello")
    live(small).turn(BANDWIDTH, 9)
    frames = [frame_of(viewer, 1) for viewer in viewers]
    assert frames[0] == frames[1] == frames[2]


def test_a_refused_turn_changes_nothing(client, live, small):
    viewer = live(small)
    viewer.until("hello")
    before = client.digest(small)
    with pytest.raises(ClientError, match="above 0") as refused:
        viewer.turn(BANDWIDTH, -1)
    assert refused.value.code == "turn_refused"
    assert client.digest(small) == before
    assert client.log(small) == []


def test_a_refused_first_turn_leaves_the_visitor_with_the_shared_twin(client, live):
    twins = {twin["id"] for twin in client.twins()}
    viewer = live()
    viewer.until("hello")
    for value in (-1, "wide", [1, 2]):
        with pytest.raises(ClientError):
            viewer.turn(BANDWIDTH, value)
    assert viewer.until("frame")["twin"] == "default"
    assert {twin["id"] for twin in client.twins()} == twins


def test_several_settings_are_turned_together_or_not_at_all(client, live, small):
    viewer = live(small)
    before = client.digest(small)
    with pytest.raises(ClientError):
        viewer.do("set", "turned", values={BANDWIDTH: 20, "line.rtt_ms": -1})
    assert client.digest(small) == before
    # low may not reach high, so only one of the two orders works
    marks = {"policy.load_gate_low": 60, "policy.load_gate_high": 70}
    said = viewer.do("set", "turned", values=marks)
    assert [entry["number"] for entry in said["entries"]] == [1, 2]
    assert said["entry"]["number"] == 2
    assert viewer.do("pace", "state", value=20)["pace"] == 20


def test_pause_and_play(live, small):
    viewer = live(small)
    viewer.until("hello")
    assert viewer.do("play", "state")["status"] == "running"
    moving = frame_with(viewer, paused=False)
    assert viewer.until("frame")["t"] > moving["t"]
    assert viewer.do("pause", "state")["status"] == "paused"
    standing = frame_with(viewer, paused=True)["t"]
    viewer.turn(BANDWIDTH, 9)
    assert frame_of(viewer, 1)["t"] == standing


def test_pausing_the_shared_twin_forks_it(client, live):
    viewer = live()
    viewer.until("hello")
    number = viewer.send("pause")
    moved = viewer.until("moved", id=number)
    assert viewer.until("state", id=number)["paused"] is True
    assert client.twin("default")["paused"] is False
    client.delete_twin(moved["twin"])


def test_rewind_goes_back_and_on(client, live, small, server):
    server.advance(small, 900)
    viewer, other = live(small), live(small)
    viewer.until("hello")
    other.until("hello")
    viewer.turn(BANDWIDTH, 8)
    server.advance(small, 1200)
    number = viewer.send("rewind", to_s=850)
    assert viewer.until("moved", id=number)["twin"] == small
    for seen in (viewer, other):
        hello = seen.until("hello")
        assert (hello["t"], hello["entry"], hello["log"]) == (850, 0, [])
        assert hello["courses"]["time_s"][-1] == 850
    assert client.log(small) == []
    assert viewer.turn(BANDWIDTH, 7)["entry"]["number"] == 1
    with pytest.raises(ClientError, match="has come to 850 s only"):
        viewer.do("rewind", "moved", to_s=2000)


def test_rewind_of_the_shared_twin_moves_to_a_copy(client, live):
    viewer = live()
    viewer.until("hello")
    number = viewer.send("rewind", to_s=6600)
    moved = viewer.until("moved", id=number)
    hello = viewer.until("hello")
    assert hello["twin"] == moved["twin"] != "default"
    assert hello["forked_at_s"] == 6600 and 6600 <= hello["t"] < 6700
    assert hello["courses"]["time_s"][0] <= 6600 - 1700
    assert client.twin("default")["t"] >= 7200
    client.delete_twin(moved["twin"])


def test_fork_in_the_past_beside_the_original(client, live, small, server):
    server.advance(small, 1300)
    viewer = live(small)
    forked = viewer.do("fork", "forked", at_s=700, set={BANDWIDTH: 25})
    copy = client.twin(forked["twin"])
    assert copy["forked_at_s"] == 700 and copy["parent"] == small
    assert frame_with(viewer)["twin"] == small  # the connection stays
    assert [entry["value"] for entry in client.log(forked["twin"])] == [25]
    client.delete_twin(forked["twin"])


def test_a_turn_is_followed_by_a_forecast(live, small):
    viewer = live(small)
    hello = viewer.until("hello")
    entry = viewer.turn(BANDWIDTH, 5)["entry"]
    forecast = viewer.until("forecast")
    assert (forecast["twin"], forecast["entry"]) == (small, entry["number"])
    assert forecast["to_s"] - forecast["from_s"] == 600
    assert forecast["from_s"] == hello["t"]
    assert forecast["tiles"]["requests"] > 0
    assert len(forecast["time_s"]) == len(forecast["values"]["line_gbps"]) > 100
    asked = viewer.do("forecast", "forecast", horizon_s=60)
    assert asked["to_s"] - asked["from_s"] == 60
    assert live(small).until("hello")["forecast"]["entry"] == entry["number"]


def test_a_forecast_that_one_viewer_asks_for_is_told_to_all(live, small):
    one, other = live(small), live(small)
    for viewer in (one, other):
        viewer.until("hello")
    asked = one.do("forecast", "forecast")
    told = other.until("forecast")
    assert told["from_s"] == asked["from_s"]
    assert "id" not in told
    assert live(small).until("hello")["forecast"]["from_s"] == asked["from_s"]


def test_a_turn_does_not_wait_for_a_forecast_that_was_asked_for_before(live, small):
    viewer = live(small)
    viewer.until("hello")
    forecast = viewer.send("forecast", horizon_s=3600)
    turn = viewer.send("turn", setting=BANDWIDTH, value=5)
    first = viewer.until("turned", "forecast", "refused")
    assert (first["type"], first["id"]) == ("turned", turn)
    assert viewer.until("forecast", "refused", id=forecast)["type"] == "forecast"


def test_happen_and_reset(client, live, small):
    viewer = live(small)
    viewer.until("hello")
    said = viewer.do("happen", "turned", what="line_cut")
    assert said["entry"]["what"] == "line_cut"
    assert frame_of(viewer, 1)["line"]["cut"] is True
    lost = {"what": "instance_lost", "pool": "main_decode", "instance": 3}
    viewer.do("happen", "turned", **lost)
    with pytest.raises(ClientError, match="lost already"):
        viewer.do("happen", "turned", **lost)
    number = viewer.send("reset")
    assert viewer.until("moved", id=number)["twin"] == "default"
    assert viewer.until("hello")["twin"] == "default"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "line 1, column 2: is not JSON"),
        ("[]", "valid dictionary"),
        ('{"do": "fly"}', "do is 'fly': known are turn, set, happen,"),
        ('{"id": 3}', "do is absent: give it"),
        ('{"do": "turn", "setting": "x", "value": NaN}', "value is NaN: give a finite number"),
        ('{"do": "turn", "setting": "x", "value": 1e999}', "value is 1e999: give a finite number"),
        ('{"do": "turn", "setting": "x", "value": -Infinity}', "value is -Infinity"),
        ('{"do": "pace", "value": "10"}', "value is '10': should be a valid number"),
        ('{"do": "pace", "value": 601}', "less than or equal to 600"),
        ('{"do": "pace", "value": 10, "value": 20}', "'value' is given twice"),
        ('{"do": "rewind", "to_s": -5}', "to_s is -5"),
        ('{"do": "pause", "why": 1}', "why is unknown"),
        ('{"do": "turn", "setting": "x"}', "value is absent: give it"),
        ('{"do": "set", "values": {}}', "values"),
        ('{"do": "pause", "x": "' + "y" * 70_000 + '"}', "at most 65536 characters"),
    ],
)
def test_a_message_that_says_nothing_is_refused_in_a_sentence(still, text, sentence):
    viewer = still
    viewer.socket.send(text)
    error = viewer.until("refused")["error"]
    assert sentence in error["message"]
    assert error["code"] in ("bad_request", "too_large")
    viewer.do("pause", "state")  # the connection goes on


@pytest.fixture(scope="module")
def still(server):
    """A viewer of a twin that stands."""
    with server.client() as client:
        made = client.make_twin("bench_4p4d")
        with client.live(made["id"]) as viewer:
            viewer.until("hello")
            viewer.do("pause", "state")
            yield viewer
        client.delete_twin(made["id"])


def test_the_number_of_a_refused_message_comes_back(still):
    viewer = still
    viewer.socket.send('{"do": "pace", "id": 77, "value": "fast"}')
    assert viewer.until("refused")["id"] == 77


def test_no_such_twin(live):
    viewer = live("nobody")
    said = viewer.until("refused")
    assert said["error"]["code"] == "not_found"
    assert "there is no twin 'nobody'" in said["error"]["message"]


def test_viewers_of_a_deleted_twin_are_told(client, live):
    made = client.make_twin("bench_4p4d")
    viewer = live(made["id"])
    viewer.until("hello")
    client.delete_twin(made["id"])
    assert viewer.until("gone")["twin"] == made["id"]
    with pytest.raises(ClientError, match="has been deleted"):
        viewer.turn("workload.rate_rps", 3)
    viewer.send("reset")
    assert viewer.until("hello")["twin"] == "default"


def test_many_turns_in_a_row_are_all_kept(client, live, small):
    viewer = live(small)
    numbers = [viewer.send("turn", setting=BANDWIDTH, value=5 + i / 10) for i in range(40)]
    answered = [viewer.until("turned")["id"] for _ in numbers]
    assert answered == numbers
    kept = client.log(small)
    assert [entry["value"] for entry in kept] == [5 + i / 10 for i in range(40)]
    assert [entry["number"] for entry in kept] == list(range(1, 41))


def test_who_leaves_is_no_viewer_any_more(client, live, small):
    viewer = live(small)
    viewer.until("hello")
    assert client.twin(small)["viewers"] == 1
    viewer.socket.close()
    with contextlib.suppress(TimeoutError):
        live(small).until("nothing", timeout_s=0.3)
    assert client.twin(small)["viewers"] == 1
