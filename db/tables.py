"""The tables: scenarios, traces, runs, running twins with their knob logs and checkpoints.

Moments of the wall clock are seconds since 1970 (UTC); times of a twin are simulated seconds.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, mapped_column

NAMES = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}
"""Names of constraints, so that a migration can name what it changes."""


class Table(MappedAsDataclass, DeclarativeBase, kw_only=True):
    """What all tables share."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {  # noqa: RUF012 (read by SQLAlchemy)
        dict[str, Any]: JSON(none_as_null=True),
        list[Any]: JSON(none_as_null=True),
        float: Double,
        str: String(200),
        bytes: LargeBinary,
        bool: Boolean,
    }


class SavedScenario(Table):
    """One version of a scenario that a person saved; the highest version is the present one."""

    __tablename__ = "scenarios"
    __table_args__ = (UniqueConstraint("name", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    name: Mapped[str]
    version: Mapped[int]
    digest: Mapped[str]
    content: Mapped[dict[str, Any]]
    saved_at: Mapped[float]
    deleted_at: Mapped[float | None] = mapped_column(default=None)


class SavedTrace(Table):
    """A trace that was read whole; its bytes lie beside the database, named by `id`."""

    __tablename__ = "traces"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    format: Mapped[str]
    digest: Mapped[str]
    profile: Mapped[dict[str, Any]]
    notes: Mapped[list[Any]]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    saved_at: Mapped[float]


class Run(Table):
    """A job: what was asked, how it stands, and what it said."""

    __tablename__ = "runs"

    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    status: Mapped[str] = mapped_column(index=True)
    scenario_name: Mapped[str]
    identity: Mapped[str] = mapped_column(index=True)
    asked: Mapped[dict[str, Any]]
    created_at: Mapped[float]
    finished_at: Mapped[float | None] = mapped_column(default=None)
    result: Mapped[dict[str, Any] | None] = mapped_column(default=None, deferred=True)
    error: Mapped[dict[str, Any] | None] = mapped_column(default=None)


class Twin(Table):
    """A running twin as it was last seen; its state is its newest checkpoint and later entries."""

    __tablename__ = "twins"

    id: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str]
    scenario_name: Mapped[str]
    baseline_name: Mapped[str | None]
    seed: Mapped[int] = mapped_column(BigInteger)
    origin: Mapped[str]
    pace: Mapped[float]
    paused: Mapped[bool]
    t: Mapped[float]
    entry: Mapped[int]
    created_at: Mapped[float]
    seen_at: Mapped[float]
    shared: Mapped[bool] = mapped_column(default=False)
    kept: Mapped[bool] = mapped_column(default=False)
    parent: Mapped[str | None] = mapped_column(default=None)
    forked_at_s: Mapped[float | None] = mapped_column(default=None)


class LogEntry(Table):
    """An entry of a twin's knob log; one that a rewind took back has `undone_at`."""

    __tablename__ = "log_entries"

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    twin_id: Mapped[str] = mapped_column(ForeignKey("twins.id", ondelete="CASCADE"))
    number: Mapped[int]
    at_s: Mapped[float]
    body: Mapped[dict[str, Any]]
    made_at: Mapped[float]
    undone_at: Mapped[float | None] = mapped_column(default=None)


Index(
    "uq_log_entries_standing",
    LogEntry.twin_id,
    LogEntry.number,
    unique=True,
    sqlite_where=LogEntry.undone_at.is_(None),
    postgresql_where=LogEntry.undone_at.is_(None),
)


class Checkpoint(Table):
    """The whole state of a twin at a simulated time, as `RunningTwin.checkpoint` gave it."""

    __tablename__ = "checkpoints"

    twin_id: Mapped[str] = mapped_column(
        ForeignKey("twins.id", ondelete="CASCADE"), primary_key=True
    )
    at_s: Mapped[float] = mapped_column(primary_key=True)
    entry: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    state: Mapped[bytes] = mapped_column(deferred=True)
    made_at: Mapped[float]


class Fact(Table):
    """Something to remember by name, such as which program last wrote here."""

    __tablename__ = "facts"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str] = mapped_column(Text)
