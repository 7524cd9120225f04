"""Capacities over the line's bandwidth and the mean hit rate, of which a map of BCR is made."""

from __future__ import annotations

import time
from typing import Any

from pydantic import Field

from twin.bcr_map import BANDWIDTHS_GBPS, MEAN_HITS, REQUESTS, Cell, MapPlan, bcr_cells
from twin.scenario import Scenario

from ..study import Arguments, Deployment, Progress, Study

QUICK_SEARCHES = 12
"""Some 15 s of one core at the requests of a quick map."""


class BcrMap(Arguments):
    """The grid, and how exactly each of its cells is found."""

    deployment: Deployment = Field(description="The deployment, with its SLA and its traffic.")
    baseline: Deployment = Field(description="What it is measured against, on the same requests.")
    bandwidths_gbps: list[float] = Field(
        list(BANDWIDTHS_GBPS), min_length=1, max_length=12, description="Rising bandwidths in Gbps."
    )
    mean_hits: list[float] = Field(
        list(MEAN_HITS), min_length=1, max_length=12, description="Rising mean hit rates, 0 to 1."
    )
    seeds: int = Field(1, ge=1, le=6, description="Seeds 0, 1, ...: one search of a cell on each.")
    requests: int = Field(REQUESTS, ge=200, le=100_000, description="Requests of each run.")


def _asked(asked: BcrMap) -> tuple[Scenario, Scenario, MapPlan]:
    plan = MapPlan(
        tuple(asked.bandwidths_gbps), tuple(asked.mean_hits), asked.requests,
        tuple(range(asked.seeds)),
    )  # fmt: skip
    return asked.deployment.read(), asked.baseline.read(), plan


def work(asked: BcrMap, progress: Progress) -> dict[str, Any]:
    """All cells, coarse ones first; `cpu_s` is what they took of a core."""
    began = time.process_time()
    cells = []
    for told in bcr_cells(*_asked(asked)):
        cells.append(_plain(told.cell))
        progress(told.done / told.of)
    return {
        "seeds": list(range(asked.seeds)), "requests": asked.requests, "cells": cells,
        "bandwidths_gbps": asked.bandwidths_gbps, "mean_hits": asked.mean_hits,
        "cpu_s": round(time.process_time() - began, 1),
    }  # fmt: skip


def _plain(cell: Cell) -> dict[str, Any]:
    return {
        name: getattr(cell, name)
        for name in (
            "row", "column", "bandwidth_gbps", "mean_hit", "level", "capacity_rps",
            "baseline_rps", "cost", "bcr", "why",
        )
    }  # fmt: skip


def check(asked: BcrMap) -> None:
    """Refuse a grid that is not possible before anything is run."""
    bcr_cells(*_asked(asked)).close()  # type: ignore[attr-defined]


def long(asked: BcrMap) -> bool:
    """Whether it takes more than some seconds."""
    searches = (len(asked.bandwidths_gbps) + 1) * len(asked.mean_hits) * asked.seeds
    return searches * asked.requests > QUICK_SEARCHES * REQUESTS


STUDY = Study("bcr_map", "Capacities over bandwidth and hit rate.", BcrMap, work, check, long)
