"""The growing table into which a reader puts the rows of a trace."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .trace_checks import Complaints
from .trace_table import NO_SESSION, Chain, Trace
from .trace_text import Limits, too_long


class TraceRows:
    """Rows added one by one, kept in machine numbers; block ids become dense numbers.

    An id is looked up as an exact Python integer, so ids that differ in any bit stay apart.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.arrival_s = array("d")
        self.think_s = array("d")
        self.input_tokens = array("q")
        self.output_tokens = array("q")
        self.session = array("i")
        self.block_numbers = array("i")
        self.block_starts = array("q", [0])
        self.chains: list[Chain] = []
        self._numbers: dict[int, int] = {}
        self._before_scope = 0
        self._scoped = False
        self._sessions: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.arrival_s)

    def add(
        self,
        arrival_s: float,
        input_tokens: int,
        output_tokens: int,
        ids: Sequence[int] = (),
        session: int = NO_SESSION,
        think_s: float = 0.0,
    ) -> None:
        """Take one request; TraceError beyond the limits of rows or block ids."""
        if len(self.arrival_s) >= self.limits.rows:
            raise too_long(f"{self.limits.rows:,} requests")
        if len(self.block_numbers) + len(ids) > self.limits.block_ids:
            raise too_long(f"{self.limits.block_ids:,} block ids")
        self.arrival_s.append(arrival_s)
        self.think_s.append(think_s)
        self.input_tokens.append(input_tokens)
        self.output_tokens.append(output_tokens)
        self.session.append(session)
        self.block_numbers.extend(self._numbered(ids))
        self.block_starts.append(len(self.block_numbers))

    def _numbered(self, ids: Sequence[int]) -> Iterator[int]:
        numbers, base = self._numbers, self._before_scope
        return (numbers.setdefault(i, base + len(numbers)) for i in ids)

    def open_scope(self) -> None:
        """From here on, ids are strangers to all ids before (ids local to a session)."""
        self._scoped = True
        self._before_scope += len(self._numbers)
        self._numbers = {}

    def session_index(self, name: str) -> int:
        """The index of a session by its name, a new one for a new name."""
        return self._sessions.setdefault(name, len(self._sessions))

    def fresh_session(self, name: str) -> int:
        """The index of a session that is new even if its name was used before."""
        taken = self._sessions
        number = 2
        unique = name
        while unique in taken:
            unique, number = f"{name} ({number})", number + 1
        return self.session_index(unique)

    def outputs_of_zero(self) -> int:
        """How many requests so far have no output token."""
        return self.output_tokens.count(0)

    def finish(
        self, name: str, digest: str, form: str, block_tokens: int | None, notes: Iterable[str]
    ) -> Trace:
        """The rows as a Trace; an open-loop one is sorted by arrival, equal times kept in order."""
        arrival = np.array(self.arrival_s)
        order, late = _arrival_order(arrival, bool(self.chains))
        told = [*notes, *_late_note(late)]
        has_ids = block_tokens is not None
        numbers, starts = self._blocks_in(order)
        session = np.array(self.session, dtype=np.int32)[order]
        columns: dict[str, Any] = {
            "arrival_s": arrival[order],
            "input_tokens": np.array(self.input_tokens, dtype=np.int64)[order],
            "output_tokens": np.array(self.output_tokens, dtype=np.int64)[order],
            "block_numbers": numbers if has_ids else None,
            "block_starts": starts if has_ids else None,
            "session": session if self._sessions else None,
            "think_s": np.array(self.think_s)[order] if self.chains else None,
        }
        for column in columns.values():
            if column is not None:
                column.flags.writeable = False
        return Trace(
            name=name,
            format=form,
            digest=digest,
            block_tokens=block_tokens,
            block_ids=None if self._scoped or not has_ids else tuple(self._numbers),
            sessions=tuple(self._sessions),
            chains=tuple(self.chains) or None,
            notes=tuple(told),
            **columns,
        )

    def _blocks_in(self, order: NDArray[np.intp]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        numbers = np.array(self.block_numbers, dtype=np.int32)
        starts = np.array(self.block_starts, dtype=np.int64)
        if (np.diff(order) > 0).all():
            return numbers, starts
        pieces = [numbers[starts[row] : starts[row + 1]] for row in order]
        counts = np.diff(starts)[order]
        return np.concatenate(pieces), np.concatenate(([0], np.cumsum(counts)))


@dataclass(frozen=True)
class Reading:
    """What a reader says of a whole file besides its rows."""

    block_tokens: int | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Reader:
    """One format: how it is told from others, and how its lines become rows.

    `recognises` sees a line and, if that is a JSON object, the object. `read` takes
    (place, text) pairs such as ("line 3", "..."), complains of what is wrong and adds what is
    right; a file with any complaint is not kept.
    """

    name: str
    shape: str
    recognises: Callable[[str, dict[str, Any] | None], bool]
    read: Callable[[Iterable[tuple[str, str]], TraceRows, Complaints], Reading]


def output_zero_note(rows: TraceRows) -> list[str]:
    """The sentence on requests without output, if there are any."""
    count = rows.outputs_of_zero()
    return [f"requests with output 0, kept: {count}"] if count else []


def _arrival_order(arrival: NDArray[np.float64], chained: bool) -> tuple[NDArray[np.intp], int]:
    late = 0 if chained else int(np.count_nonzero(np.diff(arrival) < 0))
    if late:
        return np.argsort(arrival, kind="stable"), late
    return np.arange(len(arrival)), 0


def _late_note(late: int) -> list[str]:
    if not late:
        return []
    return [f"rows earlier than the row before them, sorted by arrival (stable): {late}"]
