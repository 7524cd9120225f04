"""What a visitor asked for and did not wait for is done and logged, or it is not done at all."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial

import pytest

from db import twins
from web.api import changes
from web.api.errors import ApiError
from web.api.orders import Order
from web.client import ClientError

from .failing import failing_store
from .reference import made_of, replayed
from .test_restart import BANDWIDTH, wait_for


def turn(value):
    return [Order(setting=BANDWIDTH, value=value)]


async def leave(work, when):
    """Ask for something, and be gone `when` it is under way."""
    task = asyncio.ensure_future(work)
    while not when():
        await asyncio.sleep(0)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def ordered(live_twin):
    """Whether the worker has been given orders that it has not answered yet."""
    return lambda: any(one.what == "orders" for one in live_twin.process._asked.values())


def logged(live_twin, value):
    return live_twin.log[-1]["value"] == value


def entry_is(client, name, number):
    return client.digest(name)["entry"] == number


def numbers(client, name):
    return [entry["number"] for entry in client.log(name)]


def bandwidth_told(client, name):
    with client.live(name) as viewer:
        return viewer.until("hello")["scenario"]["line"]["bandwidth_gbps"]


def test_a_turn_whose_visitor_has_gone_is_in_the_log(client, server, small):
    scenario, baseline = made_of(client, small)
    live_twin = server.twin(small)
    for number, value in enumerate((41, 42), 1):
        server.call(leave(live_twin.order(turn(value)), ordered(live_twin)))
        wait_for(partial(entry_is, client, small, number))
    assert [entry["value"] for entry in client.log(small)] == [41, 42]
    said = client.digest(small)
    assert replayed(scenario, baseline, 0, client.log(small), said["t"]).digest() == said["digest"]
    copy = client.fork(small, said["t"])["id"]
    assert bandwidth_told(client, copy) == 42
    client.delete_twin(copy)


def test_connections_that_close_right_after_a_turn_leave_no_turn_unlogged(client, small):
    client.change_twin(small, paused=False)
    for value in range(5, 15):
        with client.live(small) as viewer:
            viewer.until("hello")
            viewer.send("turn", setting=BANDWIDTH, value=value)
    client.change_twin(small, paused=True)
    assert client.digest(small)["entry"] == len(client.log(small))


def test_a_turn_that_is_answered_late_is_in_the_log(client, server, small, monkeypatch):
    monkeypatch.setattr(changes, "PATIENCE_S", 0.0)
    with pytest.raises(ApiError, match="shows in its log") as late:
        server.call(server.twin(small).order(turn(42)))
    assert late.value.code == "busy"
    wait_for(lambda: client.digest(small)["entry"] == 1)
    assert [entry["value"] for entry in client.log(small)] == [42]


def test_a_rewind_whose_visitor_has_gone_is_carried_out_whole(client, server, small):
    server.advance(small, 300)
    client.turn(small, BANDWIDTH, 8)
    live_twin = server.twin(small)
    server.call(leave(live_twin.rewind(100), lambda: live_twin._turning_back))
    wait_for(lambda: client.digest(small)["t"] == 100)
    said = client.digest(small)
    assert (said["t"], said["entry"], client.log(small)) == (100, 0, [])


@pytest.mark.parametrize("leaves", ["never", "when asked", "when answered"])
def test_what_cannot_be_logged_does_not_stay(client, server, small, monkeypatch, leaves):
    client.turn(small, BANDWIDTH, 8)
    before = client.digest(small)
    failing = failing_store(server, monkeypatch, twins.add_entries)
    live_twin, worker = server.twin(small), server.twin(small).process.pid
    if leaves == "never":
        with pytest.raises(ClientError, match="nothing that was saved is lost"):
            client.turn(small, BANDWIDTH, 42)
    else:
        answered = partial(logged, live_twin, 42)
        when = ordered(live_twin) if leaves == "when asked" else answered
        server.call(leave(live_twin.order(turn(42)), when))
    wait_for(lambda: failing and live_twin.process.pid not in (worker, None))
    wait_for(lambda: client.twin(small)["status"] == "paused")
    assert client.digest(small) == before and numbers(client, small) == [1]
    monkeypatch.undo()
    assert client.turn(small, BANDWIDTH, 9)["number"] == 2
    server.advance(small, 20)
    assert bandwidth_told(client, small) == 9


def test_what_is_answered_and_cannot_be_told_ends_the_worker(client, server, small, monkeypatch):
    before = client.digest(small)
    live_twin, worker = server.twin(small), server.twin(small).process.pid
    monkeypatch.setattr(live_twin._memory, "write", None)
    with pytest.raises(ClientError, match="something went wrong"):
        client.turn(small, BANDWIDTH, 42)
    monkeypatch.undo()
    wait_for(lambda: live_twin.process.pid not in (worker, None))
    assert client.digest(small) == before and client.log(small) == []
