"""Opening a database: made, migrated, refused in a sentence, never harmed."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text

from db import opening, scenarios
from db.opening import open_store, sqlite_driver, sqlite_version
from db.store import StoreError
from db.tables import Table
from tests.house.tree import ROOT


def refused(address):
    with pytest.raises(StoreError) as error:
        open_store(address)
    return str(error.value)


def test_the_migrations_make_the_tables(store):
    with store._engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Table.metadata) == []


def test_opening_again_changes_nothing(address):
    first = open_store(address)
    first.keep(scenarios.save, "mine", "digest", {"name": "mine"}, 1.0)
    first.close()
    second = open_store(address)
    row = second.read(scenarios.find, "mine")
    assert row is not None and row.content == {"name": "mine"}
    second.close()


def test_a_database_has_one_server(address):
    first = open_store(address)
    assert "is in use by another server" in refused(address)
    first.close()
    open_store(address).close()


def test_a_server_that_died_does_not_lock_its_database_out(tmp_path):
    address = f"sqlite:///{tmp_path / 'twin.sqlite3'}"
    script = f"import os; from db.opening import open_store; open_store({address!r}); os._exit(9)"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False)
    open_store(address).close()


def test_a_newer_form_is_left_alone(address):
    store = open_store(address)
    with store._engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    assert "has the form 9999 of a newer program" in refused(address)
    assert "has the form 9999 of a newer program" in refused(address)


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path, monkeypatch):
    address = f"sqlite:///{tmp_path / 'twin.sqlite3'}"
    folder = tmp_path / "migrations"
    (folder / "versions").mkdir(parents=True)
    for name in ("env.py", "versions/0001_first.py"):
        (folder / name).write_text((opening.MIGRATIONS / name).read_text())
    broken = (folder / "versions" / "0001_first.py").read_text()
    (folder / "versions" / "0001_first.py").write_text(
        broken.replace("    _of_a_twin()\n", '    op.execute("no SQL")\n', 1)
    )
    monkeypatch.setattr(opening, "MIGRATIONS", folder)
    assert "cannot be read" in refused(address)
    monkeypatch.undo()
    engine = create_engine(address, module=sqlite_driver())
    assert inspect(engine).get_table_names() == []
    engine.dispose()
    open_store(address).close()


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\x00" + b"\xff" * 5000])
def test_what_is_no_database_is_told_and_left(tmp_path, content):
    file = tmp_path / "twin.sqlite3"
    file.write_bytes(content)
    told = refused(f"sqlite:///{file}")
    assert told.startswith(f"the database {file}: cannot be read: ")
    assert "bring back a copy, or move it away" in told and "\n" not in told
    assert file.read_bytes() == content


def test_a_damaged_database_is_told(tmp_path):
    file = tmp_path / "twin.sqlite3"
    address = f"sqlite:///{file}"
    store = open_store(address)
    for number in range(200):
        store.write(scenarios.save, f"s{number}", "d", {"name": f"s{number}", "x": "y" * 900}, 1.0)
    store.close()
    content = bytearray(file.read_bytes())
    half = len(content) // 2
    content[half : half + 40_000] = b"\x13" * len(content[half : half + 40_000])
    file.write_bytes(content)
    assert "cannot be read: " in refused(address)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        (
            "mysql://me:secret@host/db",
            "address is 'mysql://...@host/db': give sqlite",
        ),
        ("sqlite://", "give sqlite:///FILE"),
        ("sqlite:///:memory:", "give sqlite:///FILE"),
        ("twin.sqlite3", "give sqlite:///FILE"),
        ("postgresql+psycopg://me:secret@127.0.0.1:1/db", "cannot be used"),
        ("sqlite:////proc/nowhere/twin.sqlite3", "cannot be used"),
    ],
)
def test_a_wrong_address_is_told_without_its_secret(address, sentence):
    told = refused(address)
    assert sentence in told and "secret" not in told


def test_a_folder_is_made(tmp_path):
    open_store(f"sqlite:///{tmp_path / 'a' / 'b' / 'twin.sqlite3'}").close()
    assert (tmp_path / "a" / "b" / "twin.sqlite3").exists()


def test_the_safe_sqlite_is_used_and_an_old_one_is_told(tmp_path, monkeypatch):
    address = f"sqlite:///{tmp_path / 'twin.sqlite3'}"
    store = open_store(address)
    asked = "select sqlite_version()"
    with store._engine.connect() as connection:
        assert connection.exec_driver_sql(asked).scalar() == sqlite_version()
    safe = tuple(map(int, sqlite_version().split("."))) >= opening.SAFE_SQLITE
    assert (store.notes == ()) is safe
    store.close()
    monkeypatch.setattr(opening, "SAFE_SQLITE", (99, 0, 0))
    old = open_store(address)
    (note,) = old.notes
    assert "is older than 99.0.0" in note and "install the package pysqlite3" in note
    old.close()


def test_without_its_own_sqlite_pythons_is_used(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pysqlite3", None)
    assert sqlite_driver() is sqlite3
    store = open_store(f"sqlite:///{tmp_path / 'twin.sqlite3'}")
    store.keep(scenarios.save, "mine", "digest", {}, 1.0)
    store.close()


def test_every_connection_is_set_up(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'twin.sqlite3'}")

    def pragmas(session):
        names = ("journal_mode", "foreign_keys", "busy_timeout", "synchronous")
        return {n: session.execute(text(f"PRAGMA {n}")).scalar() for n in names}

    expected = {"journal_mode": "wal", "foreign_keys": 1, "busy_timeout": 5000}
    assert store.read(pragmas) == {**expected, "synchronous": 1}
    assert store.keep(pragmas) == {**expected, "synchronous": 2}
    assert store.write(pragmas) == {**expected, "synchronous": 1}
    store.close()


def test_no_log_tells_what_is_stored(store, caplog):
    caplog.set_level(logging.DEBUG)
    store.keep(scenarios.save, "mine", "digest", {"name": "a private word"}, 1.0)
    assert "a private word" not in caplog.text
