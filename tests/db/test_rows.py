"""What is kept comes back: scenarios, traces, runs, twins with their logs and checkpoints."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError

from db import runs, scenarios, traces, twins
from db.store import NoSpace, StoreError
from db.tables import Run, SavedTrace, Twin


def twin(name="a", **more):
    values = {
        "title": "A", "scenario_name": "s", "baseline_name": None, "seed": 2**52, "origin": "o",
        "pace": 10.0, "paused": False, "t": 0.0, "entry": 0, "created_at": 1.0, "seen_at": 1.0,
    }  # fmt: skip
    return Twin(id=name, **{**values, **more})


def entry(number, at_s, **more):
    return {"number": number, "at_s": at_s, "what": "turn", "setting": "x", "value": 1.5, **more}


def run(name, created_at=1.0, **more):
    values = {"kind": "run", "status": "queued", "scenario_name": "s", "identity": name}
    return Run(id=name, asked={"seed": 1}, created_at=created_at, **{**values, **more})


# --- scenarios


def test_versions_of_a_scenario(store):
    for number, content in enumerate(({"a": 1}, {"a": 1}, {"a": 2}, {"a": 1}), 1):
        row = store.keep(scenarios.save, "mine", "d", content, float(number))
        assert row.version == (1, 1, 2, 3)[number - 1]
    assert store.read(scenarios.versions, "mine") == [(3, 4.0), (2, 3.0), (1, 1.0)]
    assert store.read(scenarios.find, "mine").content == {"a": 1}
    assert store.read(scenarios.find, "mine", 2).content == {"a": 2}
    assert store.read(scenarios.find, "mine", 9) is None
    store.keep(scenarios.save, "other", "d", {}, 1.0)
    assert [row.name for row in store.read(scenarios.present)] == ["mine", "other"]
    assert store.keep(scenarios.delete, "mine", 5.0) is True
    assert store.keep(scenarios.delete, "mine", 5.0) is False
    assert [row.name for row in store.read(scenarios.present)] == ["other"]
    assert store.keep(scenarios.save, "mine", "d", {"b": 1}, 6.0).version == 4


def test_values_come_back_as_they_are(store):
    content = {"a": [1, 2.5, None, True, "é漢\N{GRINNING FACE}"], "b": {"c": 1e-300, "d": 2**53}}
    store.keep(scenarios.save, "mine", "d", content, math.pi)
    row = store.read(scenarios.find, "mine")
    assert row.content == content and row.saved_at == math.pi


# --- traces and runs


def test_traces(store):
    made = {"name": "t", "format": "f", "profile": {"a": 1}, "notes": ["n"], "size_bytes": 2**40}
    for name, at in (("a", 1.0), ("b", 2.0)):
        store.keep(traces.add, SavedTrace(id=name, digest=name, saved_at=at, **made))
    again = SavedTrace(id="a", digest="a", saved_at=9.0, **made)
    assert store.keep(traces.add, again).saved_at == 1.0
    assert [row.id for row in store.read(traces.present)] == ["b", "a"]
    assert store.read(traces.find, "a").size_bytes == 2**40
    assert store.keep(traces.delete, "a") is True and store.keep(traces.delete, "a") is False
    assert store.read(traces.find, "a") is None


def test_runs(store):
    for name, at in (("a", 1.0), ("b", 2.0), ("c", 3.0)):
        store.keep(runs.add, run(name, at))
    assert [row.id for row in store.read(runs.under_way)] == ["a", "b", "c"]
    store.keep(runs.finish, "a", "done", 5.0, result={"p50": None, "x": 1.5})
    store.keep(runs.finish, "b", "failed", 6.0, error={"code": "internal"})
    assert [row.id for row in store.read(runs.under_way)] == ["c"]
    assert [row.id for row in store.read(runs.latest)] == ["c", "b", "a"]
    done = store.read(runs.find, "a")
    assert (done.status, done.finished_at, done.result) == ("done", 5.0, {"p50": None, "x": 1.5})
    assert store.read(runs.find, "b").error == {"code": "internal"}
    assert store.read(runs.same, "a").id == "a"
    assert store.read(runs.same, "b") is None and store.read(runs.same, "c") is None
    store.keep(runs.finish, "nobody", "done", 5.0)
    assert store.read(runs.find, "nobody") is None


# --- twins


def test_a_twin_is_kept_noted_and_deleted(store):
    store.keep(twins.add, twin("a"))
    store.keep(twins.add, twin("b", created_at=2.0))
    store.write(twins.add_checkpoint, "a", 0.0, 0, b"state", 1.0)
    store.write(twins.add_entries, "a", [entry(1, 3.0)], 1.0)
    store.write(twins.note, "a", t=7.5, paused=True)
    store.keep(twins.note_all, [{"id": "a", "t": 8.5}, {"id": "b", "t": 9.5}])
    store.keep(twins.note_all, [{"id": "nobody", "t": 1.0}, {"id": "b", "t": 10.5}])
    store.keep(twins.note_all, [])
    found = store.read(twins.find, "a")
    assert (found.t, found.paused, found.entry, found.seed) == (8.5, True, 1, 2**52)
    assert [row.id for row in store.read(twins.present)] == ["b", "a"]
    assert store.read(twins.find, "b").t == 10.5
    assert store.keep(twins.delete, "a") is True and store.keep(twins.delete, "a") is False
    assert store.read(twins.log, "a") == [] and store.read(twins.checkpoint_times, "a") == []


def test_the_log(store):
    store.keep(twins.add, twin())
    store.write(twins.add_entries, "a", [entry(1, 3.0), entry(2, 3.0)], 1.0)
    store.write(twins.add_entries, "a", [], 1.0)
    assert store.read(twins.log, "a") == [entry(1, 3.0), entry(2, 3.0)]
    assert store.read(twins.log, "a", after=1) == [entry(2, 3.0)]
    with pytest.raises(StoreError):  # a number stands once
        store.write(twins.add_entries, "a", [entry(3, 4.0), entry(2, 4.0)], 1.0)
    assert len(store.read(twins.log, "a")) == 2  # all of a change or nothing of it


def test_nothing_follows_an_entry_that_was_not_kept(store):
    store.keep(twins.add, twin())
    store.write(twins.add_entries, "a", [entry(1, 3.0)], 1.0, 0)
    store.write(twins.add_checkpoint, "a", 3.0, 1, b"kept", 1.0, 1)
    with pytest.raises(StoreError, match="entry 2 could not be kept"):
        store.write(twins.add_entries, "a", [entry(3, 5.0)], 1.0, 2)
    store.write(twins.add_checkpoint, "a", 5.0, 2, b"of entry 2", 1.0, 2)
    with pytest.raises(StoreError, match="entry 2 could not be kept"):
        store.keep(twins.fork, twin("b", parent="a"), 5.0, 2, b"of entry 2", 2)
    assert store.read(twins.log, "a") == [entry(1, 3.0)]
    assert store.read(twins.checkpoint_times, "a") == [3.0]
    assert store.read(twins.find, "b") is None


def test_rewinding_takes_back_what_came_after(store):
    store.keep(twins.add, twin())
    for at, number in ((0.0, 0), (600.0, 1), (1200.0, 2)):
        store.write(twins.add_checkpoint, "a", at, number, b"s", 1.0)
    store.write(twins.add_entries, "a", [entry(1, 500.0), entry(2, 700.0)], 1.0)
    assert store.keep(twins.rewind, "a", 650.0, 2.0) == 1
    assert store.read(twins.log, "a") == [entry(1, 500.0)]
    assert store.read(twins.checkpoint_times, "a") == [0.0, 600.0]
    found = store.read(twins.find, "a")
    assert (found.t, found.entry) == (650.0, 1)
    store.write(twins.add_entries, "a", [entry(2, 660.0)], 3.0)  # its number is free again
    assert store.keep(twins.rewind, "a", 0.0, 4.0) == 0
    assert store.read(twins.log, "a") == []


def test_what_a_twin_is_made_from_lies_before(store):
    store.keep(twins.add, twin())
    for number in range(7):
        store.write(twins.add_checkpoint, "a", 600.0 * number, 0, b"%d" % number, 1.0)
    store.write(twins.add_entries, "a", [entry(1, 700.0), entry(2, 3000.0)], 1.0)
    start = store.read(twins.start, "a", 3100.0, 1800.0)
    assert (start.at_s, start.state) == (1200.0, b"2")
    assert [one["number"] for one in start.log] == [1, 2]
    early = store.read(twins.start, "a", 900.0, 1800.0)
    assert (early.at_s, [one["number"] for one in early.log]) == (0.0, [1])
    assert store.read(twins.start, "a", -1.0, 1800.0) is None
    assert store.read(twins.start, "nobody", 5.0, 1800.0) is None


def test_a_fork_takes_along_what_it_may_be_rewound_to(store):
    store.keep(twins.add, twin())
    for number in range(25):
        store.write(twins.add_checkpoint, "a", 600.0 * number, number // 10, b"s", 1.0)
    store.write(twins.add_entries, "a", [entry(1, 5990.0), entry(2, 11_990.0)], 1.0)
    copy = twin("b", parent="a", t=9000.0, entry=1)
    store.keep(twins.fork, copy, 9000.0, 1, b"now")
    assert store.read(twins.log, "b") == [entry(1, 5990.0)]
    times = store.read(twins.checkpoint_times, "b")
    assert times[0] <= 9000 - twins.COPIED_S and times[-1] == 9000
    assert store.read(twins.start, "b", 9000.0, 0.0).state == b"now"
    store.keep(twins.delete, "a")
    assert store.read(twins.checkpoint_times, "b") == times


def test_old_checkpoints_are_thinned(store):
    store.keep(twins.add, twin())
    for number in range(145):
        store.write(twins.add_checkpoint, "a", 600.0 * number, 0, b"s", 1.0)
    times = store.read(twins.checkpoint_times, "a")
    assert times[0] == 0 and times[-7:] == [600.0 * n for n in range(138, 145)]
    assert len(times) < 45


def test_a_checkpoint_of_the_same_moment_is_kept_once(store):
    store.keep(twins.add, twin())
    store.write(twins.add_checkpoint, "a", 5.0, 0, b"one", 1.0)
    store.write(twins.add_checkpoint, "a", 5.0, 0, b"two", 2.0)
    store.write(twins.add_checkpoint, "a", 5.0, 1, b"turned", 3.0)
    assert store.read(twins.checkpoint_times, "a") == [5.0, 5.0]
    assert store.read(twins.start, "a", 5.0, 0.0).state == b"turned"


def test_who_is_forgotten(store):
    for name, more in (
        ("old", {}), ("seen", {"seen_at": 90.0}), ("kept", {"kept": True}),
        ("shared", {"shared": True}),
    ):  # fmt: skip
        store.keep(twins.add, twin(name, **more))
    assert list(store.read(twins.forgotten, 50.0)) == ["old"]


# --- the store


def test_a_change_that_fails_leaves_nothing(store):
    def half(session):
        session.add(twin("x"))
        session.flush()
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        store.keep(half)
    assert store.read(twins.find, "x") is None


def test_rows_are_loose_of_their_session(store):
    store.keep(twins.add, twin("a"))
    row = store.read(twins.find, "a")
    row.title = "changed in memory only"
    assert store.read(twins.find, "a").title == "A"


def test_readers_see_whole_changes_while_one_writes(store):
    store.keep(twins.add, twin("a"))

    def write():
        for number in range(1, 40, 2):
            pair = [entry(number, float(number)), entry(number + 1, float(number))]
            store.write(twins.add_entries, "a", pair, 1.0)

    def read():
        seen = [len(store.read(twins.log, "a")) for _ in range(40)]
        assert seen == sorted(seen) and all(count % 2 == 0 for count in seen)

    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(write), *(pool.submit(read) for _ in range(3))]
        for one in done:
            one.result()
    assert len(store.read(twins.log, "a")) == 40


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_a_full_disk_is_told_from_other_failures(store):
    """Only a file can be told how large it may become."""
    store.keep(twins.add, twin("a"))
    pages = "PRAGMA max_page_count = 1"  # as many as it has
    event.listen(store._engine, "begin", lambda connection: connection.exec_driver_sql(pages))
    with pytest.raises(NoSpace, match=r"twin\.sqlite3\) is full: make room there"):
        store.write(twins.add_checkpoint, "a", 0.0, 0, bytes(10**6), 1.0)
    assert store.read(twins.checkpoint_times, "a") == []


def test_what_the_driver_says_stays_inside(store):
    store.keep(twins.add, twin("a"))
    with pytest.raises(StoreError) as refused:
        store.keep(twins.add, twin("a"))
    assert isinstance(refused.value.__cause__, IntegrityError)
    assert "cannot be used" in str(refused.value)
