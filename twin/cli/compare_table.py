"""A comparison as tables for people: figures side by side, claims and their bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..compare import Comparison
from ..sensitivity import Changed, Sensitivity
from ..verdicts import Verdict
from .tables import UNKNOWN, number, spread, table

FIGURES = (
    ("TTFT mean", ("ttft_s", "mean"), "s", 1.0, 2),
    ("TTFT P50", ("ttft_s", "p50"), "s", 1.0, 2),
    ("TTFT P90", ("ttft_s", "p90"), "s", 1.0, 2),
    ("TTFT P99", ("ttft_s", "p99"), "s", 1.0, 2),
    ("ITL P50", ("itl_s", "p50"), "ms", 1e3, 1),
    ("total P50", ("total_s", "p50"), "s", 1.0, 2),
    ("total P99", ("total_s", "p99"), "s", 1.0, 2),
    ("within SLA", ("sla_ok_share",), "%", 100.0, 1),
    ("throughput", ("throughput_rps",), "requests/s", 1.0, 3),
    ("goodput", ("goodput_rps",), "requests/s", 1.0, 3),
    ("tokens by RLD", ("rld_token_share",), "%", 100.0, 2),
    ("requests relayed", ("relay_request_share",), "%", 100.0, 1),
    ("P hit", ("p_hit",), "%", 100.0, 1),
    ("MD hit", ("md_hit",), "%", 100.0, 1),
    ("line", ("line_gbps",), "Gbps", 1.0, 2),
)
"""Rows of the comparison: words, key, unit, scale, decimals."""

IN_B = ("prefilled in B", ("beside_request_share",), "%", 100.0, 1)
"""The row of deployments that also prefill in B, where one of them does."""

SEEDS_OF_BANDS = 6
EXACT = 1.001
"""A band not wider than one unit of its last decimal (and rounding) is told as a figure."""


def comparison_table(found: Comparison, data: Mapping[str, Any]) -> str:
    """Deployments as columns, figures as rows, each mean ± sd over the seeds."""
    results = data["results"]
    rows = [["", "", *(r["scenario"] for r in results)]]
    beside = [IN_B] if any(IN_B[1][0] in r for r in results) else []
    for words, path, unit, scale, digits in (*FIGURES, *beside):
        cells = [spread(_at(r, path), _at(r["sd"], path), digits, scale=scale) for r in results]
        rows.append([words, unit, *cells])
    rows += _capacity_rows(results)
    lines = [
        f"baseline {found.baseline}; {_seeds(found.seeds)}; {found.basis}",
        table(rows, "<<>"),
        *_notes(results),
        f"{found.cpu_s:.1f} s of CPU",
    ]
    return "\n".join(lines)


def _capacity_rows(results: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    def sd(result: Mapping[str, Any]) -> float | None:
        found = result["capacity_spread"]
        return None if found is None else found["sd"]

    costs = [
        ["cost", "chips A", *(number(r["cost_units"]) for r in results)],
        ["cost, high price", "chips A", *(number(r["cost_units_high"]) for r in results)],
    ]
    ratios = [
        ["BCR", "x", *(number(r["bcr"], 3) for r in results)],
        ["BCR, high price", "x", *(number(r["bcr_high_price"], 3) for r in results)],
    ]
    prices = 2 if any(r["cost_units_high"] is not None for r in results) else 1
    if all(r["capacity_spread"] is None for r in results):
        return costs[:prices]
    return [
        ["capacity", "requests/s", *(spread(r["capacity_rps"], sd(r), 3) for r in results)],
        ["at a load of", "", *(number(r["capacity_load"], 1) for r in results)],
        *(row for pair in zip(costs, ratios, strict=True) for row in pair),
    ][: 2 + 2 * prices]


def _at(data: Any, path: Sequence[str]) -> Any:
    for key in path:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


def _seeds(seeds: Sequence[int]) -> str:
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}, mean ± sd"


def _notes(results: Sequence[Mapping[str, Any]]) -> list[str]:
    notes = [f"note: {r['scenario']}: {t}" for r in results for t in r["troubles"]]
    notes += [
        f"note: {r['scenario']}: capacity: {r['capacity_why']}"
        for r in results
        if r["capacity_why"]
    ]
    return notes


def claims_table(judged: Sequence[Verdict], seeds: int) -> str:
    """Each claim: what was published, ours, the band, how it comes about, in or out."""
    rows = [["claim", "", "public", "ours", "band", "", "kind"]]
    for v in judged:
        ours = spread(v.value, v.sd, v.digits, v.unit, sign=v.signed)
        inside = judgement(v)
        rows.append([v.claim, v.about, v.public, ours, band(v), inside, kind(v)])
    text = "Beside the published claims, all with one set of parameters:\n" + table(rows, "<<<><<<")
    if seeds != SEEDS_OF_BANDS:
        text += f"\nnote: bands are for the mean of {SEEDS_OF_BANDS} seeds, these are {seeds}"
    return text


def judgement(verdict: Verdict) -> str:
    """In or out of its band; what is to be refused is, when the arithmetic holds."""
    within = "refused" if verdict.kind == "refuse" else "in"
    return {True: within, False: "OUT", None: UNKNOWN}[verdict.inside]


def kind(verdict: Verdict) -> str:
    """Fitted by which parameters, predicted, or arithmetic."""
    by = f" ({', '.join(verdict.fitted_by)})" if verdict.fitted_by else ""
    return f"{verdict.kind}{by}"


def band(verdict: Verdict) -> str:
    """The band as words."""
    low, high = verdict.low, verdict.high
    if low is None and high is None:
        return UNKNOWN
    if low is None or high is None:
        word, end = ("below", high) if low is None else ("above", low)
        return f"{word} {_one(verdict, end)}"
    if high - low <= EXACT * 10**-verdict.digits:
        return f"exactly {_one(verdict, (low + high) / 2)}"
    return f"{number(low, verdict.digits, sign=verdict.signed)} to {_one(verdict, high)}"


def _one(verdict: Verdict, value: float | None) -> str:
    return number(value, verdict.digits, verdict.unit, sign=verdict.signed)


def sensitivity_table(moved: Sensitivity) -> str:
    """Each fitted parameter, down and up: the claims that leave their band by it."""
    rows = [["parameter", "by", "now", "leaves its band", "", "ours", "band"]]
    for change in moved.changes:
        rows += _change_rows(change)
    title = "One fitted parameter changed at a time:\n"
    return title + table(rows, "<>><<><") + f"\n{moved.cpu_s:.1f} s of CPU"


def _change_rows(change: Changed) -> list[list[str]]:
    now = ", ".join(f"{value:g}" for value in dict.fromkeys(change.settings.values()))
    told = [change.parameter, f"{100 * (change.factor - 1):+.0f} %", now]
    if not change.outside:
        return [[*told, "none"]]
    out = [[v.claim, v.about, _one(v, v.value), band(v)] for v in change.outside]
    return [[*(told if i == 0 else ["", "", ""]), *row] for i, row in enumerate(out)]
