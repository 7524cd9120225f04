"""Measured profiles: points of prefill time, of ITL and of KV bytes that stand for the roofline.

Between two points a profile runs straight; before the first and after the last it goes on as
between the two points next to it, and never below 0. Points must rise in what they are measured at
and must not fall in what was measured, so that a profile is monotone as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pydantic import model_validator

from .errors import Problem, shown
from .frozen import CrossProblems, Part, optional, required

FEWEST = 2
"""Points that a profile of lengths needs, if it is given at all."""


class PrefillPoint(Part):
    """One measured prefill of a prompt without cached tokens."""

    tokens: float = required("Length of the prompt in tokens.", gt=0, le=1e8)
    seconds: float = required("Time of its prefill on one instance, in seconds.", gt=0, le=1e6)


class ItlPoint(Part):
    """One measured pace of a decode batch."""

    batch: int = required("Requests in the batch.", ge=1, le=10**6)
    itl_ms: float = required("Time between two tokens of a request, in ms.", gt=0, le=1e6)


class KvPoint(Part):
    """One measured size of a KV cache."""

    tokens: float = required("Length of the prompt in tokens.", gt=0, le=1e8)
    kv_bytes: float = required("Bytes of its KV cache with all fixed state.", gt=0, le=1e15)


class PoolProfile(Part):
    """What was measured of one instance of a pool; what is not given stays with the roofline."""

    prefill: tuple[PrefillPoint, ...] = optional(
        (),
        "Prefill seconds by length; a cached prefix saves what the profile says of its length "
        "beyond length 0.",
        max_length=1000,
    )
    itl: tuple[ItlPoint, ...] = optional(
        (), "ITL by batch size, from batch 1 on; the context is that of the measurement.",
        max_length=1000,
    )  # fmt: skip
    slots: int | None = optional(
        None, "Requests that a decode instance holds; none: as many as its memory has room for.",
        ge=1, le=10**6,
    )  # fmt: skip

    @model_validator(mode="after")
    def _monotone(self) -> PoolProfile:
        wrong = [
            *rising("prefill", self.prefill, "tokens", "seconds"),
            *rising("itl", self.itl, "batch", "itl_ms", fewest=1),
        ]
        if self.itl and self.itl[0].batch != 1:
            remedy = "the first point must be that of batch 1"
            wrong.append(Problem("itl[0].batch", shown(self.itl[0].batch), remedy))
        if wrong:
            raise CrossProblems(wrong)
        return self


def rising(
    name: str, points: Sequence[Part], at: str, measured: str, fewest: int = FEWEST
) -> list[Problem]:
    """What keeps `points` from rising in `at` without falling in `measured`."""
    if not points:
        return []
    wrong = []
    if len(points) < fewest:
        wrong.append(Problem(name, "1 point", f"give at least {fewest}, or none at all"))
    for i, (before, point) in enumerate(pairwise(points), start=1):
        here, there = getattr(point, at), getattr(before, at)
        if here <= there:
            remedy = f"must be above that of the point before ({there:g})"
            wrong.append(Problem(f"{name}[{i}].{at}", shown(here), remedy))
        value, least = getattr(point, measured), getattr(before, measured)
        if value < least:
            remedy = f"must not be below that of the point before ({least:g})"
            wrong.append(Problem(f"{name}[{i}].{measured}", shown(value), remedy))
    return wrong
