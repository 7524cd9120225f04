"""The few numbers that tell how a running deployment does, over a stretch of simulated time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..economics import cost_units
from .journey import Journey
from .recorder import REQUEST_COLUMNS, SAMPLE_COLUMNS
from .simulation import Simulation
from .summary import drc_filled, prefill_used, within_slo

COLUMN = {name: i for i, name in enumerate(REQUEST_COLUMNS)}
SAMPLE = {name: i for i, name in enumerate(SAMPLE_COLUMNS)}

FEW = 20
"""Below so many requests a quantile is not told."""

COSTLY_LAG = 0.02
"""MD's hit rate this far below P's is a loss to be told (assumed)."""

BINDING = ("prefill", "relay", "main", "line", "memory")
"""What can bind, in the order of the request's way."""


def tiles(sim: Simulation, from_s: float, to_s: float) -> dict[str, Any]:
    """Numbers of the requests that arrived from `from_s` to `to_s`; None where they cannot say.

    TTFT counts requests that have their first token, finished or not. A request counts against
    the SLA when it is finished, or already too late. Goodput is per second of requests that
    finished within the span.
    """
    table = sim.recorder.table()
    arrival = table[:, COLUMN["arrival"]]
    rows = table[(arrival >= from_s) & (arrival <= to_s)]
    alive = [j for j in sim.pipeline.live.values() if from_s <= j.arrival <= to_s]
    slo = sim.scenario.slo
    good = int(within_slo(rows, slo).sum())
    late = sum(sim.now - j.arrival > slo.total_s for j in alive)
    judged = len(rows) + late
    return {
        "from_s": round(from_s, 1),
        "to_s": round(to_s, 1),
        "requests": len(rows),
        **_ttft(rows, alive, sim.now),
        "sla_ok_share": good / judged if judged >= FEW else None,
        "goodput_rps": _goodput(sim, table, from_s, to_s),
        **_shares(rows),
        **_resources(sim, from_s, to_s),
        "cost_units": cost_units(sim.scenario),
    }


def _ttft(rows: np.ndarray, alive: list[Journey], now: float) -> dict[str, float | None]:
    waiting = [j.first - j.arrival for j in alive if 0 <= j.first <= now]
    values = np.concatenate((rows[:, COLUMN["ttft"]], np.array(waiting)))
    if len(values) < FEW:
        return {"ttft_p50_s": None, "ttft_p90_s": None, "ttft_p99_s": None}
    p50, p90, p99 = np.quantile(values, (0.5, 0.9, 0.99)).tolist()
    return {"ttft_p50_s": p50, "ttft_p90_s": p90, "ttft_p99_s": p99}


def _goodput(sim: Simulation, table: np.ndarray, from_s: float, to_s: float) -> float | None:
    end = table[:, COLUMN["arrival"]] + table[:, COLUMN["total"]]
    done = table[(end > from_s) & (end <= to_s)]
    if to_s <= from_s or len(done) < FEW:
        return None
    return float(within_slo(done, sim.scenario.slo).sum() / (to_s - from_s))


def _shares(rows: np.ndarray) -> dict[str, float | None]:
    def ratio(top: str, below: str) -> float | None:
        whole = rows[:, COLUMN[below]].sum()
        return float(rows[:, COLUMN[top]].sum() / whole) if whole > 0 else None

    return {"rld_token_share": ratio("relay_made", "out")}


def _resources(sim: Simulation, from_s: float, to_s: float) -> dict[str, Any]:
    """Hit rates and use of each resource from the samples of the span; what binds most."""
    samples = sim.recorder.series()
    time = samples[:, 0]
    span = samples[(time >= from_s) & (time <= to_s)]
    used = _use(sim, span)
    has_drc = sim.scenario.caches.drc_enabled and not sim.scenario.same_site
    p_hit = _share(span, "hit_tokens", "prompt_tokens")
    md_hit = _share(span, "md_hit_tokens", "prompt_tokens") if has_drc else None
    waited = {name: share for name, share in used.items() if share is not None}
    waited.pop("memory", None)
    binds = max(waited, key=lambda name: waited[name]) if waited else None
    if _evictions_cost(span, p_hit, md_hit):
        binds = "memory"  # hits that are lost load the line and the relay: they are not the cause
    return {"p_hit": p_hit, "md_hit": md_hit, "use": used, "binds": binds}


def _evictions_cost(span: np.ndarray, p_hit: float | None, md_hit: float | None) -> bool:
    """Whether MD's cache evicts what is still wanted: to be full is its usual state."""
    if p_hit is None or md_hit is None:
        return False
    evictions = span[-1, SAMPLE["drc_evictions"]] - span[0, SAMPLE["drc_evictions"]]
    return bool(evictions > 0) and p_hit - md_hit > COSTLY_LAG


def _share(span: np.ndarray, top: str, below: str) -> float | None:
    if len(span) < 2:
        return None
    whole = span[-1, SAMPLE[below]] - span[0, SAMPLE[below]]
    return float((span[-1, SAMPLE[top]] - span[0, SAMPLE[top]]) / whole) if whole > 0 else None


def _use(sim: Simulation, span: np.ndarray) -> dict[str, float | None]:
    """Use of each resource, 0 to 1; of memory, how full MD's cache is on average."""
    if len(span) < 2:
        return dict.fromkeys(BINDING)
    seconds = span[-1, 0] - span[0, 0]

    def grown(name: str) -> float:
        return float(span[-1, SAMPLE[name]] - span[0, SAMPLE[name]])

    def mean(name: str) -> float:
        return float(span[:, SAMPLE[name]].mean())

    def used(total: str, capacity: float) -> float | None:
        return min(1.0, grown(total) / float(seconds) / capacity) if capacity > 0 else None

    scenario = sim.scenario
    has_drc = scenario.caches.drc_enabled and scenario.line is not None
    beside = {}
    if scenario.prefill_b is not None:
        beside["prefill_b"] = prefill_used(span, "prefill_b")
    has_relay, has_line = scenario.relay_decode is not None, scenario.line is not None
    return {
        "prefill": prefill_used(span),
        "relay": used("relay_slot_s", mean("relay_slots")) if has_relay else None,
        "main": used("main_slot_s", mean("main_slots")),
        "line": used("line_bytes", mean("line_capacity")) if has_line else None,
        "memory": drc_filled(span) if has_drc else None,
        **beside,
    }
