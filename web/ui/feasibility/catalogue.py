"""The same requests with every model of the catalogue, as a table."""

from __future__ import annotations

from typing import Any

from twin.feasibility import Demand, LineNeed, line_needs
from twin.scenario import Line

from ..numbers import number
from ..tables import Cell, Column, Row, table
from ..texts.feasibility import FEASIBILITY, LINE, MODELS
from .choices import kv_of, models
from .line import gbps

TRENDS: dict[str, Any] = {"carries": "better", "tight": "", "does not carry": "worse"}
NAMES = ("kv", "whole", "sent", "saved", "load")


def catalogue(asked: Demand, line: Line, drc: bool, chosen: str) -> None:
    """Gbps, times saved and verdict of each model."""
    columns = [Column(MODELS["model"], align="left")]
    columns += [Column(MODELS[name][0], MODELS[name][2], MODELS[name][1]) for name in NAMES]
    columns.append(Column(MODELS["verdict"], MODELS["verdict_about"], align="left"))
    sizes = {name: kv_of(name) for name in models()}
    rows = [
        Row(name, _cells(name, need, sizes[name].bytes_per_token, drc),
            role="accent" if name == chosen else None)
        for name, need in line_needs(sizes, asked, line, drc).items()
    ]  # fmt: skip
    table("feasibility-models", MODELS["title"], columns, rows, file="line-by-model")


def _cells(name: str, need: LineNeed, per_token: float, drc: bool) -> list[Cell]:
    part = models()[name]
    source = part.sources.get("kv_bytes_per_token", FEASIBILITY["assumed"])
    saved = need.saved_by_drc if drc else None
    load = None if need.load is None else 100 * need.load

    def cell(what: str, text: str, value: float | None) -> Cell:
        return Cell(text, value, lines=[MODELS[what][2], LINE["source_kv"].format(source=source)])

    return [
        Cell(name, lines=[part.about or name]),
        cell("kv", number(per_token / 1e3), per_token / 1e3),
        cell("whole", gbps(need.gbps_whole), need.gbps_whole),
        cell("sent", gbps(need.gbps_sent), need.gbps_sent),
        cell("saved", number(saved), saved),
        cell("load", number(load), load),
        Cell(LINE[need.verdict][0], need.verdict, lines=[need.words], trend=TRENDS[need.verdict]),
    ]
