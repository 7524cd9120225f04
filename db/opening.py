"""Opens the database: finds the driver, takes it for this server alone, migrates it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from twin.errors import Problem, shown

from .store import DURABLE, IMMEDIATE, Store, StoreError, reason
from .tables import Table

SAFE_SQLITE = (3, 51, 3)
"""From here on SQLite has no fault by which two connections can spoil a write-ahead log."""

BUSY_MS = 5_000
QUICK_CHECK_BYTES = 100_000_000
"""A database file up to this size is looked through when it is opened."""

LOCK_NUMBER = 0x7064645F
"""Names our lock on a PostgreSQL server."""

MIGRATIONS = Path(__file__).parent / "migrations"


def open_store(address: str) -> Store:
    """The database at a SQLAlchemy address, at the newest schema; StoreError in one sentence."""
    url = _url(address)
    with ExitStack() as stack:
        notes = []
        if url.get_backend_name() == "sqlite":
            stack.enter_context(_file_alone(Path(url.database or "")))
            engine, version = _sqlite(url)
            notes = _notes(version)
        else:
            engine = _postgresql(url)
        stack.callback(engine.dispose)
        if url.get_backend_name() != "sqlite":
            stack.enter_context(_server_alone(engine, url))
        _migrate(engine, url)
        return Store(engine, tuple(notes), stack.pop_all())


def _url(address: str) -> URL:
    try:
        url = make_url(address)
    except ArgumentError:
        url = None
    known = url is not None and url.get_backend_name() in ("sqlite", "postgresql")
    in_file = url is not None and url.database not in (None, "", ":memory:")
    if url is None or not known or not in_file:
        remedy = "give sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE"
        raise StoreError(Problem("the database's address", shown(_hidden(address)), remedy))
    return url


def _hidden(address: str) -> str:
    """An address without what stands before its host."""
    head, at, tail = address.rpartition("@")
    return f"{head.partition('://')[0]}://...@{tail}" if at else address


def sqlite_driver() -> Any:
    """The module that speaks to SQLite: pysqlite3 with its own SQLite, else Python's."""
    try:
        from pysqlite3 import dbapi2
    except ImportError:
        return sqlite3
    return dbapi2


def sqlite_version() -> str:
    """The version of SQLite that is used."""
    return sqlite_driver().sqlite_version


def _notes(version: tuple[int, ...]) -> list[str]:
    if version >= SAFE_SQLITE:
        return []
    told, safe = (".".join(map(str, numbers)) for numbers in (version, SAFE_SQLITE))
    return [
        f"SQLite {told} is older than {safe} and can, rarely, spoil its log when two connections "
        "write: install the package pysqlite3, or keep a copy of the database."
    ]


def _sqlite(url: URL) -> tuple[Engine, tuple[int, ...]]:
    driver = sqlite_driver()
    engine = create_engine(
        url.set(drivername="sqlite"), module=driver, json_serializer=_json,
        json_deserializer=orjson.loads,
    )  # fmt: skip
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine, tuple(driver.sqlite_version_info)


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _prepare(connection: Any, _: Any) -> None:
    """Transactions are begun by us, so that a change of the schema is part of one, too."""
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout = {BUSY_MS}", "journal_mode = WAL", "synchronous = NORMAL",
        "foreign_keys = ON", "journal_size_limit = 67108864",
    ):  # fmt: skip
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get(IMMEDIATE):
        level = "FULL" if options.get(DURABLE) else "NORMAL"
        connection.exec_driver_sql(f"PRAGMA synchronous = {level}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(IMMEDIATE) else "BEGIN")


def _postgresql(url: URL) -> Engine:
    try:
        return create_engine(
            url.set(drivername="postgresql+psycopg"), json_serializer=_json,
            json_deserializer=orjson.loads, pool_pre_ping=True, connect_args={"connect_timeout": 5},
        )  # fmt: skip
    except (NoSuchModuleError, ImportError) as error:
        raise StoreError(Problem("the database", "", f"has no driver: {error}")) from error


# --- one server alone


@contextmanager
def _file_alone(file: Path) -> Iterator[None]:
    """The file's folder is there, and no other server uses the file."""
    lock = file.with_name(f"{file.name}.lock")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        held = lock.open("a+")
    except OSError as error:
        remedy = f"cannot be used: {(error.strerror or str(error)).lower()}"
        raise StoreError(Problem(f"the database {file}", "", remedy)) from error
    with held:
        if not _locked(held.fileno()):
            remedy = "is in use by another server; stop that, or name another file"
            raise StoreError(Problem(f"the database {file}", "", remedy))
        yield


def _locked(descriptor: int) -> bool:
    """Whether the lock could be taken; it is free again when its holder ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # another system: SQLite's own locks have to do
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def _server_alone(engine: Engine, url: URL) -> Iterator[None]:
    place = f"the database {url.database} on {url.host}"
    try:
        connection = engine.connect()
    except DBAPIError as error:
        raise StoreError(Problem(place, "", f"cannot be used: {reason(error)}")) from error
    with connection:
        asked = text("SELECT pg_try_advisory_lock(:number)")
        if not connection.execute(asked, {"number": LOCK_NUMBER}).scalar():
            remedy = "is in use by another server; stop that, or name another database"
            raise StoreError(Problem(place, "", remedy))
        connection.commit()
        yield
        with suppress(DBAPIError):
            connection.invalidate()


# --- schema


def _migrate(engine: Engine, url: URL) -> None:
    """Bring the database to the newest schema, all of the way or not at all."""
    place = f"the database {url.database}"
    newest = max(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("*.py"))
    try:
        _look_through(engine, url)
        with engine.execution_options(**{IMMEDIATE: True}).begin() as connection:
            present = _revision(connection)
            if present is not None and present > newest:
                remedy = (
                    f"has the form {present} of a newer program, and this one knows {newest}: "
                    "start the newer one, or name another database"
                )
                raise StoreError(Problem(place, "", remedy))
            if present != newest:
                _upgrade(connection)
    except DBAPIError as error:
        raise _unusable(place, reason(error)) from error


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


def _upgrade(connection: Connection) -> None:
    from alembic import command  # takes half a second, and is seldom needed
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes.update(connection=connection, metadata=Table.metadata)
    command.upgrade(config, "head")


def _look_through(engine: Engine, url: URL) -> None:
    if url.get_backend_name() != "sqlite":
        return
    file = Path(url.database or "")
    if not file.exists() or file.stat().st_size > QUICK_CHECK_BYTES:
        return
    with engine.connect() as connection:
        said = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if said != "ok":
        raise _unusable(f"the database {file}", str(said).splitlines()[-1])


def _unusable(place: str, why: str) -> StoreError:
    remedy = f"cannot be read: {why}; it is left as it is: bring back a copy, or move it away"
    return StoreError(Problem(place, "", remedy))
