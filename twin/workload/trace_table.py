"""A recorded trace in columns: arrivals, lengths, block ids, sessions; no text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NO_SESSION = -1
"""Session index of a request that belongs to no session."""


class TraceRequest(NamedTuple):
    """One request in plain numbers, as an engine takes it.

    `arrival_s` counts from the trace's start; in a closed loop it is the recorded time and only
    a chain's first turn arrives by it. `blocks` are numbers of the *full* prompt blocks from the
    first token on, equal exactly where the prefix up to and with that block is equal; None
    where the trace has no ids. `session` is an index into `Trace.sessions`, or None.
    """

    row: int
    arrival_s: float
    input_tokens: int
    output_tokens: int
    blocks: tuple[int, ...] | None
    session: int | None
    think_s: float


@dataclass(frozen=True, slots=True)
class Chain:
    """Turns of one session that wait for each other: reply, think time, next turn.

    Its rows in the trace are `first .. first + turns - 1`, in turn order. The first turn arrives
    `start_s` seconds after the trace's start, whatever other chains do; each later turn arrives
    `think_s` of its row after the reply before it has ended.
    """

    session: int
    start_s: float
    first: int
    turns: int

    @property
    def rows(self) -> range:
        """Row numbers of the turns, in order."""
        return range(self.first, self.first + self.turns)


@dataclass(frozen=True, eq=False, slots=True)
class Trace:
    """Requests of a recorded trace; every array is read-only.

    Rows of an open-loop trace are sorted by arrival; rows of a closed-loop one stand chain by
    chain. `digest` is the SHA-256 of the decompressed content. `block_tokens` is the tokens of a
    full block, or None without ids. Blocks are numbered from 0 in order of first appearance
    (so ids of any 64 bits stay apart): those of row i are
    `block_numbers[block_starts[i]:block_starts[i + 1]]`; `block_ids` has the file's own id of each
    number, or is None where ids mean nothing outside their session. `notes` are sentences on
    what was assumed or put right while reading.
    """

    name: str
    format: str
    digest: str
    block_tokens: int | None
    arrival_s: NDArray[np.float64]
    input_tokens: NDArray[np.int64]
    output_tokens: NDArray[np.int64]
    block_numbers: NDArray[np.int32] | None
    block_starts: NDArray[np.int64] | None
    block_ids: tuple[int, ...] | None
    session: NDArray[np.int32] | None
    sessions: tuple[str, ...]
    think_s: NDArray[np.float64] | None
    chains: tuple[Chain, ...] | None
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.arrival_s)

    @property
    def closed_loop(self) -> bool:
        """Turns wait for the reply before them, so arrivals depend on the system's speed."""
        return self.chains is not None

    @property
    def duration_s(self) -> float:
        """The latest recorded arrival, in seconds after the trace's start."""
        return float(self.arrival_s.max())

    @property
    def block_count(self) -> int:
        """Distinct blocks; block numbers are below it."""
        numbers = self.block_numbers
        return 0 if numbers is None or not len(numbers) else int(numbers.max()) + 1

    def blocks(self, row: int) -> NDArray[np.int32] | None:
        """All block numbers of a row, with a partial last one if the format has it (a view)."""
        if self.block_numbers is None or self.block_starts is None:
            return None
        return self.block_numbers[self.block_starts[row] : self.block_starts[row + 1]]

    def full_blocks(self, row: int) -> NDArray[np.int32] | None:
        """Numbers of the full prompt blocks of a row (a view), or None without ids."""
        blocks = self.blocks(row)
        if blocks is None or self.block_tokens is None:
            return None
        return blocks[: int(self.input_tokens[row]) // self.block_tokens]

    def request(self, row: int) -> TraceRequest:
        """One row in plain numbers; the tuple of blocks is made on each call, not kept."""
        blocks = self.full_blocks(row)
        session = NO_SESSION if self.session is None else int(self.session[row])
        return TraceRequest(
            row=row,
            arrival_s=float(self.arrival_s[row]),
            input_tokens=int(self.input_tokens[row]),
            output_tokens=int(self.output_tokens[row]),
            blocks=None if blocks is None else tuple(blocks.tolist()),
            session=None if session == NO_SESSION else session,
            think_s=0.0 if self.think_s is None else float(self.think_s[row]),
        )

    def requests(self) -> Iterator[TraceRequest]:
        """All rows in plain numbers, made one at a time, in row order."""
        return map(self.request, range(len(self)))

    def starting(self, starts_s: Sequence[float]) -> Trace:
        """A closed-loop trace with session i starting at `starts_s[i]` seconds.

        The digest changes with the starts, so that the two workloads are told apart.
        ValueError for an open-loop trace, or when there is not one finite start >= 0 a session.
        """
        if self.chains is None or self.session is None:
            raise ValueError("only a closed-loop trace has sessions that can be moved")
        starts = np.asarray(starts_s, dtype=np.float64)
        if starts.shape != (len(self.sessions),):
            raise ValueError(f"{len(self.sessions)} starts are needed, {starts.size} were given")
        if not np.isfinite(starts).all() or (starts < 0).any():
            raise ValueError("starts must be finite and 0 or more")
        stamp = hashlib.sha256(self.digest.encode() + starts.astype("<f8").tobytes())
        return replace(
            self,
            digest=stamp.hexdigest(),
            arrival_s=_frozen(self.arrival_s + starts[self.session]),
            chains=tuple(
                replace(c, start_s=c.start_s + float(starts[c.session])) for c in self.chains
            ),
            notes=(*self.notes, "sessions start at times that were set after reading"),
        )


def _frozen(array: NDArray[np.float64]) -> NDArray[np.float64]:
    array.flags.writeable = False
    return array
