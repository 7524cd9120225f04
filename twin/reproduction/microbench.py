"""Claims C14, C15: handoffs of 100 tokens by KV and by ids, one by one through the whole engine."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engine.recorder import REQUEST_COLUMNS
from ..engine.replay import ReplayLoad
from ..engine.simulation import Simulation
from ..errors import Problem, RunError
from ..scenario import Scenario
from ..workload.trace_table import Chain, Trace

HANDOFFS = 2000
"""Of each seed."""

TOKENS = 100
"""Eager tokens of a handoff."""

BATCH = 10
"""Requests that main decode always decodes in C15."""

BLOCK = 512
"""Tokens of a block; the prompts that follow one another in MD's batch are found in the caches."""

RELAYED_PROMPT = 18_176
"""A prompt whose KV lands when RLD has made 100 tokens."""

RELAYED_OUTPUT = 130
RELAYED_EVERY_S = 2.0
TRIALS = 2100
"""Relayed requests of a seed; for some 99 or 101 tokens are out when KV lands."""

HELD_PROMPT = 112 * BLOCK
HELD_OUTPUT = 14_000
HELD_TURNS = 23
"""Of each request in MD's batch: a context of 64K in the mean, renewed after each answer."""


class Times(NamedTuple):
    """Mean, standard deviation and maximum of `count` times in s."""

    mean: float
    sd: float
    max: float
    count: int


def by_kv(scenario: Scenario, seed: int) -> Times:
    """From the end of prefill until the KV of 100 tokens has crossed the line."""
    trace = _trace(
        "single transfers",
        start_s=np.arange(HANDOFFS, dtype=float),
        prompt=np.full(HANDOFFS, TOKENS),
        output=np.ones(HANDOFFS),
    )
    return _times(_columns(scenario, seed, trace, "landed_after")[0])


def by_ids(scenario: Scenario, seed: int) -> Times:
    """From the moment RLD stops until MD streams on, for handoffs of just 100 tokens.

    RunError when there are not 2,000 of them.
    """
    gap, made, prompt = _columns(scenario, seed, _beside_a_batch(), "gap", "relay_made", "prompt")
    fit = (gap >= 0) & (made == TOKENS) & (prompt == RELAYED_PROMPT)
    if fit.sum() < HANDOFFS:
        remedy = f"{HANDOFFS} are needed: KV must land when about {TOKENS} tokens are out"
        raise RunError(Problem("handoffs of 100 tokens", str(int(fit.sum())), remedy))
    return _times(gap[fit][:HANDOFFS])


def _times(seconds: NDArray[np.float64]) -> Times:
    return Times(
        float(seconds.mean()), float(seconds.std(ddof=1)), float(seconds.max()), len(seconds)
    )


def _columns(scenario: Scenario, seed: int, trace: Trace, *names: str) -> list[NDArray[np.float64]]:
    """Columns of the record of a replayed trace, in order of finishing."""
    sim = Simulation(scenario, ReplayLoad(trace, scenario, seed), seed=seed)
    sim.advance_to_end()
    table = sim.recorder.table()
    return [table[:, REQUEST_COLUMNS.index(name)] for name in names]


def _beside_a_batch() -> Trace:
    """Ten sessions without a pause between turns, and relayed requests from when they decode."""
    sessions = BATCH + TRIALS
    turns = np.r_[np.full(BATCH, HELD_TURNS), np.ones(TRIALS)].astype(int)
    begun = np.arange(TRIALS) * RELAYED_EVERY_S + 120.0
    starts = np.r_[np.arange(BATCH) * 2.0, begun]
    row_session = np.repeat(np.arange(sessions), turns)
    held = row_session < BATCH
    output = np.where(held, HELD_OUTPUT, RELAYED_OUTPUT)
    first = np.r_[0, np.cumsum(turns)[:-1]]
    output[first[:BATCH]] = HELD_OUTPUT * np.arange(1, BATCH + 1) // BATCH  # not all at once
    return _trace(
        "handoffs beside a batch",
        start_s=np.repeat(starts, turns),
        prompt=np.where(held, HELD_PROMPT, RELAYED_PROMPT),
        output=output,
        session=row_session,
        chains=tuple(
            Chain(i, float(starts[i]), int(first[i]), int(turns[i])) for i in range(sessions)
        ),
    )


def _trace(
    name: str,
    start_s: NDArray[np.float64],
    prompt: NDArray[np.float64],
    output: NDArray[np.float64],
    session: NDArray[np.int64] | None = None,
    chains: tuple[Chain, ...] | None = None,
) -> Trace:
    """Made-up requests as a trace; with sessions, each has prompt blocks of its own."""
    prompts, outputs = prompt.astype(np.int64), output.astype(np.int64)
    numbers = starts = None
    if session is not None:
        counts = prompts // BLOCK
        starts = np.r_[0, np.cumsum(counts)].astype(np.int64)
        per_session = np.zeros(int(session.max()) + 1, dtype=np.int64)
        np.maximum.at(per_session, session, counts)
        offset = np.r_[0, np.cumsum(per_session)[:-1]]
        each = zip(offset[session].tolist(), counts.tolist(), strict=True)
        numbers = np.concatenate([np.arange(n) + since for since, n in each]).astype(np.int32)
    made = b"".join(a.tobytes() for a in (start_s, prompts, outputs))
    return Trace(
        name=name, format="made", digest=hashlib.sha256(made).hexdigest(),
        block_tokens=None if session is None else BLOCK,
        arrival_s=start_s, input_tokens=prompts, output_tokens=outputs,
        block_numbers=numbers, block_starts=starts, block_ids=None,
        session=None if session is None else session.astype(np.int32),
        sessions=() if session is None else tuple(map(str, range(int(session.max()) + 1))),
        think_s=None, chains=chains, notes=(),
    )  # fmt: skip
