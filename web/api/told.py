"""What is told of a running twin, in a list of twins and to a new viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from twin.errors import Problem
from twin.version import VERSION

from .answers import moment
from .errors import ApiError, of_problems

if TYPE_CHECKING:
    from .live_twin import LiveTwin

LONGEST_LOG = 1000
"""A new viewer is told so many of the latest log entries."""

Frozen = dict[str, Any]


def summary(live: LiveTwin) -> Frozen:
    """The twin in a list of twins."""
    row = live.row
    return {
        "id": live.id, "title": row.title, "scenario_name": row.scenario_name,
        "baseline_name": row.baseline_name, "seed": row.seed, "t": live.t, "pace": row.pace,
        "paused": row.paused, "viewers": len(live.viewers), "shared": row.shared,
        "parent": row.parent, "forked_at_s": row.forked_at_s, "entry": live.entry,
        "status": live.status, "created_at": moment(row.created_at), "note": live.note,
    }  # fmt: skip


def state(live: LiveTwin) -> Frozen:
    """What the twin does now."""
    row = live.row
    return {
        "type": "state", "status": live.status, "pace": row.pace, "paused": row.paused,
        "note": live.note,
    }  # fmt: skip


def hello(live: LiveTwin, parts: dict[str, bytes], forecast: bytes | None) -> str:
    """The whole twin, with the `parts` that its worker has built as JSON."""
    row = live.row
    return text(
        {
            "type": "hello", "twin": live.id, "title": row.title, "shared": row.shared,
            "parent": row.parent, "forked_at_s": row.forked_at_s, "seed": row.seed,
            "pace": row.pace, "paused": row.paused, "status": live.status, "entry": live.entry,
            "t": live.t, **{name: orjson.Fragment(part) for name, part in parts.items()},
            "log": live.log[-LONGEST_LOG:], "note": live.note, "version": VERSION,
            "forecast": None if forecast is None else orjson.Fragment(forecast),
        }
    )  # fmt: skip


def not_kept(at_s: float, first_s: float) -> ApiError:
    """The error for a time before the first that is kept of a twin."""
    first = repr(first_s).removesuffix(".0")
    remedy = f"what is kept of the twin begins at {first} s: give that or later"
    return of_problems("bad_request", [Problem("the time asked for", f"{at_s:g} s", remedy)])


def unfinished() -> ApiError:
    """The error for a twin of which nothing is kept but its name."""
    message = (
        "nothing is kept of this twin: the server was ended while it made it; delete it and make "
        "another one"
    )
    return ApiError("conflict", message)


def text(said: Frozen) -> str:
    """A message as it is sent."""
    return orjson.dumps(said).decode()
