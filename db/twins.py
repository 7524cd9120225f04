"""Running twins: how each was last seen, its knob log, its checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete as sql_delete
from sqlalchemy import func, insert, literal, select, update
from sqlalchemy.orm import Session, undefer

from twin.errors import Problem

from .store import StoreError
from .tables import Checkpoint, LogEntry, Twin
from .thinning import superfluous

COPIED_S = 7200.0
"""A fork takes along the checkpoints of so many simulated seconds before it began."""

Body = dict[str, Any]


@dataclass(frozen=True)
class Start:
    """What a twin is made again from: a checkpoint, and the log entries after it."""

    at_s: float
    entry: int
    state: bytes
    log: list[Body]


def add(session: Session, twin: Twin) -> None:
    """Keep a new twin; its checkpoints follow."""
    session.add(twin)


def fork(
    session: Session,
    twin: Twin,
    at_s: float,
    entry: int,
    state: bytes | None,
    logged: int | None = None,
) -> None:
    """Keep `twin`, which begins as its parent was at `at_s` and `entry`; `state` is that state.

    It takes along the parent's log and the checkpoints of its last two hours, so that it can be
    rewound to before it began. StoreError when its log does not end with `logged`.
    """
    session.add(twin)
    session.flush()
    _copy_log(session, twin, entry)
    if logged is not None and _last(session, twin.id) != logged:
        raise _gap(logged)
    _copy_checkpoints(session, twin, at_s, entry)
    if state is not None:
        add_checkpoint(session, twin.id, at_s, entry, state, twin.created_at)


def _copy_log(session: Session, twin: Twin, entry: int) -> None:
    standing = select(
        literal(twin.id), LogEntry.number, LogEntry.at_s, LogEntry.body, LogEntry.made_at
    ).where(LogEntry.twin_id == twin.parent, LogEntry.undone_at.is_(None), LogEntry.number <= entry)
    session.execute(
        insert(LogEntry).from_select(["twin_id", "number", "at_s", "body", "made_at"], standing)
    )


def _copy_checkpoints(session: Session, twin: Twin, at_s: float, entry: int) -> None:
    of_parent = (Checkpoint.twin_id == twin.parent) & (Checkpoint.entry <= entry)
    first = session.scalar(
        select(Checkpoint.at_s)
        .where(of_parent, Checkpoint.at_s <= at_s - COPIED_S)
        .order_by(Checkpoint.at_s.desc())
        .limit(1)
    )
    taken = of_parent & (Checkpoint.at_s <= at_s)
    if first is not None:
        taken &= Checkpoint.at_s >= first
    columns = (Checkpoint.at_s, Checkpoint.entry, Checkpoint.state, Checkpoint.made_at)
    session.execute(
        insert(Checkpoint).from_select(
            ["twin_id", "at_s", "entry", "state", "made_at"],
            select(literal(twin.id), *columns).where(taken),
        )
    )


def find(session: Session, twin_id: str) -> Twin | None:
    """One twin."""
    return session.get(Twin, twin_id)


def present(session: Session) -> Sequence[Twin]:
    """All twins, the newest first."""
    return session.scalars(select(Twin).order_by(Twin.created_at.desc(), Twin.id)).all()


def unfinished(session: Session) -> Sequence[str]:
    """Twins of which no state was ever kept: the program was ended while it made them."""
    return session.scalars(select(Twin.id).where(Twin.id.not_in(select(Checkpoint.twin_id)))).all()


def note(session: Session, twin_id: str, **seen: Any) -> None:
    """Keep how a twin was last seen: columns of `Twin`."""
    session.execute(update(Twin).where(Twin.id == twin_id).values(**seen))


def note_all(session: Session, seen: Iterable[Body]) -> None:
    """Keep how several twins were last seen; each has its `id`. One that is gone is left out."""
    for one in seen:
        values = dict(one)
        note(session, values.pop("id"), **values)


def delete(session: Session, twin_id: str) -> bool:
    """Forget a twin with all that belongs to it; whether there was one."""
    for table in (LogEntry, Checkpoint):
        session.execute(sql_delete(table).where(table.twin_id == twin_id))
    done = session.execute(sql_delete(Twin).where(Twin.id == twin_id))
    return bool(getattr(done, "rowcount", 0))


def forgotten(session: Session, unseen_since: float) -> Sequence[str]:
    """Twins nobody named or kept, and nobody has seen since."""
    return session.scalars(
        select(Twin.id).where(
            Twin.seen_at < unseen_since, Twin.kept.is_(False), Twin.shared.is_(False)
        )
    ).all()


# --- knob log


def add_entries(
    session: Session, twin_id: str, entries: Sequence[Body], now: float, after: int | None = None
) -> None:
    """Keep entries of a twin's log, as `Entry` gives them (number, at_s, what, ...).

    StoreError when the log does not end with `after`, on which they follow: one that was not kept
    has none after it.
    """
    if after is not None and _last(session, twin_id) != after:
        raise _gap(after)
    if entries:
        session.execute(
            insert(LogEntry),
            [
                {
                    "twin_id": twin_id,
                    "number": e["number"],
                    "at_s": e["at_s"],
                    "body": e,
                    "made_at": now,
                }
                for e in entries
            ],
        )
        newest = max(e["number"] for e in entries)
        session.execute(update(Twin).where(Twin.id == twin_id).values(entry=newest))


def _last(session: Session, twin_id: str) -> int:
    """The number of the last standing entry of a log, or 0."""
    standing = (LogEntry.twin_id == twin_id) & LogEntry.undone_at.is_(None)
    return session.scalar(select(func.max(LogEntry.number)).where(standing)) or 0


def _gap(number: int) -> StoreError:
    return StoreError(Problem("the knob log", "", f"its entry {number} could not be kept"))


def log(session: Session, twin_id: str, after: int = 0) -> list[Body]:
    """The standing entries with a number above `after`, in order."""
    return list(
        session.scalars(
            select(LogEntry.body)
            .where(
                LogEntry.twin_id == twin_id, LogEntry.undone_at.is_(None), LogEntry.number > after
            )
            .order_by(LogEntry.number)
        )
    )


def rewind(session: Session, twin_id: str, to_s: float, now: float) -> int:
    """Take back what came after `to_s`; the number of the last entry that stands, or 0.

    Entries stay as undone; checkpoints of the time that has not been now are gone.
    """
    later = (LogEntry.twin_id == twin_id) & LogEntry.undone_at.is_(None) & (LogEntry.at_s > to_s)
    session.execute(update(LogEntry).where(later).values(undone_at=now))
    session.execute(
        sql_delete(Checkpoint).where(Checkpoint.twin_id == twin_id, Checkpoint.at_s > to_s)
    )
    last = _last(session, twin_id)
    note(session, twin_id, t=to_s, entry=last)
    return last


# --- checkpoints


def add_checkpoint(
    session: Session,
    twin_id: str,
    at_s: float,
    entry: int,
    state: bytes,
    now: float,
    logged: int | None = None,
) -> None:
    """Keep a checkpoint, and let those go that are no longer needed.

    It is let go itself when the log does not end with `logged`: it holds what was not kept.
    """
    if logged is not None and _last(session, twin_id) != logged:
        return
    session.merge(Checkpoint(twin_id=twin_id, at_s=at_s, entry=entry, state=state, made_at=now))
    session.flush()
    times = session.scalars(
        select(Checkpoint.at_s)
        .distinct()
        .where(Checkpoint.twin_id == twin_id)
        .order_by(Checkpoint.at_s)
    ).all()
    gone = superfluous(times)
    if gone:
        session.execute(
            sql_delete(Checkpoint).where(Checkpoint.twin_id == twin_id, Checkpoint.at_s.in_(gone))
        )


def checkpoint_times(session: Session, twin_id: str) -> list[float]:
    """Simulated times of a twin's checkpoints, ascending."""
    return list(
        session.scalars(
            select(Checkpoint.at_s).where(Checkpoint.twin_id == twin_id).order_by(Checkpoint.at_s)
        )
    )


def start(session: Session, twin_id: str, at_s: float, remembers_s: float) -> Start | None:
    """What the twin at `at_s` is made from; None before its first checkpoint.

    The newest checkpoint that lies `remembers_s` before, so that tiles and courses reach back; the
    oldest one where none does.
    """
    of_twin = (
        select(Checkpoint).options(undefer(Checkpoint.state)).where(Checkpoint.twin_id == twin_id)
    )
    early = of_twin.where(Checkpoint.at_s <= at_s - remembers_s)
    found = session.scalar(
        early.order_by(Checkpoint.at_s.desc(), Checkpoint.entry.desc()).limit(1)
    ) or session.scalar(
        of_twin.where(Checkpoint.at_s <= at_s).order_by(Checkpoint.at_s, Checkpoint.entry).limit(1)
    )
    if found is None:
        return None
    later = [entry for entry in log(session, twin_id, found.entry) if entry["at_s"] <= at_s]
    return Start(found.at_s, found.entry, found.state, later)
