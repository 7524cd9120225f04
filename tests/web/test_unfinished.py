"""A server that was killed while it made a twin: the next one copes with what it finds."""

from __future__ import annotations

import pytest
from sqlalchemy import delete

from db import twins
from db.opening import open_store
from db.tables import Checkpoint, Twin
from web.api.supervisor import DEFAULT, default_twin, origin
from web.client import ClientError
from web.settings import Settings


def row(name, **more):
    wanted = default_twin()
    return Twin(
        id=name, title="A", scenario_name="pdd_43a_32b", baseline_name="same_dc_88a",
        seed=wanted.seed, origin=origin(wanted), pace=10.0, paused=False, t=0.0, entry=0,
        created_at=1e9, seen_at=1e10, kept=True, **more,
    )  # fmt: skip


def left_behind(folder, *rows, state=None):
    """A database as a killed server leaves it."""
    store = open_store(Settings(data=folder).database_address)
    for one in rows:
        store.keep(twins.add, one)
        if state is not None:
            store.keep(twins.add_checkpoint, one.id, 0.0, 0, state, 1e9)
    store.close()


@pytest.mark.parametrize("state", [None, b"what nobody can read"])
def test_a_default_twin_that_cannot_be_woken_is_made_anew(serve, tmp_path, state):
    left_behind(tmp_path, row(DEFAULT, shared=True), state=state)
    server = serve(data=tmp_path, spares=1)
    with server.client() as client:
        assert client.digest(DEFAULT)["t"] >= 7200
        with client.live() as viewer:
            assert viewer.until("hello")["twin"] == DEFAULT
        copy = client.fork(DEFAULT)["id"]
        assert client.twin(copy)["status"] == "running"
    server.stop()


def test_another_twin_without_a_state_says_so_and_can_be_deleted(serve, tmp_path):
    left_behind(tmp_path, row("half"), row("other"))
    server = serve(data=tmp_path, spares=1)
    with server.client() as client:
        assert client.twin("half")["status"] == "failed"
        for ask in (client.digest, client.fork, lambda name: client.fork(name, 0)):
            with pytest.raises(ClientError, match="nothing is kept of this twin") as no:
                ask("half")
            assert "delete it" in no.value.message
            assert (no.value.status, no.value.code) == (409, "conflict")
        with client.live("half") as viewer:
            assert "nothing is kept" in viewer.until("refused")["error"]["message"]
        client.delete_twin("half")
        names = {twin["id"] for twin in client.twins()}
        assert "half" not in names and "other" in names
    server.stop()


def test_a_twin_is_kept_with_its_state_when_it_is_told_of(serve, tmp_path):
    server = serve(data=tmp_path, spares=1)
    with server.client() as client:
        names = [client.make_twin("bench_4p4d")["id"] for _ in range(3)]
        kept = server.house.store.read(twins.unfinished)
        assert not set(names) & set(kept)
    server.stop()


def test_a_time_before_the_first_that_is_kept(client, server):
    made = client.make_twin("bench_4p4d")["id"]
    client.change_twin(made, paused=True)
    server.advance(made, 700)
    server.house.store.write(forget_the_first, made)
    with pytest.raises(ClientError, match="is 0 s: what is kept of the twin begins at") as early:
        client.rewind(made, 0)
    assert early.value.status == 422
    with pytest.raises(ClientError) as again:
        client.fork(made, 0)
    assert again.value.message == early.value.message
    first = float(early.value.message.split("begins at ")[1].split(" s")[0])
    assert client.fork(made, first)["t"] >= first >= 600
    client.rewind(made, first)
    assert client.digest(made)["t"] == first


def forget_the_first(session, name):
    session.execute(delete(Checkpoint).where(Checkpoint.twin_id == name, Checkpoint.at_s < 600))
