"""Handoff by token ids: how long main decode takes to recompute them, and when RLD may leave."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple


class HandoffPlan(NamedTuple):
    """Times of one handoff, counted from the moment KV has landed and an MD slot is held."""

    relay_leaves_after_s: float
    gap_s: float
    rounds: int

    @property
    def main_joins_after_s(self) -> float:
        """MD joins when RLD has left and the last batch of ids is recomputed."""
        return self.relay_leaves_after_s + self.gap_s


def extend_seconds(
    ids: float, hop_s: float, step_s: float, phase: float, ids_per_step: int
) -> float:
    """ext(k) = hop + tau_M (phase + ceil(k / w)): `ids` sent and recomputed, in s."""
    return hop_s + step_s * (phase + ceil(ids / ids_per_step))


def one_shot(
    eager: int, hop_s: float, step_s: float, phase: float, ids_per_step: int
) -> HandoffPlan:
    """All eager tokens at once: RLD is free at once and the user waits ext(n)."""
    return HandoffPlan(0.0, extend_seconds(eager, hop_s, step_s, phase, ids_per_step), 1)


def catch_up(
    eager: int,
    hop_s: float,
    step_s: float,
    phase: float,
    ids_per_step: int,
    relay_itl_s: float,
    max_rounds: int,
) -> HandoffPlan:
    """Shrinking batches while RLD decodes on: n_{i+1} = ext(n_i) / ITL_R until n_i <= w.

    RLD leaves after the sum of the earlier rounds; the user waits only for the last batch. At most
    `max_rounds` batches are sent.
    """
    ids: float = eager
    leaves, rounds = 0.0, 1
    while ids > ids_per_step and rounds < max_rounds:
        spent = extend_seconds(ids, hop_s, step_s, phase, ids_per_step)
        leaves += spent
        ids = spent / relay_itl_s
        rounds += 1
    return HandoffPlan(leaves, extend_seconds(ids, hop_s, step_s, phase, ids_per_step), rounds)
