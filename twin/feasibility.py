"""The first question of a plan: does the line carry the KV cache that must cross it?

Gbps are of payload unless they say raw; a line carries its goodput share of the raw bandwidth. Two
figures count: what the traffic asks, and the most new KV that prefill can make (the line should
carry that, for a queue at prefill empties at full rate).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, inf, log, sqrt

import numpy as np

from .physics.chip import prefill_cost, prefill_seconds
from .physics.kv import kv_bytes, tokens_to_send
from .physics.profile import formulas_only
from .scenario import HIT_EDGES, Line, Scenario, ServedModel, Workload
from .units import bytes_per_s_to_gbps, gbps_to_bytes_per_s

TIGHT_LOAD = 0.8
"""From this use on transfers queue: a line of 7.5 Gbps lost its footing at .88 (assumed mark)."""


@dataclass(frozen=True)
class KvSize:
    """KV cache of a served model: bytes per token, and the state that does not grow."""

    bytes_per_token: float
    fixed_bytes: float = 0.0

    @classmethod
    def of(cls, model: ServedModel) -> KvSize:
        """Of the model of a scenario."""
        return cls(model.kv_bytes_per_token, model.fixed_state_mb * 1e6)


@dataclass(frozen=True)
class Demand:
    """What is asked: requests/s, prompt tokens with the cached part, mean hit share at MD."""

    rps: float
    prompt_tokens: float
    hit_share: float


@dataclass(frozen=True)
class LineNeed:
    """What a line must carry: bytes a request and Gbps, with DRC and for whole KV caches.

    `saved_by_drc` is how many times less DRC sends (None: it sends nothing). `load` is the demand
    over what the line carries, None without a limit.
    """

    bytes_whole: float
    bytes_sent: float
    gbps_whole: float
    gbps_sent: float
    gbps_raw: float
    saved_by_drc: float | None
    carries_gbps: float | None
    load: float | None
    verdict: str
    words: str


def line_need(kv: KvSize, demand: Demand, line: Line, drc: bool = True) -> LineNeed:
    """Whether `line` carries what `demand` sends; with `drc` a hit is not sent again."""
    hit = demand.prompt_tokens * demand.hit_share if drc else 0.0
    whole = kv_bytes(demand.prompt_tokens, kv.bytes_per_token, kv.fixed_bytes)
    sent = kv_bytes(
        tokens_to_send(demand.prompt_tokens, hit, hit), kv.bytes_per_token, kv.fixed_bytes
    )
    gbps = bytes_per_s_to_gbps(demand.rps * sent)
    carries = None if line.bandwidth_gbps is None else line.bandwidth_gbps * line.goodput_share
    load = None if carries is None else gbps / carries
    verdict = _verdict(load)
    return LineNeed(
        bytes_whole=whole,
        bytes_sent=sent,
        gbps_whole=bytes_per_s_to_gbps(demand.rps * whole),
        gbps_sent=gbps,
        gbps_raw=gbps / line.goodput_share,
        saved_by_drc=whole / sent if sent > 0 else None,
        carries_gbps=carries,
        load=load,
        verdict=verdict,
        words=_words(gbps, carries, load, verdict),
    )


def _verdict(load: float | None) -> str:
    if load is None or load < TIGHT_LOAD:
        return "carries"
    return "tight" if load < 1 else "does not carry"


def _words(gbps: float, carries: float | None, load: float | None, verdict: str) -> str:
    if carries is None or load is None:
        return f"{gbps:.2f} Gbps cross a line without a limit."
    room = {
        "carries": "the line carries it",
        "tight": "the line carries it with queues, and a burst may not drain",
        "does not carry": "the line does not carry it: transfers pile up without end",
    }[verdict]
    return f"{gbps:.2f} of {carries:.2f} Gbps ({load:.0%}): {room}."


def line_needs(
    models: Mapping[str, KvSize], demand: Demand, line: Line, drc: bool = True
) -> dict[str, LineNeed]:
    """The same demand for several models."""
    return {name: line_need(kv, demand, line, drc) for name, kv in models.items()}


@dataclass(frozen=True)
class Burst:
    """Requests whose KV caches cross within `seconds`: bytes in all, Gbps of payload."""

    nbytes: float
    seconds: float
    gbps: float


def burst(requests: int, prompt_tokens: float, kv: KvSize, seconds: float) -> Burst:
    """Whole KV caches of `requests` prompts sent within `seconds` (claim C11)."""
    nbytes = requests * kv_bytes(prompt_tokens, kv.bytes_per_token, kv.fixed_bytes)
    return Burst(nbytes, seconds, bytes_per_s_to_gbps(nbytes / seconds))


def seconds_for(nbytes: float, gbps: float) -> float:
    """How long a line of `gbps` payload takes for `nbytes`, in s."""
    return nbytes / gbps_to_bytes_per_s(gbps) if gbps > 0 else inf


@dataclass(frozen=True)
class Production:
    """The most that prefill can make: requests/s with every instance busy, Gbps of new KV."""

    rps: float
    mean_prefill_s: float
    mean_new_tokens: float
    gbps: float
    line_carries_it: bool | None


def most_new_kv(scenario: Scenario) -> Production:
    """Prefill's most, over the workload's prompts and hit rates; the line should carry it.

    One-off requests are left out. `line_carries_it` is None without a line. RunError for measured
    profiles and for prefill in B.
    """
    formulas_only(scenario, "the most new KV")
    cost = prefill_cost(scenario.prefill, scenario.model)
    seconds = new = 0.0
    for weight, prompt, hit in _prompts(scenario.workload):
        seconds += weight * prefill_seconds(cost, prompt * (1 - hit), prompt * hit)
        new += weight * prompt * (1 - hit)
    rps = scenario.prefill.instances / seconds
    kv = KvSize.of(scenario.model)
    gbps = bytes_per_s_to_gbps(rps * kv_bytes(new, kv.bytes_per_token, kv.fixed_bytes))
    line = scenario.line
    carried = None
    if line is not None:
        capacity = inf if line.bandwidth_gbps is None else line.bandwidth_gbps * line.goodput_share
        carried = capacity >= gbps
    return Production(rps, seconds, new, gbps, carried)


def _prompts(workload: Workload) -> list[tuple[float, float, float]]:
    """(weight, prompt tokens, hit share): a quadrature over lengths, buckets and first turns."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(11)
    sigma = workload.prompt_sigma
    centre = log(workload.prompt_tokens_mean) - sigma**2 / 2
    lengths = [
        (float(w) / sqrt(2 * np.pi), exp(centre + sigma * float(x)))
        for x, w in zip(nodes, weights, strict=True)
    ]
    return [(wl * wh, length, hit) for wl, length in lengths for wh, hit in _hits(workload)]


def _hits(workload: Workload) -> list[tuple[float, float]]:
    first = 1 / workload.turns_per_session
    total = sum(workload.hit_shares)
    spans = [(first, 0.0, workload.first_turn_hit_max)]
    for i, share in enumerate(workload.hit_shares):
        spans.append(((1 - first) * share / total, HIT_EDGES[i], HIT_EDGES[i + 1]))
    nodes, weights = np.polynomial.legendre.leggauss(4)
    return [
        (share * float(w) / 2, low + (high - low) * (float(x) + 1) / 2)
        for share, low, high in spans
        for x, w in zip(nodes, weights, strict=True)
    ]
