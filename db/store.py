"""The only place that opens sessions: one transaction for each thing that is read or written."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session

from twin.errors import Problem, TwinError

Asked = ParamSpec("Asked")
Said = TypeVar("Said")

IMMEDIATE = "immediate"
"""Execution option of a connection that is going to write (read by `db.opening` on SQLite)."""

DURABLE = "durable"
"""Execution option of a connection whose commit must outlive a power cut, not only a crash."""


DISK_FULL = "53100"
"""What PostgreSQL calls it; SQLite says it in words."""


class StoreError(TwinError):
    """The database cannot be opened, read or written."""


class NoSpace(StoreError):
    """The database cannot be written because the disk is full."""


class Store:
    """An open database. `notes` are sentences on it for whoever started the program.

    One thread at a time may call `write`; others may `read` meanwhile. What they return are rows
    of `tables`, loose of any session.
    """

    def __init__(self, engine: Engine, notes: tuple[str, ...], owned: ExitStack) -> None:
        self.notes = notes
        self._owned = owned
        self._engine = engine
        self._writing = engine.execution_options(**{IMMEDIATE: True})
        self._durably = engine.execution_options(**{IMMEDIATE: True, DURABLE: True})

    def read(
        self,
        ask: Callable[Concatenate[Session, Asked], Said],
        *args: Asked.args,
        **named: Asked.kwargs,
    ) -> Said:
        """What `ask(session, ...)` says, in a transaction of its own; StoreError on failure."""
        return self._carried_out(self._engine, ask, *args, **named)

    def write(
        self,
        change: Callable[Concatenate[Session, Asked], Said],
        *args: Asked.args,
        **named: Asked.kwargs,
    ) -> Said:
        """Carry out `change(session, ...)` whole or not at all; it outlives a crash from now on.

        What was written in the last moments may be lost when the machine loses its power.
        """
        return self._carried_out(self._writing, change, *args, **named)

    def keep(
        self,
        change: Callable[Concatenate[Session, Asked], Said],
        *args: Asked.args,
        **named: Asked.kwargs,
    ) -> Said:
        """As `write`; this and all that was written before outlives a power cut too."""
        return self._carried_out(self._durably, change, *args, **named)

    def _carried_out(
        self,
        engine: Engine,
        work: Callable[Concatenate[Session, Asked], Said],
        *args: Asked.args,
        **named: Asked.kwargs,
    ) -> Said:
        try:
            with Session(engine, expire_on_commit=False) as session, session.begin():
                return work(session, *args, **named)
        except DatabaseError as error:
            if is_full(error):
                place = f"the place of the database ({self._engine.url.database})"
                raise NoSpace(Problem(place, "full", "make room there")) from error
            raise StoreError(
                Problem("the database", "", f"cannot be used: {reason(error)}")
            ) from error

    def close(self) -> None:
        """Let go of the database."""
        self._owned.close()


def is_full(error: BaseException) -> bool:
    """Whether the driver failed for want of room on the disk."""
    origin = getattr(error, "orig", None) or error
    return "disk is full" in str(origin) or getattr(origin, "sqlstate", None) == DISK_FULL


def reason(error: BaseException) -> str:
    """The driver's own words on a failure, in one line and without what was asked."""
    origin = getattr(error, "orig", None) or error
    return " ".join(str(origin).split())[:200]
