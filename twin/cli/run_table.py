"""A run, or several seeds of it, as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..result import Series
from ..scenario import Scenario
from .tables import count, number, spread, table

TIMES = (
    ("TTFT", "ttft_s", "s", 1.0, 2),
    ("total", "total_s", "s", 1.0, 2),
    ("ITL", "itl_s", "ms", 1e3, 1),
    ("TPOT", "tpot_s", "ms", 1e3, 1),
    ("largest gap", "largest_gap_s", "ms", 1e3, 1),
    ("KV transfer", "transfer_s", "s", 1.0, 2),
)
"""Rows of the table of times: words, key, unit, scale, decimals."""

QUANTILES = ("mean", "p50", "p90", "p99", "max")

STAGES = (
    ("queue at P", "queue_p"),
    ("prefill", "prefill"),
    ("KV transfer", "transfer"),
    ("wait for a slot", "queue_slot"),
    ("first step", "first_step"),
    ("first token out", "output_overhead"),
    ("on RLD", "relay"),
    ("handoff", "handoff"),
    ("on MD", "main"),
)
TTFT_STAGES = 6

SHARES = (
    ("within SLA", "sla_ok_share"),
    ("tokens by RLD", "rld_token_share"),
    ("requests relayed", "relay_request_share"),
    ("finished locally", "local_request_share"),
    ("prefilled in B", "beside_request_share"),
    ("P hit", "p_hit"),
    ("MD hit", "md_hit"),
)

USES = (
    ("P", "prefill"),
    ("PB", "prefill_b"),
    ("RLD slots", "relay_slots"),
    ("MD slots", "main_slots"),
    ("line", "line"),
    ("DRC", "drc"),
)

COURSES = (
    ("local", "local_share", 100.0, 1),
    ("P hit", "p_hit", 100.0, 1),
    ("MD hit", "md_hit", 100.0, 1),
    ("RLD batch", "relay_batch", 1.0, 1),
    ("MD batch", "main_batch", 1.0, 1),
    ("flows", "line_flows", 1.0, 1),
    ("Gbps", "line_gbps", 1.0, 2),
    ("in flight", "in_flight", 1.0, 1),
    ("req/s", "throughput_rps", 1.0, 2),
)
"""Columns of the course: words, key, scale, decimals; shares in percent."""

COURSE_ROWS = 24


def run_table(scenario: Scenario, data: Mapping[str, Any]) -> str:
    """The tables of a run: times, stages, figures, notes; with deviations for several seeds."""
    parts = [_head(scenario, data), _times(data), _stages(data), _figures(data), *_notes(data)]
    return "\n\n".join(parts)


def _head(scenario: Scenario, data: Mapping[str, Any]) -> str:
    seeds = data.get("seeds", [data["seed"]])
    named = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}, mean ± sd"
    title = f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name
    return f"{title}\ndigest {data['digest'][:12]}, {_load(scenario, data)}, {named}"


def _load(scenario: Scenario, data: Mapping[str, Any]) -> str:
    workload = scenario.workload
    if data["workload"] == "sessions":
        return f"{workload.clients} clients"
    if data["workload"] == "poisson":
        return f"Poisson {workload.rate_rps:g} requests/s"
    trace, _, digest = str(data["workload"]).rpartition(" ")
    return f"{trace} ({digest[:12]})"


def _sd(data: Mapping[str, Any], *keys: str) -> float | None:
    """The deviation under those keys, None in a single run."""
    found: Any = data.get("sd")
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, int | float) else None


def _times(data: Mapping[str, Any]) -> str:
    rows = [["", "", "mean", "P50", "P90", "P99", "max"]]
    for words, key, unit, scale, digits in TIMES:
        cells = [spread(data[key][q], _sd(data, key, q), digits, scale=scale) for q in QUANTILES]
        rows.append([words, unit, *cells])
    return table(rows, "<<>")


def _stages(data: Mapping[str, Any]) -> str:
    stages = data["stages_s"]
    rows = [["stage", "mean s"]]
    for i, (words, key) in enumerate(STAGES):
        if i == TTFT_STAGES:
            rows.append(["= TTFT", number(data["ttft_s"]["mean"], 3)])
        rows.append([words, spread(stages[key], _sd(data, "stages_s", key), 3)])
    rows.append(["= total", number(data["total_s"]["mean"], 3)])
    return table(rows, "<>")


def _figures(data: Mapping[str, Any]) -> str:
    rows = [
        [
            "throughput",
            spread(data["throughput_rps"], _sd(data, "throughput_rps"), 3),
            "requests/s",
        ],
        ["goodput", spread(data["goodput_rps"], _sd(data, "goodput_rps"), 3), "requests/s"],
        *(
            [words, spread(data[key], _sd(data, key), 1, scale=100), "%"]
            for words, key in SHARES
            if key in data
        ),
        ["line", spread(data["line_gbps"], _sd(data, "line_gbps"), 2), "Gbps"],
        ["cost", _cost(data), "chips A"],
    ]
    uses = ", ".join(
        f"{words} {number(data['utilisation'][key], 0, '%', 100)}"
        for words, key in USES
        if key in data["utilisation"]
    )
    requests, window = data["requests"], data["window"]
    rest = [
        f"in use: {uses}",
        f"requests: {count(requests['arrived'])} arrived = {count(requests['finished'])} finished "
        f"+ {count(requests['refused'])} refused + {count(requests['in_flight'])} in flight",
        f"measured: {count(window['requests'])} requests that arrived from "
        f"{number(window['from_s'], 0)} to {number(window['to_s'], 0, 's')}",
        f"engine: {count(data['events'])} events, {number(data['cpu_s'], 2, 's')} of CPU",
    ]
    return table(rows, "<><") + "\n" + "\n".join(rest)


def _cost(data: Mapping[str, Any]) -> str:
    low, high = data["cost_units"], data["cost_units_high"]
    return number(low) if high is None else f"{number(low)} to {number(high)}"


def _notes(data: Mapping[str, Any]) -> list[str]:
    return ["\n".join(f"note: {trouble}" for trouble in data["troubles"])] * bool(data["troubles"])


def course_table(series: Series) -> str:
    """The courses over time that tell most, thinned to a page; shares in percent."""
    rows = [["time s", *(words for words, *_ in COURSES)]]
    points = len(series.time_s)
    for part in _stretches(points):
        cells = [
            number(_mean(series.values[key][part]), digits, scale=scale)
            for _, key, scale, digits in COURSES
        ]
        rows.append([number(series.time_s[part.stop - 1], 0), *cells])
    return table(rows, ">")


def _stretches(points: int) -> list[slice]:
    ends = sorted({round(points * (i + 1) / COURSE_ROWS) for i in range(COURSE_ROWS)} - {0})
    return [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None
