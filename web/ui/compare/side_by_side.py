"""The table of figures side by side, each with its spread and its change from the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..numbers import MINUS, number, spread
from ..studies import basis_of
from ..tables import Cell, Column, Row, table
from ..texts.compare import COMPARE, METRICS

Said = dict[str, Any]

PLACES: dict[str, tuple[tuple[str, ...], float, int]] = {
    "clients": (("clients",), 1, 0),
    "ttft_p50": (("ttft_s", "p50"), 1, 3),
    "ttft_p90": (("ttft_s", "p90"), 1, 3),
    "ttft_p99": (("ttft_s", "p99"), 1, 3),
    "itl_p50": (("itl_s", "p50"), 1e3, 3),
    "total_p50": (("total_s", "p50"), 1, 3),
    "sla": (("sla_ok_share",), 100, 3),
    "throughput": (("throughput_rps",), 1, 3),
    "rld_tokens": (("rld_token_share",), 100, 3),
    "relayed": (("relay_request_share",), 100, 3),
    "p_hit": (("p_hit",), 100, 3),
    "md_hit": (("md_hit",), 100, 3),
    "line": (("line_gbps",), 1, 3),
    "cost": (("cost_units",), 1, 4),
}
"""Where each figure stands in a result, its scale, and how many of its digits tell something."""

LESS_IS_BETTER = ("ttft_p50", "ttft_p90", "ttft_p99", "itl_p50", "total_p50", "cost")
MORE_IS_BETTER = ("sla", "throughput")


def at(result: Any, path: Sequence[str]) -> Any:
    """The value at a path; None where there is none."""
    for key in path:
        result = result.get(key) if isinstance(result, dict) else None
    return result


def side_by_side(answer: Said) -> None:
    """Figures as rows, deployments as columns."""
    several = answer["deployments"]
    columns = [Column("", align="left"), *(Column(one["name"], one["title"]) for one in several)]
    rows = [_row(metric, several, basis_of(answer)) for metric in PLACES]
    table("compare-figures", COMPARE["figures"], columns, rows, file="comparison")


def _row(metric: str, several: Sequence[Said], basis: str) -> Row:
    name, unit, about = METRICS[metric]
    cells = [
        _cell(metric, one, several[0], [about] if metric == "cost" else [about, basis])
        for one in several
    ]
    return Row(metric, [Cell(name, unit=unit, lines=[about]), *cells])


def _cell(metric: str, result: Said, baseline: Said, lines: Sequence[str]) -> Cell:
    path, scale, digits = PLACES[metric]
    value, sd, usual = at(result, path), at(result.get("sd"), path), at(baseline, path)
    change = None if result is baseline or not usual or value is None else value / usual - 1
    notes = [spread(sd, scale), _change(change)]
    return Cell(
        number(None if value is None else value * scale, digits),
        None if value is None else value * scale,
        note=" · ".join(note for note in notes if note),
        title=METRICS[metric][0],
        lines=lines,
        trend=_trend(metric, change),
    )


def _change(share: float | None) -> str:
    if share is None or abs(share) < 0.005:
        return ""
    return f"{'+' if share > 0 else MINUS}{abs(share) * 100:.0f}\u202f%"


def _trend(metric: str, change: float | None) -> Any:
    if change is None or abs(change) < 0.005:
        return ""
    if metric in LESS_IS_BETTER:
        return "better" if change < 0 else "worse"
    if metric in MORE_IS_BETTER:
        return "better" if change > 0 else "worse"
    return ""
