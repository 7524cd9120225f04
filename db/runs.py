"""Runs: asked, carried out by a job, and kept with what they said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from .tables import Run

UNDER_WAY = ("queued", "running")


def add(session: Session, run: Run) -> None:
    """Keep a run that was asked for."""
    session.add(run)


def find(session: Session, run_id: str) -> Run | None:
    """One run with its result."""
    return session.scalar(select(Run).where(Run.id == run_id).options(undefer(Run.result)))


def latest(session: Session, most: int = 200) -> Sequence[Run]:
    """The newest runs, without their results."""
    return session.scalars(select(Run).order_by(Run.created_at.desc(), Run.id).limit(most)).all()


def under_way(session: Session) -> Sequence[Run]:
    """Runs that have not come to an end, the oldest first."""
    return session.scalars(
        select(Run)
        .where(Run.status.in_(UNDER_WAY))
        .order_by(Run.created_at, Run.id)
        .options(undefer(Run.result))
    ).all()


def same(session: Session, identity: str) -> Run | None:
    """A run of the same identity that is done."""
    return session.scalar(
        select(Run)
        .where(Run.identity == identity, Run.status == "done")
        .order_by(Run.finished_at.desc())
        .options(undefer(Run.result))
        .limit(1)
    )


def finish(
    session: Session,
    run_id: str,
    status: str,
    now: float,
    result: dict[str, Any] | None = None,
    error: dict[str, Any] | None = None,
) -> None:
    """Keep the end of a run: done with a result, failed with an error, or cancelled."""
    row = session.get(Run, run_id)
    if row is not None:
        row.status, row.finished_at, row.result, row.error = status, now, result, error
