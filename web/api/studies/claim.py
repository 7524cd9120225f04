"""One published claim, computed now."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import Field

from twin.claims import CLAIMS
from twin.errors import Problem, RunError
from twin.reproduction.compute import SEEDS, compute
from twin.reproduction.stored import measured

from ..study import Arguments, Progress, Study

QUICK_S = 12.0
"""What takes more seconds of one core waits its turn."""


class OneClaim(Arguments):
    """Which claim, and on how many seeds."""

    claim: str = Field(pattern=r"^C\d\d$", description="Its number, C01 to C24.")
    seeds: int = Field(
        len(SEEDS), ge=1, le=len(SEEDS),
        description="Seeds 0, 1, ...; the bands speak of the mean of six.",
    )  # fmt: skip


def work(asked: OneClaim, progress: Progress) -> dict[str, Any]:
    """Compute it."""
    found = compute(asked.claim, range(asked.seeds), lambda done, of: progress(done / max(of, 1)))
    return found.model_dump(mode="json")


def check(asked: OneClaim) -> None:
    """Refuse a number that no claim has."""
    known = [claim.id for claim in CLAIMS]
    if asked.claim not in known:
        remedy = f"is no claim; there are {known[0]} to {known[-1]}"
        raise RunError(Problem("claim", asked.claim, remedy))


@cache
def _stored_seconds() -> dict[str, float]:
    return {one.claim: one.cpu_s for one in measured().claims}


def long(asked: OneClaim) -> bool:
    """Whether it takes more than some seconds, by what it took when it was stored."""
    return _stored_seconds().get(asked.claim, 0.0) * asked.seeds / len(SEEDS) > QUICK_S


STUDY = Study("claim", "One published claim, computed now.", OneClaim, work, check, long)
