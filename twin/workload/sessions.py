"""Turns of generated sessions: uniforms mapped to lengths, hit rates and pauses.

Stratified: within a block of turns the bucket, the place in the bucket (first and later turns
apart) and the prompt length (weighted by the session's turns) are drawn as (permutation + U) / m,
so that a block meets its distributions exactly.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..scenario import HIT_EDGES, Workload

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

PURPOSES = (
    "session_start", "prompt_order", "prompt", "bucket_order", "bucket", "place_order", "place",
    "output", "think", "prediction", "first_step", "phase", "jitter", "timeout", "singular",
    "gap",
)  # fmt: skip
"""One uniform of each turn and purpose; the `_order` ones only rank turns into strata."""


class Turns(NamedTuple):
    """What turns ask, one entry a turn, in the order of clients and then of turns.

    `first` and `singular` are 0 or 1; prompts in tokens; `hit_share` in [0, 1]; `think` and `gap`
    are standard exponential numbers; `prediction` is a standard normal number.
    """

    first: Bools
    singular: Bools
    prompt: Floats
    hit_share: Floats
    output: NDArray[np.int64]
    think: Floats
    gap: Floats
    prediction: Floats
    first_step: Floats
    phase: Floats
    jitter: Floats
    timeout: Floats


def stratified(order: Floats, place: Floats) -> Floats:
    """(permutation + U) / m: the permutation ranks `order`, U is `place`; both of m uniforms."""
    ranks = np.empty(len(order))
    ranks[np.argsort(order, kind="stable")] = np.arange(len(order))
    return (ranks + place) / max(len(order), 1)


def turns_of(workload: Workload, uniforms: dict[str, Floats], fresh: bool) -> Turns:
    """Map uniforms of shape (clients, turns) to turns; `fresh`: the block begins with sessions."""
    u = uniforms
    share = workload.singular.share if workload.singular is not None else 0.0
    singular = u["singular"] < share
    first = (u["session_start"] < 1 / workload.turns_per_session) & ~singular
    if fresh:
        first[:, 0], singular[:, 0] = True, False
    prompt = _prompts(workload, u, first)
    hit = _hit_shares(workload, u, first, ~first & ~singular)
    output = _outputs(workload, u["output"])
    if workload.singular is not None and singular.any():
        _mix_in_singular(workload, u, singular, prompt, hit, output)
    flat = {k: u[k].ravel() for k in ("first_step", "phase", "jitter", "timeout")}
    return Turns(
        first=first.ravel(),
        singular=singular.ravel(),
        prompt=prompt.ravel(),
        hit_share=hit.ravel(),
        output=np.maximum(np.rint(output), 1).astype(np.int64).ravel(),
        think=-np.log1p(-u["think"]).ravel(),
        gap=-np.log1p(-u["gap"]).ravel(),
        prediction=normal_quantiles(u["prediction"].ravel()),
        **flat,
    )


def _prompts(workload: Workload, u: dict[str, Floats], first: Bools) -> Floats:
    """One length per session, stratified with the session's turns as weight."""
    starts = np.flatnonzero(first.ravel())
    row = starts // first.shape[1]
    ends = np.append(starts[1:], first.size)
    ends = np.minimum(ends, (row + 1) * first.shape[1])
    weights = (ends - starts).astype(float)
    order = np.argsort(u["prompt_order"].ravel()[starts], kind="stable")
    before = np.empty(len(starts))
    before[order] = np.cumsum(weights[order]) - weights[order]
    place = u["prompt"].ravel()[starts]
    quantile = (before + place * weights) / max(weights.sum(), 1.0)
    mean, sigma = workload.prompt_tokens_mean, workload.prompt_sigma
    quantile = _cut(workload, quantile)
    lengths = np.zeros(first.size)
    lengths[starts] = np.maximum(np.rint(lognormal_quantiles(quantile, mean, sigma)), 1.0)
    return lengths.reshape(first.shape)


def _cut(workload: Workload, quantile: Floats) -> Floats:
    """Quantiles moved into the part of the lognormal prompt length that its bounds leave."""
    low, high = (
        edge if length is None else _prompt_share_below(workload, length)
        for edge, length in ((0.0, workload.prompt_tokens_min), (1.0, workload.prompt_tokens_max))
    )
    return quantile if (low, high) == (0.0, 1.0) else low + (high - low) * quantile


def _prompt_share_below(workload: Workload, length: float) -> float:
    """Share of the uncut lognormal prompt lengths below `length`."""
    sigma = workload.prompt_sigma
    above = np.log(length / workload.prompt_tokens_mean) + sigma**2 / 2
    if sigma == 0:
        return 0.0 if above <= 0 else 1.0
    return NormalDist().cdf(float(above) / sigma)


def _hit_shares(workload: Workload, u: dict[str, Floats], first: Bools, later: Bools) -> Floats:
    """U(0, first_turn_hit_max) for first turns; bucket, then uniform inside it, for later ones."""
    hit = np.zeros(first.shape)
    hit[first] = workload.first_turn_hit_max * stratified(
        u["place_order"][first], u["place"][first]
    )
    bucket = stratified(u["bucket_order"][later], u["bucket"][later])
    place = stratified(u["place_order"][later], u["place"][later])
    shares = np.asarray(workload.hit_shares) / sum(workload.hit_shares)
    edges = np.asarray(HIT_EDGES)
    chosen = np.searchsorted(np.cumsum(shares)[:-1], bucket, side="right")
    hit[later] = edges[chosen] + place * (edges[chosen + 1] - edges[chosen])
    return hit


def _outputs(workload: Workload, u: Floats) -> Floats:
    mean, cv = workload.output_tokens_mean, workload.output_cv
    if cv == 0:
        return np.full(u.shape, mean)
    if workload.output_distribution == "lognormal":
        return lognormal_quantiles(u, mean, float(np.sqrt(np.log1p(cv * cv))))
    return gamma_quantiles(u, 1 / cv**2) * (mean * cv**2)


def _mix_in_singular(
    workload: Workload, u: dict[str, Floats], singular: Bools, prompt: Floats, hit: Floats,
    output: Floats,
) -> None:  # fmt: skip
    s = workload.singular
    assert s is not None
    prompt_u, hit_u, out_u = u["prompt"][singular], u["place"][singular], u["output"][singular]
    lengths = lognormal_quantiles(prompt_u, s.prompt_tokens_mean, s.prompt_sigma)
    prompt[singular] = np.maximum(np.rint(lengths), 1.0)
    hit[singular] = s.hit_max * hit_u
    shape = s.output_shape
    drawn = gamma_quantiles(out_u, shape) * (s.output_tokens_mean / shape)
    output[singular] = np.clip(drawn, s.output_tokens_min, s.output_tokens_max)


def normal_quantiles(u: Floats) -> Floats:
    """Standard normal numbers of uniforms (inverse of the distribution function)."""
    inverse = NormalDist().inv_cdf
    inside = np.clip(u, 1e-16, 1 - 1e-16)
    return np.array([inverse(x) for x in inside.ravel().tolist()]).reshape(u.shape)


def lognormal_quantiles(u: Floats, mean: float, sigma: float) -> Floats:
    """Lognormal numbers with this **mean**: mu = ln mean - sigma^2 / 2."""
    return np.exp(np.log(mean) - sigma**2 / 2 + sigma * normal_quantiles(u))


NEARLY_NORMAL = 1e8
"""Above this shape (a spread below 1e-4 of the mean) a gamma number is taken as a normal one."""


def gamma_quantiles(u: Floats, shape: float) -> Floats:
    """Gamma numbers of this shape and scale 1, from a table of its distribution function.

    The table is the density integrated over the logarithm of the number (trapezoids, 4,000 points
    over +- 9 standard deviations of the Wilson-Hilferty form); error below 1e-4 of the number.
    """
    if shape > NEARLY_NORMAL:
        return shape + np.sqrt(shape) * normal_quantiles(u)
    spread = 9 / (3 * np.sqrt(shape))
    centre = np.log(shape)
    x = np.linspace(centre - 3 * spread - 9 / shape, centre + 3 * spread, 4000)
    density = np.exp(shape * (x - centre) - np.exp(x) + shape)
    steps = 0.5 * (density[1:] + density[:-1])
    cdf = np.concatenate(([0.0], np.cumsum(steps)))
    return np.exp(np.interp(u, cdf / cdf[-1], x))
