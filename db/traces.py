"""Saved traces: what is known of each; the bytes lie in a file named by its id."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete as sql_delete
from sqlalchemy import select
from sqlalchemy.orm import Session

from .tables import SavedTrace


def add(session: Session, trace: SavedTrace) -> SavedTrace:
    """Keep a trace; the one that is there already when it has the same id."""
    there = session.get(SavedTrace, trace.id)
    if there is not None:
        return there
    session.add(trace)
    return trace


def find(session: Session, trace_id: str) -> SavedTrace | None:
    """One trace."""
    return session.get(SavedTrace, trace_id)


def present(session: Session) -> Sequence[SavedTrace]:
    """All traces, the newest first."""
    return session.scalars(
        select(SavedTrace).order_by(SavedTrace.saved_at.desc(), SavedTrace.id)
    ).all()


def delete(session: Session, trace_id: str) -> bool:
    """Forget a trace; whether there was one."""
    done = session.execute(sql_delete(SavedTrace).where(SavedTrace.id == trace_id))
    return bool(getattr(done, "rowcount", 0))
