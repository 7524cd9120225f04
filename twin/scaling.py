"""Advice on the number of instances of a pool that does not flap.

One instance may go only if those that stay keep below the threshold: load x n/(n-1) < threshold.
A rule that looks at the present load alone drops one, overloads the rest, and takes it back at
once, for ever, under a load that never changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from .scenario import RelayScaling


@dataclass(frozen=True)
class DropAdvice:
    """Whether one of `instances` can go, and the load of those that stay (None: none would)."""

    can_drop: bool
    instances: int
    load: float
    load_after: float | None
    threshold: float
    words: str


ROUNDING = 1e-9
"""At the threshold itself the answer is no, whatever the last digit of a product says."""


def can_drop(load: float, instances: int, threshold: float, pool: str = "RLD") -> DropAdvice:
    """The advice for a pool whose instances are used to `load` (a share of their slots)."""
    if instances <= 1:
        return DropAdvice(False, instances, load, None, threshold, f"the last {pool} must stay")
    after = load * instances / (instances - 1)
    can = after < threshold * (1 - ROUNDING)
    words = (
        f"{'yes' if can else 'no'}: {instances} {pool} instances at {load:.0%}; without one the "
        f"others would be at {after:.1%}, {'below' if can else 'not below'} {threshold:.0%}"
    )
    return DropAdvice(can, instances, load, after, threshold, words)


def next_instances(rule: RelayScaling, instances: int, load: float) -> int:
    """How many instances there should be after a look at the mean load of those that serve."""
    if instances < rule.least or (load > rule.threshold and instances < rule.most):
        return instances + 1
    drop = can_drop(load, instances, rule.threshold)
    if instances > rule.most or (drop.can_drop and instances > rule.least):
        return instances - 1
    return instances


def hasty_next(rule: RelayScaling, instances: int, load: float) -> int:
    """The rule that flaps: one goes whenever the present load is below the threshold.

    This is issue H3 of the design: two instances each below the limit, one is dropped, the other
    takes all of it, the limit is broken, and it is taken back.
    """
    if instances < rule.least or (load > rule.threshold and instances < rule.most):
        return instances + 1
    if instances > rule.most or (load < rule.threshold and instances > rule.least):
        return instances - 1
    return instances


def counts(
    rule: RelayScaling, work: float, looks: int, start: int = 1, foresees: bool = True
) -> list[int]:
    """Instances after each of so many looks, under `work` that never changes.

    `work` is in instances: 1.2 fills 1.2 of them, so n are each used to 1.2 / n. With `foresees`
    by the advice, else by the rule that flaps.
    """
    step = next_instances if foresees else hasty_next
    found = [start]
    for _ in range(looks):
        found.append(step(rule, found[-1], work / found[-1]))
    return found
