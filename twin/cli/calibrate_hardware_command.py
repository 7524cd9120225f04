"""`calibrate-hardware`: efficiencies of chips fitted to public measurements, and their errors."""

from __future__ import annotations

from argparse import Namespace

from ..hardware.applied import efficiency_rows
from ..hardware.calibration import Errors, HardwareFit, calibrate_hardware
from ..hardware.plain_data import as_data
from .console import Console, json_text
from .export import Export
from .tables import UNKNOWN, number, table

SHARE_COLUMNS = ("MFU", "bandwidth", "compute", "sums", "exchange")
TIME_COLUMNS = ("layer", "on several", "with experts")


def calibrate_hardware_command(args: Namespace, console: Console) -> int:
    """Fit, write, tell."""
    export = Export(args.out)
    found = calibrate_hardware()
    data = as_data(found)
    export.write(data, data["groups"])
    console.put(json_text(data) if args.json else _text(found))
    return 0


def _text(found: HardwareFit) -> str:
    return "\n\n".join(
        [
            "Default, fitted to all measurements, and the range of two thirds of the groups:\n"
            + _default_table(found),
            "By model and chip (* determined by its own data; the others stay near the default):\n"
            + _efficiency_table(found),
            "Relative errors |modelled / measured - 1|, median and mean, in sample and with the "
            "whole group left out:\n" + _error_table(found),
            "Published points, modelled in sample and with their group left out:\n"
            + _point_table(found),
            "Time per output token of aggregated serving with interleaved prefill. TTFT is not "
            "fitted: it holds\nthe queue, so it is told as a multiple of one prompt's prefill on "
            "idle chips.\nA group is left out whole; its siblings, of the same chip or model, then "
            "predict it, else the default.",
        ]
    )


def _share(value: float) -> str:
    return number(value, 1, "%", 100)


def _default_table(found: HardwareFit) -> str:
    rows = [["", "default", "low", "high", ""]]
    for row in efficiency_rows(found.pooled, found.low, found.high, found.pooled_determined):
        told = [row["value"], row["low"], row["high"]]
        is_share = row["unit"] == "%"
        cells = [_share(v) if is_share else number(v, 1, row["unit"]) for v in told]
        rows.append([row["about"], *cells, "" if row["fitted"] else "hardly determined"])
    return table(rows, "<>>><")


def _efficiency_table(found: HardwareFit) -> str:
    heads = [*SHARE_COLUMNS, *(f"{name} µs" for name in TIME_COLUMNS)]
    rows = [["model", "chip", *heads]]
    for group in found.groups:
        cells = []
        for i, value in enumerate(group.efficiencies):
            text = _share(value) if i < len(SHARE_COLUMNS) else number(value, 1)
            cells.append(f"{text} {'*' if group.determined[i] else ' '}")
        rows.append([group.model, group.chip, *cells])
    return table(rows, "<<>")


def _error_table(found: HardwareFit) -> str:
    heads = ["median", "mean", "left out", "mean", "siblings", "TTFT"]
    rows = [["model", "chip", "rows", "points", *heads]]
    for group in found.groups:
        ttft = number(group.ttft_ratio, 1, "x")
        counts = [str(group.rows), str(group.points)]
        errors = _error_cells(group.in_sample, group.left_out)
        rows.append([group.model, group.chip, *counts, *errors, str(group.siblings), ttft])
    errors = _error_cells(found.in_sample, found.left_out)
    rows.append(["all rows", "", str(found.in_sample.count), "", *errors])
    by_default = [_percent(found.pooled_only.median), _percent(found.pooled_only.mean)]
    rows.append(["all rows by the default", "", str(found.pooled_only.count), "", *by_default])
    return table(rows, "<<>")


def _error_cells(inside: Errors, outside: Errors) -> list[str]:
    return [_percent(e) for e in (inside.median, inside.mean, outside.median, outside.mean)]


def _percent(value: float | None) -> str:
    return number(value, 1, "%", 100)


def _point_table(found: HardwareFit) -> str:
    rows = [["point", "model", "chip", "what", "measured", "modelled", "", "left out", ""]]
    for point in found.points:
        m = point.measured
        cells = [_figure(m.shown, m.unit), *_modelled(point.in_sample, m.shown, m.unit)]
        cells += _modelled(point.left_out, m.shown, m.unit)
        rows.append([m.id, m.model, m.chip, m.kind, *cells, m.why_not])
    return table(rows, "<<<<>>>>><")


def _figure(value: float, unit: str) -> str:
    return number(value * 1e3, 2, "ms") if unit == "s" else number(value, 0, unit)


def _modelled(value: float | None, measured: float, unit: str) -> list[str]:
    if value is None:
        return [UNKNOWN, ""]
    return [_figure(value, unit), number(value / measured - 1, 0, "%", 100, sign=True)]
