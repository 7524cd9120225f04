"""A PostgreSQL server for tests: on loopback, without passwords, gone when the tests are."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql


@dataclass(frozen=True)
class PostgresServer:
    """A running server: its programs, where its data lie, and its port on 127.0.0.1."""

    programs: Path
    folder: Path
    port: int

    def new_database(self) -> str:
        """Make an empty database and return its address, as SQLAlchemy reads it."""
        name = f"t_{uuid.uuid4().hex[:12]}"
        address = f"host=127.0.0.1 port={self.port} user=postgres dbname=postgres"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/{name}"


def _as_postgres(*command: object) -> list[str]:
    """The command as user postgres where we are root, since the server refuses root."""
    words = [str(word) for word in command]
    return ["runuser", "-u", "postgres", "--", *words] if os.geteuid() == 0 else words


def _run(*command: object, cwd: Path) -> None:
    """Run a command of the server; what it says goes into the error when it fails."""
    log = cwd / "setup.log"
    with log.open("ab") as out:
        # a file and not a pipe: the started server inherits it and would keep a pipe open
        done = subprocess.run(
            _as_postgres(*command), cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}:\n{log.read_text()}")


def free_port() -> int:
    """A port of loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _start(programs: Path, folder: Path, tries: int = 3) -> int:
    """Start the server and return its port; another port where the first was taken meanwhile."""
    port = free_port()
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
    try:
        _run(
            programs / "pg_ctl",
            *("-D", folder / "data", "-l", folder / "server.log"),
            *("-w", "-o", options, "start"),
            cwd=folder,
        )
    except RuntimeError:
        if tries == 1:
            raise
        return _start(programs, folder, tries - 1)
    return port


@contextmanager
def running_server(programs: Path) -> Iterator[PostgresServer]:
    """A fresh server from the programs in that folder (initdb, pg_ctl); stopped at the end."""
    folder = Path(tempfile.mkdtemp(prefix="pdd-twin-postgres-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        _run(
            programs / "initdb",
            *("-D", folder / "data", "-A", "trust", "-U", "postgres"),
            *("-E", "UTF8", "--locale", "C", "--no-sync"),
            cwd=folder,
        )
        server = PostgresServer(programs, folder, _start(programs, folder))
        try:
            yield server
        finally:
            _run(
                programs / "pg_ctl",
                *("-D", folder / "data", "-m", "immediate", "-w", "stop"),
                cwd=folder,
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
