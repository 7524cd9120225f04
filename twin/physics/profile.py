"""Values of a measured profile between and beyond its points: straight lines, monotone."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import Problem, RunError
from ..profiles import ItlPoint, KvPoint, PrefillPoint
from ..scenario import Scenario
from .chip import StepCost


class Curve(NamedTuple):
    """Points of a profile; `slopes[i]` leads from point i to the next one, the last goes on."""

    at: tuple[float, ...]
    values: tuple[float, ...]
    slopes: tuple[float, ...]


def curve(points: Sequence[tuple[float, float]]) -> Curve:
    """The curve through (where, value) points that rise; one alone is constant."""
    slopes = [(v1 - v0) / (x1 - x0) for (x0, v0), (x1, v1) in pairwise(points)] or [0.0]
    at, values = zip(*points, strict=True)
    return Curve(at, values, (*slopes, slopes[-1]))


def value(profile: Curve, where: float) -> float:
    """The profile's value there: straight between points and beyond them, never below 0."""
    at, values, slopes = profile
    i = bisect_right(at, where) - 1
    if i < 0:
        i = 0
    found = values[i] + slopes[i] * (where - at[i])
    return found if found > 0.0 else 0.0


def values_at(profile: Curve, where: NDArray[np.float64]) -> NDArray[np.float64]:
    """As `value`, of many places at once."""
    at, found, slopes = (np.asarray(column) for column in profile)
    i = np.maximum(np.searchsorted(at, where, side="right") - 1, 0)
    return np.maximum(found[i] + slopes[i] * (where - at[i]), 0.0)


def added(profile: Curve, new: float, before: float) -> float:
    """What `new` tokens after `before` others cost: f(before + new) - f(before) + f(0).

    For a prefill that is t0 + s n + a n (c + n/2) the rule is exact, since
    n (c + n/2) = ((c + n)^2 - c^2) / 2; for KV with a state of fixed size f(0) is that state.
    """
    if before <= 0.0:
        return value(profile, new)
    return value(profile, before + new) - value(profile, before) + value(profile, 0.0)


def formulas_apply(scenario: Scenario) -> bool:
    """Whether a scenario is no more than formulas of chips and models can say.

    Measured profiles are more, and prefill in B, whose requests take another way.
    """
    return not _profiled(scenario) and scenario.prefill_b is None


def formulas_only(scenario: Scenario, place: str) -> None:
    """RunError where formulas do not apply; it names `place`, what was asked for."""
    if not formulas_apply(scenario):
        profiled = _profiled(scenario)
        found = (
            f"asked of profiles ({', '.join(profiled)})" if profiled else "asked of prefill in B"
        )
        raise RunError(Problem(place, found, "a formula cannot say it: run the scenario"))


def _profiled(scenario: Scenario) -> list[str]:
    pools = [name for name, pool in scenario.pools().items() if pool.profile is not None]
    return [*pools, "model"] if scenario.model.kv_profile else pools


def prefill_curve(points: Sequence[PrefillPoint]) -> Curve | None:
    """Seconds by length of the prompt; None without points."""
    return curve([(p.tokens, p.seconds) for p in points]) if points else None


def kv_curve(points: Sequence[KvPoint]) -> Curve | None:
    """Bytes by length of the prompt; None without points."""
    return curve([(p.tokens, p.kv_bytes) for p in points]) if points else None


def measured_steps(
    points: Sequence[ItlPoint], tokens_per_step: float, largest_batch: int
) -> StepCost:
    """Tables of the decode step for batches 0..largest_batch, as `chip.step_cost` makes them.

    A step takes `tokens_per_step` times the measured ITL, whatever the context.
    """
    profile = curve([(p.batch, p.itl_ms / 1e3) for p in points])
    batches = range(largest_batch + 1)
    steps = tuple(tokens_per_step * value(profile, max(b, 1)) for b in batches)
    nothing = (0.0,) * len(steps)
    return StepCost(steps, 0.0, nothing, nothing)
