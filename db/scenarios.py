"""Saved scenarios: every save of a name is a new version, and none is ever overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from .tables import SavedScenario


def save(
    session: Session, name: str, digest: str, content: dict[str, Any], now: float
) -> SavedScenario:
    """Keep `content` as the next version of `name`; the present one again when nothing changed."""
    present = find(session, name)
    if present is not None and present.content == content:
        return present
    latest = session.scalar(
        select(func.max(SavedScenario.version)).where(SavedScenario.name == name)
    )
    row = SavedScenario(
        name=name, version=(latest or 0) + 1, digest=digest, content=content, saved_at=now
    )
    session.add(row)
    return row


def find(session: Session, name: str, version: int | None = None) -> SavedScenario | None:
    """The present version of a scenario, or an older one."""
    asked = select(SavedScenario).where(
        SavedScenario.name == name, SavedScenario.deleted_at.is_(None)
    )
    if version is not None:
        asked = asked.where(SavedScenario.version == version)
    return session.scalar(asked.order_by(SavedScenario.version.desc()).limit(1))


def present(session: Session) -> Sequence[SavedScenario]:
    """The present version of every saved scenario, by name."""
    latest = (
        select(SavedScenario.name, func.max(SavedScenario.version).label("version"))
        .where(SavedScenario.deleted_at.is_(None))
        .group_by(SavedScenario.name)
        .subquery()
    )
    joined = (SavedScenario.name == latest.c.name) & (SavedScenario.version == latest.c.version)
    return session.scalars(
        select(SavedScenario).join(latest, joined).order_by(SavedScenario.name)
    ).all()


def versions(session: Session, name: str) -> Sequence[tuple[int, float]]:
    """Version and moment of every save of a name, the newest first."""
    rows = session.execute(
        select(SavedScenario.version, SavedScenario.saved_at)
        .where(SavedScenario.name == name, SavedScenario.deleted_at.is_(None))
        .order_by(SavedScenario.version.desc())
    )
    return [(version, saved_at) for version, saved_at in rows]


def delete(session: Session, name: str, now: float) -> bool:
    """Take a scenario off the list, all versions of it; whether there was one."""
    done = session.execute(
        update(SavedScenario)
        .where(SavedScenario.name == name, SavedScenario.deleted_at.is_(None))
        .values(deleted_at=now)
    )
    return bool(getattr(done, "rowcount", 0))
