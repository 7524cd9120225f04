"""The fit of efficiencies as plain data, for programs."""

from __future__ import annotations

from typing import Any

from ..physics.aggregated import Efficiencies
from .applied import efficiency_rows
from .calibration import Errors, GroupFit, HardwareFit, PointFit


def as_data(found: HardwareFit) -> dict[str, Any]:
    """The fit as plain data: times in s, shares from 0 to 1, errors relative."""
    fitted = found.pooled_determined
    return {
        "default": efficiency_rows(found.pooled, found.low, found.high, fitted),
        "errors": {
            "default": _errors(found.pooled_only),
            "in_sample": _errors(found.in_sample),
            "left_out": _errors(found.left_out),
        },
        "groups": [_group(group) for group in found.groups],
        "points": [_point(point) for point in found.points],
    }


def _errors(errors: Errors) -> dict[str, Any]:
    return {"count": errors.count, "median": errors.median, "mean": errors.mean, "p90": errors.p90}


def _group(group: GroupFit) -> dict[str, Any]:
    names = Efficiencies._fields
    return {
        "model": group.model,
        "chip": group.chip,
        "rows": group.rows,
        "points": group.points,
        "siblings": group.siblings,
        "efficiencies": group.efficiencies._asdict(),
        "fitted": [n for n, known in zip(names, group.determined, strict=True) if known],
        "in_sample": _errors(group.in_sample),
        "left_out": _errors(group.left_out),
        "ttft_ratio": group.ttft_ratio,
    }


def _point(point: PointFit) -> dict[str, Any]:
    m = point.measured
    return {
        "id": m.id,
        "model": m.model,
        "chip": m.chip,
        "kind": m.kind,
        "unit": m.unit,
        "measured": m.shown,
        "modelled": point.in_sample,
        "left_out": point.left_out,
        "why_not": m.why_not or None,
        "source": m.source,
    }
