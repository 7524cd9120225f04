"""Efficiencies from measured times: robust least squares with a prior, by Levenberg and Marquardt.

What is fitted are the logits of shares and the logarithms of microseconds, so that every value
stays possible. A prior pulls each of them to a value where the data say nothing; how far the data
have narrowed it tells whether they determine it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..physics.aggregated import Efficiencies, FullSpeed, seconds

SHARES = 5
"""How many of the efficiencies are shares; the others are microseconds."""

PRIOR = Efficiencies(0.4, 0.6, 0.4, 0.25, 0.6, 25.0, 25.0, 25.0)
"""Where each efficiency is drawn to before anything is measured (assumed)."""

PRIOR_SD = 1.0
"""Standard deviation of that prior, in logits or logarithms: 0.2 to 0.65 around 0.4 (assumed)."""

GROUP_SD = 0.7
"""The same around the pooled values, for one group or the siblings of one (assumed)."""

ERROR_SD = 0.15
"""Relative error of one measurement that the model does not explain (assumed)."""

OUTLIER = 0.25
"""Relative error beyond which a measurement pulls no harder (Huber's loss)."""

DETERMINED = 0.5
"""A parameter is fitted if data took at least this share of the variance of its prior away."""

STEP = 1e-5
ITERATIONS = 80

Vector = np.ndarray
"""Efficiencies as logits and logarithms."""


class Fitted(NamedTuple):
    """Fitted efficiencies: as numbers, as a vector, and the sd of each element of that vector."""

    efficiencies: Efficiencies
    vector: Vector
    sd: Vector


def to_vector(reached: Efficiencies) -> Vector:
    """Logits of the shares, logarithms of the microseconds."""
    values = np.array(reached, float)
    shares = values[:SHARES]
    return np.concatenate([np.log(shares / (1 - shares)), np.log(values[SHARES:])])


def from_vector(vector: Vector) -> Efficiencies:
    """The efficiencies that a vector stands for."""
    shares = 1 / (1 + np.exp(-vector[:SHARES]))
    return Efficiencies(*(float(v) for v in (*shares, *np.exp(vector[SHARES:]))))


def part_of(full: FullSpeed, chosen: Vector) -> FullSpeed:
    """The measurements that a mask or indices choose."""
    return FullSpeed(*(column[chosen] for column in full))


def log_errors(full: FullSpeed, measured_s: Vector, vector: Vector) -> Vector:
    """log(modelled / measured) of each measurement."""
    return np.log(seconds(full, from_vector(vector)) / measured_s)


def balanced(groups: Sequence[int] | Vector) -> Vector:
    """Weights with which a group counts as the square root of its number of measurements."""
    which = np.asarray(groups)
    counts = np.bincount(which)
    weights = counts[which] ** -0.25
    return weights / np.sqrt(np.mean(weights**2))


def fit(
    full: FullSpeed, measured_s: Vector, weights: Vector, prior: Vector, prior_sd: float
) -> Fitted:
    """The most likely efficiencies; `weights` of the measurements, sd of the prior."""

    def residuals(vector: Vector) -> Vector:
        errors = _huber(log_errors(full, measured_s, vector))
        return np.concatenate([weights * errors / ERROR_SD, (vector - prior) / prior_sd])

    vector, jacobian = _least_squares(residuals, prior.copy())
    covariance = np.linalg.inv(jacobian.T @ jacobian)
    return Fitted(from_vector(vector), vector, np.sqrt(np.diag(covariance)))


def _huber(errors: Vector) -> Vector:
    """Errors whose squares grow only linearly beyond OUTLIER."""
    size = np.abs(errors)
    return np.sign(errors) * np.sqrt(
        np.where(size < OUTLIER, size**2, 2 * OUTLIER * size - OUTLIER**2)
    )


def _least_squares(
    residuals: Callable[[Vector], Vector], vector: Vector
) -> tuple[Vector, np.ndarray]:
    damping, now = 1e-2, residuals(vector)
    jacobian = _jacobian(residuals, vector, now)
    for _ in range(ITERATIONS):
        normal = jacobian.T @ jacobian
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), -jacobian.T @ now)
        then = residuals(vector + step)
        gain = float(now @ now - then @ then)
        if gain <= 0:
            damping *= 4
            if damping > 1e8:
                break
            continue
        vector, damping = vector + step, damping / 3
        settled = gain < 1e-10 * float(now @ now)
        now = then
        jacobian = _jacobian(residuals, vector, now)
        if settled:
            break
    return vector, jacobian


def _jacobian(residuals: Callable[[Vector], Vector], vector: Vector, now: Vector) -> np.ndarray:
    columns = [(residuals(vector + STEP * unit) - now) / STEP for unit in np.eye(len(vector))]
    return np.stack(columns, axis=1)


def determined(fitted: Fitted, prior_sd: float) -> tuple[bool, ...]:
    """Which parameters the data determine: they took half of the prior's variance away."""
    return tuple(bool(1 - (sd / prior_sd) ** 2 >= DETERMINED) for sd in fitted.sd)
