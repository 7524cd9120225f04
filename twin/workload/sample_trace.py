"""A small made-up agent trace in the Mooncake dialect, the same bytes on every machine.

All figures here are assumed, chosen to look like coding agents: a system prompt of some 15,000
tokens that all sessions share, prompts that grow by the reply and a tool's result, and a fresh
start after the system prompt when the context has become long.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

SEED = 20260101
SESSIONS = 24
SYSTEM_BLOCKS = 30
BLOCK_TOKENS = 512
LONGEST_CONTEXT = 110_000
STARTS_WITHIN_MS = 180_000


class _Context:
    """The prompt of one session: its length and the ids of its full blocks."""

    def __init__(self, fresh: _Fresh) -> None:
        self.fresh = fresh
        self.compact()

    def compact(self) -> None:
        """Back to the system prompt that all sessions share."""
        self.tokens = SYSTEM_BLOCKS * BLOCK_TOKENS
        self.full = list(range(SYSTEM_BLOCKS))

    def grow(self, tokens: int) -> None:
        """Append tokens; each block that becomes full gets an id."""
        self.tokens += tokens
        while len(self.full) < self.tokens // BLOCK_TOKENS:
            self.full.append(self.fresh.id())

    def ids(self) -> list[int]:
        """Ids of all blocks; a partial last one gets an id that is never used again."""
        partial = [self.fresh.id()] if self.tokens % BLOCK_TOKENS else []
        return self.full + partial


class _Fresh:
    """Ids that were not given before."""

    def __init__(self, first: int) -> None:
        self.next = first

    def id(self) -> int:
        """The next one."""
        self.next += 1
        return self.next - 1


def sample_trace_text(seed: int = SEED, sessions: int = SESSIONS) -> str:
    """The whole trace as text, one JSON object a line, sorted by time.

    Uses `random.random()` and plain arithmetic only, which are the same on all platforms.
    """
    draw = random.Random(seed).random
    fresh = _Fresh(SYSTEM_BLOCKS)
    rows = [row for s in range(sessions) for row in _session(f"agent-{s:02d}", draw, fresh)]
    rows.sort(key=lambda row: row["timestamp"])
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def _session(name: str, draw: Callable[[], float], fresh: _Fresh) -> list[dict[str, Any]]:
    context = _Context(fresh)
    context.grow(_between(500, 60_000, _squared(draw())))
    time_ms = _between(0, STARTS_WITHIN_MS, draw())
    rows = []
    for _ in range(_between(8, 18, draw())):
        output = _between(30, 1_800, _cubed(draw()))
        rows.append(
            {
                "timestamp": time_ms,
                "input_length": context.tokens,
                "output_length": output,
                "hash_ids": context.ids(),
                "session_id": name,
            }
        )
        time_ms += 3_000 + 20 * output + _between(500, 30_000, _squared(draw()))
        context.grow(output + _between(60, 7_000, _cubed(draw())))
        if context.tokens > LONGEST_CONTEXT:
            context.compact()
            context.grow(_between(4_000, 9_000, draw()))
    return rows


def _between(least: int, most: int, share: float) -> int:
    return least + int((most - least) * share)


def _squared(share: float) -> float:
    return share * share


def _cubed(share: float) -> float:
    return share * share * share
