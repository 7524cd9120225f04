"""A full disk: it is said in a sentence, nothing half done is left, and all goes on afterwards."""

from __future__ import annotations

import logging

import pytest

from db import traces, twins
from db.store import NoSpace
from twin.errors import Problem
from web.api import traces as traces_api
from web.client import ClientError

from .failing import failing_store
from .test_restart import BANDWIDTH, wait_for
from .test_traces import few_lines

FULL = NoSpace(Problem("the place of the database (here)", "full", "make room there"))
SENTENCE = "the data folder is full: free space there"


def names(client):
    return {twin["id"] for twin in client.twins()}


def refused(ask, *args, **named):
    with pytest.raises(ClientError, match=SENTENCE) as error:
        ask(*args, **named)
    assert (error.value.code, error.value.status) == ("no_space", 507)
    assert error.value.problems[0]["place"] == "the data folder"


@pytest.mark.parametrize("more", [{}, {"set": {BANDWIDTH: 7}}])
@pytest.mark.parametrize("fails", [twins.fork, twins.add_entries])
def test_a_fork_that_cannot_be_kept_is_gone(client, server, small, monkeypatch, more, fails):
    before, kept = names(client), server.house.store.read(twins.present)
    if fails is twins.fork or more:
        failing_store(server, monkeypatch, fails, error=FULL)
        refused(client.fork, small, **more)
        monkeypatch.undo()
    assert names(client) == before
    assert len(server.house.store.read(twins.present)) == len(kept)
    client.change_twin(small, title="noted")
    server.call(server.house.twins.keep_all())
    assert server.house.store.read(twins.find, small).title == "noted"


def test_a_visitor_whose_copy_cannot_be_kept_is_back_with_the_shared_twin(
    client, server, monkeypatch, live
):
    viewer = live()
    viewer.until("hello")
    before = names(client)
    failing_store(server, monkeypatch, twins.fork, error=FULL)
    number = viewer.send("turn", setting=BANDWIDTH, value=7)
    moved = viewer.until("moved")
    assert viewer.until("moved", **{"from": moved["twin"]})["twin"] == "default"
    assert viewer.until("hello", twin="default")["shared"] is True
    assert SENTENCE in viewer.until("refused", id=number)["error"]["message"]
    assert names(client) == before


def test_turns(client, server, small, monkeypatch, caplog):
    before, worker = client.digest(small), server.twin(small).process.pid
    failing_store(server, monkeypatch, twins.add_entries, twins.add_checkpoint, error=FULL)
    with caplog.at_level(logging.WARNING):
        refused(client.turn, small, BANDWIDTH, 7)
        wait_for(lambda: server.twin(small).process.pid not in (worker, None))
        wait_for(lambda: client.twin(small)["status"] == "paused")
        server.advance(small, 700)  # past a checkpoint
    monkeypatch.undo()
    assert [record for record in caplog.records if record.exc_info] == []
    client.rewind(small, before["t"])
    assert client.digest(small) == before and client.log(small) == []


def test_traces_that_find_no_room(client, server, monkeypatch, caplog):
    folder = server.house.trace_files.folder
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(traces_api.secrets, "token_hex", lambda _: "full")
    (folder / "incoming-full").symlink_to("/dev/full")
    refused(client.upload_trace, few_lines(30) * 1000)
    monkeypatch.undo()
    failing_store(server, monkeypatch, traces.add, error=FULL)
    refused(client.upload_trace, few_lines(31))
    assert [file for file in folder.iterdir() if file.name.startswith("incoming")] == []
    monkeypatch.undo()
    assert [record for record in caplog.records if record.exc_info] == []
    said = client.upload_trace(few_lines(31))
    client.delete_trace(said["id"])


def test_a_row_that_is_gone_does_not_keep_others_from_being_noted(client, server, small):
    live_twin = server.twin(small)
    seen = [{**live_twin.seen(), "id": "nobody"}, {**live_twin.seen(), "title": "still noted"}]
    server.house.store.keep(twins.note_all, seen)
    assert server.house.store.read(twins.find, small).title == "still noted"
