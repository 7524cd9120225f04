"""From the record of a run to its Result: the window, quantiles, shares and what cannot be said."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..economics import cost_units, cost_units_high
from ..physics.profile import kv_curve, values_at
from ..policy import P_D, P_MD, P_RLD, P_RLD_MD, PB_MD, SINGULAR
from ..result import (
    Pipelines,
    Quantiles,
    Requests,
    Result,
    Series,
    Stages,
    Utilisation,
    Window,
)
from ..scenario import Scenario, ServedModel, Slo
from ..version import VERSION
from .pools import ITL_CELLS_PER_S
from .recorder import REQUEST_COLUMNS, SAMPLE_COLUMNS, Recorder
from .simulation import Simulation

Table = NDArray[np.float64]

COLUMN = {name: i for i, name in enumerate(REQUEST_COLUMNS)}
SAMPLE = {name: i for i, name in enumerate(SAMPLE_COLUMNS)}
TTFT_STAGES = ("queue_p", "prefill", "transfer", "queue_slot", "first_step", "output_overhead")
TOTAL_STAGES = (*TTFT_STAGES, "relay", "handoff", "main")
SERIES_POINTS = 600
HIGH_HIT = 0.95


def quantiles(values: Table) -> Quantiles:
    """Mean and quantiles (linear interpolation) of values in s."""
    if not len(values):
        return Quantiles()
    p50, p90, p99 = np.quantile(values, (0.5, 0.9, 0.99)).tolist()
    return Quantiles(mean=float(values.mean()), p50=p50, p90=p90, p99=p99, max=float(values.max()))


def within_slo(rows: Table, slo: Slo) -> NDArray[np.bool_]:
    """Which requests were served within the SLA."""
    good = rows[:, COLUMN["total"]] <= slo.total_s
    if slo.ttft_s is not None:
        good &= rows[:, COLUMN["ttft"]] <= slo.ttft_s
    if slo.tpot_ms is not None:
        good &= tpot(rows) * 1e3 <= slo.tpot_ms
    return good


def tpot(rows: Table) -> Table:
    """Time per output token after the first, in s; 0 for answers of one token."""
    after = np.maximum(rows[:, COLUMN["out"]] - 1, 1)
    return (rows[:, COLUMN["total"]] - rows[:, COLUMN["ttft"]]) / after


def measured_window(sim: Simulation) -> tuple[float, float]:
    """First and last arrival that count, in s.

    From max(200 s, 20 % of the end) until the first client's last request finishes; the end is
    the last completion. With `duration_s`, until the last arrival that could still be in time.
    """
    plan = sim.scenario.run
    fixed = plan.duration_s if sim.load.generated else None
    if fixed is not None:
        end = sim.now
        return max(plan.warmup_s, plan.warmup_share * end), end - sim.scenario.slo.total_s
    done = sim.recorder.last_token_s()
    end = sim.now if done is None else done
    first_done = sim.load.first_done_s
    last = end if first_done is None else first_done
    if not sim.load.generated:
        return 0.0, end  # a trace is measured as a whole
    first = max(plan.warmup_s, plan.warmup_share * end)
    if first >= last and not sim.load.closed:  # all came before the first were served
        first = plan.warmup_share * last
    return first, last


def summarize(sim: Simulation, cpu_s: float | None = None, series: bool = True) -> Result:
    """The result of a finished run."""
    return summarize_window(sim, *measured_window(sim), cpu_s=cpu_s, series=series)


def summarize_window(
    sim: Simulation, from_s: float, to_s: float, cpu_s: float | None = None, series: bool = False
) -> Result:
    """The result of the arrivals from `from_s` to `to_s`; unfinished ones count as late."""
    scenario, p = sim.scenario, sim.pipeline
    rows = sim.recorder.arrived_between(from_s, to_s)
    unfinished = sum(from_s <= j.arrival <= to_s for j in p.live.values())
    span = max(to_s - from_s, 0.0)
    samples = _samples_between(sim.recorder.series(), from_s, to_s)
    good = int(within_slo(rows, scenario.slo).sum())
    asked = len(rows) + unfinished
    saturated, growth = _saturation(sim, samples)
    steady = not (saturated and sim.load.generated)  # a finite trace can always say what it saw
    return Result(
        scenario=scenario.name,
        digest=scenario.digest(),
        workload=sim.load.name,
        seed=sim.seed,
        version=VERSION,
        **_times(rows, _itl(sim, from_s, to_s), steady),
        throughput_rps=len(rows) / span if span and len(rows) else None,
        sla_ok_share=good / asked if asked and steady else None,
        goodput_rps=good / span if span and asked else None,
        **_shares(rows, scenario),
        beside_request_share=_beside_share(rows, scenario),
        **_line(rows, samples, scenario),
        pipelines=_pipelines(rows, scenario),
        utilisation=_utilisation(samples, scenario),
        saturated=saturated,
        backlog_growth_rps=growth,
        cost_units=cost_units(scenario),
        cost_units_high=cost_units_high(scenario),
        window=Window(from_s=from_s, to_s=to_s, requests=len(rows), unfinished=unfinished),
        requests=_requests(sim),
        series=_series(sim.recorder, scenario) if series else None,
        troubles=_troubles(sim, rows, unfinished, saturated),
        events=sim.clock.events,
        cpu_s=cpu_s,
    )


def _requests(sim: Simulation) -> Requests:
    counts = sim.pipeline.counts
    return Requests(
        arrived=counts["arrived"],
        finished=counts["finished"],
        refused=counts["refused"],
        in_flight=len(sim.pipeline.live),
    )


# --- times


def _times(rows: Table, itl: Quantiles, steady: bool) -> dict[str, Any]:
    """Quantiles and mean stages; nothing steady is said of an open load that outgrows the line."""
    if not steady:
        rows, itl = rows[:0], Quantiles()
    gap, landed_after = rows[:, COLUMN["gap"]], rows[:, COLUMN["landed_after"]]
    landed = landed_after >= 0
    relayed = landed & (rows[:, COLUMN["pipeline"]] == P_RLD_MD)
    high = landed & (rows[:, COLUMN["hit"]] / rows[:, COLUMN["prompt"]] > HIGH_HIT)
    each = tpot(rows)
    means = (
        {name: float(rows[:, COLUMN[name]].mean()) for name in TOTAL_STAGES} if len(rows) else {}
    )
    return {
        "ttft_s": quantiles(rows[:, COLUMN["ttft"]]),
        "itl_s": itl,
        "tpot_s": quantiles(each),
        "total_s": quantiles(rows[:, COLUMN["total"]]),
        "largest_gap_s": quantiles(np.maximum(gap, each)),
        "handoff_gap_s": quantiles(gap[gap >= 0]),
        "transfer_s": quantiles(landed_after[landed]),
        "relayed_transfer_s": quantiles(landed_after[relayed]),
        "high_hit_transfer_s": quantiles(landed_after[high]),
        "stages_s": Stages(**means),
    }


def _itl(sim: Simulation, from_s: float, to_s: float) -> Quantiles:
    """ITL over tokens, from cells counted in periods that begin within the window."""
    recorder, pools = sim.recorder, (sim.pipeline.relay, sim.pipeline.main)
    under_way = [(recorder.itl_since, "", p.itl_tokens) for p in pools if p is not None]
    cells: dict[int, float] = {}
    for since, _, counted in [*recorder.itl, *under_way]:
        if from_s <= since <= to_s:
            for cell, tokens in counted.items():
                cells[cell] = cells.get(cell, 0.0) + tokens
    if not cells:
        return Quantiles()
    numbers = np.array(sorted(cells))
    weight = np.array([cells[n] for n in numbers.tolist()])
    edges = np.concatenate(([0.0], np.cumsum(weight))) / weight.sum()
    seconds = np.concatenate((numbers, [numbers[-1] + 1])) / ITL_CELLS_PER_S
    upper = (numbers + 1) / ITL_CELLS_PER_S
    where = [np.searchsorted(edges[1:], q) for q in (0.5, 0.9, 0.99)]
    p50, p90, p99 = (
        float(seconds[i] + (q - edges[i]) / (edges[i + 1] - edges[i]) / ITL_CELLS_PER_S)
        for i, q in zip(where, (0.5, 0.9, 0.99), strict=True)
    )
    mean = float(((numbers + 0.5) / ITL_CELLS_PER_S * weight).sum() / weight.sum())
    return Quantiles(mean=mean, p50=p50, p90=p90, p99=p99, max=float(upper[-1]))


# --- shares and bytes


def _ratio(part: float, whole: float) -> float | None:
    return float(part / whole) if whole else None


def _shares(rows: Table, scenario: Scenario) -> dict[str, Any]:
    total = {
        n: float(rows[:, COLUMN[n]].sum()) for n in ("out", "relay_made", "prompt", "hit", "md_hit")
    }
    kinds = rows[:, COLUMN["pipeline"]]
    return {
        "rld_token_share": _ratio(total["relay_made"], total["out"]),
        "relay_request_share": _ratio(int((kinds == P_RLD_MD).sum()), len(rows)),
        "local_request_share": _ratio(int(np.isin(kinds, (P_RLD, SINGULAR)).sum()), len(rows)),
        "p_hit": _ratio(total["hit"], total["prompt"]),
        "md_hit": _ratio(total["md_hit"], total["prompt"]) if has_drc(scenario) else None,
    }


def _beside_share(rows: Table, scenario: Scenario) -> float | None:
    if scenario.prefill_b is None:
        return None
    return _ratio(int((rows[:, COLUMN["pipeline"]] == PB_MD).sum()), len(rows))


def _pipelines(rows: Table, scenario: Scenario) -> Pipelines:
    kinds = rows[:, COLUMN["pipeline"]]
    counts = {k: int((kinds == k).sum()) for k in (P_MD, P_RLD_MD, P_RLD, SINGULAR, P_D, PB_MD)}
    return Pipelines(
        p_md=counts[P_MD], p_rld_md=counts[P_RLD_MD], p_rld=counts[P_RLD],
        filtered=counts[SINGULAR], p_d=counts[P_D],
        pb_md=None if scenario.prefill_b is None else counts[PB_MD],
    )  # fmt: skip


def _line(rows: Table, samples: Table, scenario: Scenario) -> dict[str, Any]:
    if scenario.line is None:
        return {"line_gbps": None, "line_bytes": None, "kv_bytes": None}
    sent = _grown(samples, "line_bytes")
    return {
        "line_gbps": sent[0] * 8 / 1e9 / sent[1] if sent else None,
        "line_bytes": float(rows[:, COLUMN["nbytes"]].sum()),
        "kv_bytes": _kv_bytes(rows[:, COLUMN["prompt"]], scenario.model),
    }


def _kv_bytes(prompts: Table, model: ServedModel) -> float:
    """KV bytes of whole prompts, in sum."""
    profile = kv_curve(model.kv_profile)
    if profile is not None:
        return float(values_at(profile, prompts).sum())
    return float(
        prompts.sum() * model.kv_bytes_per_token + len(prompts) * model.fixed_state_mb * 1e6
    )


# --- resources


def _samples_between(samples: Table, from_s: float, to_s: float) -> Table:
    time = samples[:, 0]
    return samples[(time >= from_s) & (time <= to_s)]


def _grown(samples: Table, name: str) -> tuple[float, float] | None:
    """Growth of a running total over the samples, and the seconds it took."""
    if len(samples) < 2:
        return None
    column = samples[:, SAMPLE[name]]
    return float(column[-1] - column[0]), float(samples[-1, 0] - samples[0, 0])


def _used(samples: Table, name: str, capacity: float) -> float | None:
    grown = _grown(samples, name)
    return grown[0] / grown[1] / capacity if grown and capacity > 0 else None


def _utilisation(samples: Table, scenario: Scenario) -> Utilisation:
    if len(samples) < 2:
        return Utilisation()
    line = scenario.line
    capacity = samples[:, SAMPLE["line_capacity"]].mean()
    return Utilisation(
        prefill=prefill_used(samples),
        relay_slots=_used(samples, "relay_slot_s", float(samples[:, SAMPLE["relay_slots"]].mean())),
        main_slots=_used(samples, "main_slot_s", float(samples[:, SAMPLE["main_slots"]].mean())),
        line=_used(samples, "line_bytes", float(capacity)) if line is not None else None,
        drc=drc_filled(samples) if has_drc(scenario) else None,
        prefill_b=None if scenario.prefill_b is None else prefill_used(samples, "prefill_b"),
    )


def prefill_used(samples: Table, pool: str = "prefill") -> float | None:
    """Share of the instances' time in which they prefilled: work given to them less what lies."""
    given, lies = _grown(samples, f"{pool}_busy_s"), _grown(samples, f"{pool}_backlog_s")
    up = float(samples[:, SAMPLE[f"{pool}_up"]].mean()) if given else 0.0
    if given is None or lies is None or up <= 0:
        return None
    return min(1.0, (given[0] - lies[0]) / given[1] / up)


def drc_filled(samples: Table) -> float | None:
    """How full MD's cache is on average, of its size at each moment; None without a size."""
    size = samples[:, SAMPLE["drc_capacity"]]
    sized = size > 0
    filled = samples[sized, SAMPLE["drc_bytes"]] / size[sized]
    return float(filled.mean()) if len(filled) else None


def _saturation(sim: Simulation, samples: Table) -> tuple[bool, float | None]:
    """Whether an open load asks more than a resource can do, and how fast it piles up."""
    if sim.load.closed or len(samples) < 2:
        return False, None
    waiting = _slots_outgrown(samples)
    if waiting is not None:
        return True, waiting
    demand = []
    arrived = _grown(samples, "arrived")
    if sim.scenario.line is not None:
        asked = _used(
            samples, "line_asked_bytes", float(samples[:, SAMPLE["line_capacity"]].mean())
        )
        demand.append(asked)
    demand.append(_used(samples, "prefill_busy_s", float(samples[:, SAMPLE["prefill_up"]].mean())))
    if sim.scenario.prefill_b is not None:
        up = float(samples[:, SAMPLE["prefill_b_up"]].mean())
        demand.append(_used(samples, "prefill_b_busy_s", up))
    worst = max((d for d in demand if d is not None), default=0.0)
    if worst <= 1 or arrived is None:
        return False, None
    return True, arrived[0] / arrived[1] * (1 - 1 / worst)


def _slots_outgrown(samples: Table) -> float | None:
    """How fast a queue for decode slots grows (requests/s) while all of them are held; else None.

    All: more than 98 % of them over the last half of the window, and at its end more requests wait
    than there are slots, and more than in its middle.
    """
    half = samples[len(samples) // 2 :]
    for name in ("relay", "main"):
        queue, slots = half[:, SAMPLE[f"{name}_queue"]], half[:, SAMPLE[f"{name}_slots"]]
        held = _used(half, f"{name}_slot_s", float(slots.mean()))
        if held is not None and held > 0.98 and queue[-1] > max(slots[-1], queue[0]):
            grown = _grown(half, f"{name}_queue")
            return None if grown is None else grown[0] / grown[1]
    return None


def has_drc(scenario: Scenario) -> bool:
    """Whether main decode stands elsewhere and keeps history KV."""
    return scenario.caches.drc_enabled and not scenario.same_site


def _series(recorder: Recorder, scenario: Scenario) -> Series:
    """Thinned courses; rates are per sample interval."""
    samples = recorder.series()
    step = max(1, ceil(len(samples) / SERIES_POINTS))
    thin = samples[::step]
    in_b = scenario.prefill_b is not None
    told = courses(thin, has_drc(scenario), in_b)
    return Series(time_s=thin[:, 0].tolist(), values=told)


def courses(samples: Table, drc: bool = True, in_b: bool = False) -> dict[str, list[float | None]]:
    """Named courses of samples: states as they are, totals as rates over each interval.

    Without a DRC, now or before, there is no hit rate of main decode to tell. `in_b`: tell of
    prefill in B too.
    """
    names = ("relay_batch", "relay_queue", "main_batch", "main_queue", "line_flows", "in_flight",
             "prefill_backlog_s")  # fmt: skip
    out: dict[str, list[float | None]] = {n: samples[:, SAMPLE[n]].tolist() for n in names}
    out["line_gbps"] = _rate(samples, "line_bytes", "time", 8 / 1e9)
    out["p_hit"] = _rate(samples, "hit_tokens", "prompt_tokens")
    out["md_hit"] = _rate(samples, "md_hit_tokens", "prompt_tokens")
    if not drc and not samples[:, SAMPLE["md_hit_tokens"]].any():
        out["md_hit"] = [None] * len(samples)
    out["local_share"] = _rate(samples, "routed_local", "arrived")
    out["throughput_rps"] = _rate(samples, "finished", "time")
    if in_b:
        out["prefill_b_backlog_s"] = samples[:, SAMPLE["prefill_b_backlog_s"]].tolist()
        out["beside_share"] = _rate(samples, "prefilled_in_b", "arrived")
    return out


def _rate(samples: Table, top: str, below: str, scale: float = 1.0) -> list[float | None]:
    tops = np.diff(samples[:, SAMPLE[top]])
    belows = np.diff(samples[:, SAMPLE[below]])
    rates = [float(t / b * scale) if b > 0 else None for t, b in zip(tops, belows, strict=True)]
    return [None, *rates] if len(samples) else []


def _troubles(sim: Simulation, rows: Table, unfinished: int, saturated: bool) -> list[str]:
    told = []
    if not len(rows):
        told.append("no request finished in the measured window: make the run longer")
    elif len(rows) < 100:
        told.append(f"only {len(rows)} requests in the measured window: P99 says little")
    if unfinished:
        told.append(
            f"{unfinished} requests of the window were unfinished at the end (counted late)"
        )
    if saturated:
        told.append(
            "the load asks more than prefill, the line or the decode slots can do: "
            "no steady state exists"
        )
    if sim.load.notes:
        told.extend(sim.load.notes)
    return told
