"""The feedback of finishing locally: G = (1 - e)(p_st - p_al), from a run or from the formulas.

p_al = P(local | aligned), p_st = P(local | stale), e the share of requests that end their session.
A turn is stale when MD holds less of its prefix than P. Since p_st <= 1, G <= 1 - e; the share of
stale turns settles at x = (1 - e) p_al / (1 - G).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from .physics.line import estimate_seconds, line_rates
from .policy import LOCAL
from .scenario import HIT_EDGES, Scenario, Workload

Numbers = NDArray[np.float64]

FEW = 20
"""Below so many turns of a kind their share that is finished locally is not told."""

SLACK = 1e-6
"""A turn counts as stale when MD lacks more than this share of the prompt."""


@dataclass(frozen=True)
class Gain:
    """Where a deployment stands on its feedback; None: too few turns to say.

    `limit` is 1 - e, which `gain` never exceeds; `stale_share` was seen, `stale_expected` is what
    the formula says of it.
    """

    local_aligned: float | None
    local_stale: float | None
    ends: float
    gain: float | None
    limit: float
    stale_share: float | None
    stale_expected: float | None
    aligned: int
    stale: int


def ends_share(workload: Workload) -> float:
    """e: the share of requests that are the last of their session, one-off requests included."""
    single = 0.0 if workload.singular is None else workload.singular.share
    return single + (1 - single) / workload.turns_per_session


def measured_gain(
    scenario: Scenario, prompt: Numbers, hit: Numbers, held: Numbers, pipeline: Numbers
) -> Gain:
    """The gain over requests of a run: tokens of prompt, P's hit, MD's hit, and their pipelines."""
    stale = hit - held > SLACK * prompt
    local = np.isin(pipeline, LOCAL)
    on_stale, on_aligned = _share(local[stale]), _share(local[~stale])
    policy = scenario.policy
    if not (policy.p_rld or policy.singular_filter):
        on_stale = on_aligned = 0.0  # no rule keeps a request on RLD
    seen = float(stale.mean()) if len(stale) else None
    return _gain(
        scenario.workload, on_aligned, on_stale, seen, int((~stale).sum()), int(stale.sum())
    )


def _share(local: NDArray[np.bool_]) -> float | None:
    return float(local.mean()) if len(local) >= FEW else None


def _gain(
    workload: Workload, on_aligned: float | None, on_stale: float | None, seen: float | None,
    aligned: int, stale: int,
) -> Gain:  # fmt: skip
    ends = ends_share(workload)
    gain = expected = None
    if on_aligned is not None and on_stale is not None:
        gain = (1 - ends) * (on_stale - on_aligned)
        expected = (1 - ends) * on_aligned / (1 - gain) if gain < 1 else 1.0
    return Gain(
        on_aligned, on_stale, ends, gain, 1 - ends, seen, expected, aligned, stale
    )  # fmt: skip


def expected_gain(scenario: Scenario, flows: Sequence[float] = (0,)) -> Gain:
    """The gain by the formulas, for P-RLD with the given numbers of flows on the line (equal odds).

    After a local turn MD holds the least that P held since it was aligned; the line is drawn anew
    for each turn. Load gate, filter and late KV are left out. Without P-RLD the gain is 0.
    """
    line, policy, workload = scenario.line, scenario.policy, scenario.workload
    if line is None or scenario.relay_decode is None or not policy.p_rld:
        return _gain(workload, 0.0, 0.0, None, 0, 0)
    least = np.array([_least_local_tokens(scenario, n) for n in flows])
    hits, first, later = _hits(workload)
    ends = ends_share(workload)
    aligned = np.zeros(2)  # turns that are local, and all, summed over lengths
    stale = np.zeros(2)
    for length in _lengths(workload):
        local = (length * (1 - hits)[:, None] > least).mean(axis=1)
        weight = ends * first + (1 - ends) * later
        aligned += (local @ weight, 1.0)
        stale += _stale_turns(hits, later, local, local * weight, 1 - ends)
    if stale[1] == 0:
        return _gain(workload, 0.0, 0.0, None, 0, 0)
    on_aligned, on_stale = float(aligned[0] / aligned[1]), float(stale[0] / stale[1])
    return _gain(workload, on_aligned, on_stale, None, 0, 0)


def _stale_turns(
    hits: Numbers, later: Numbers, local: Numbers, begun: Numbers, goes_on: float
) -> Numbers:
    """Stale turns that are local, and all stale turns, that follow local turns at hits `begun`.

    A session that MD lags behind is in the state i: MD holds hits[i] of the prompt. Its next turn
    needs what lies beyond min(hits[i], hit), and is local with the odds of a turn of that hit.
    """
    count = len(hits)
    order = np.argsort(hits, kind="stable")
    rank = np.empty(count, dtype=int)
    rank[order] = np.arange(count)
    lower = np.minimum(rank[:, None], rank[None, :])
    held = order[lower]  # the state that MD holds afterwards, and what the turn is judged by
    again = local[held] * later[None, :]
    moves = np.zeros((count, count))
    np.add.at(moves, (np.repeat(np.arange(count), count), held.ravel()), again.ravel())
    visits = np.linalg.solve(np.eye(count) - goes_on * moves.T, goes_on * begun)
    beyond = rank[None, :] > rank[:, None]
    return np.array(
        [visits @ (again * beyond).sum(axis=1), visits @ (later[None, :] * beyond).sum(axis=1)]
    )


def _least_local_tokens(scenario: Scenario, flows: float) -> float:
    """Tokens to send above which P-RLD keeps a request, beside `flows` on the line."""
    line, policy, model = scenario.line, scenario.policy, scenario.model
    assert line is not None
    capacity, cap = line_rates(line.bandwidth_gbps, line.goodput_share, line.per_flow_cap_gbps)
    rtt = line.rtt_ms / 1e3
    second = estimate_seconds(1.0, capacity, cap, round(flows), 0.0)  # of one byte
    nbytes = (policy.p_rld_threshold_s - rtt) / second
    return (nbytes - model.fixed_state_mb * 1e6) / model.kv_bytes_per_token


def _lengths(workload: Workload, count: int = 15) -> Numbers:
    """Prompt lengths of equal odds (lognormal), in tokens."""
    sigma = workload.prompt_sigma
    normal = NormalDist()
    z = np.array([normal.inv_cdf((i + 0.5) / count) for i in range(count)])
    return np.exp(np.log(workload.prompt_tokens_mean) - sigma**2 / 2 + sigma * z)


def _hits(workload: Workload, each: int = 12) -> tuple[Numbers, Numbers, Numbers]:
    """Hit shares, and their weights in first and in later turns."""
    total = sum(workload.hit_shares)
    spans = [(0.0, workload.first_turn_hit_max), *pairwise(HIT_EDGES)]
    middles = (np.arange(each) + 0.5) / each
    hits = np.concatenate([low + (high - low) * middles for low, high in spans])
    later = np.repeat([0.0, *(share / total for share in workload.hit_shares)], each) / each
    first = np.repeat([1.0, *(0.0 for _ in workload.hit_shares)], each) / each
    return hits, first, later
