"""A database of which some changes fail, as on a full disk."""

from __future__ import annotations

from functools import partial

from db.store import StoreError
from twin.errors import Problem

NO_REASON = StoreError(Problem("the database", "", "cannot be used: no reason"))


def failing_store(server, monkeypatch, *changes, error=NO_REASON):
    """Have some changes of the database fail; a list of what was tried."""
    store, tried = server.house.store, []

    def carried_out(whole, change, *args, **named):
        if change in changes:
            tried.append(change)
            raise error
        return whole(change, *args, **named)

    for name in ("write", "keep"):
        monkeypatch.setattr(store, name, partial(carried_out, getattr(store, name)))
    return tried
