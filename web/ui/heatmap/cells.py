"""The cells of the map at the prices as they are dragged, and what is chosen on the page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from twin.bcr_map import BcrMap, Cell, MapPlan, as_map
from twin.cost_table import PUBLISHED_LINE, PUBLISHED_PRICES, PriceRange, cost_table
from twin.economics import bcr

from ..economics.prices import AFTER, BEFORE, both, deployment
from ..state import PageState
from ..texts.bcr_map import BCR_MAP

Said = dict[str, Any]

COARSE = {"bandwidths_gbps": [2.5, 10.0, 50.0], "mean_hits": [0.70, 0.90, 0.96]}

DEFAULTS = {
    "b": PUBLISHED_PRICES["B"].low, "line": PUBLISHED_LINE.low, "per_gbps": 0.0,
    "total_s": 30.0, "share": 90, "requests": 8_000, "seeds": 1, "gbps": 10.0, "hit": 0.90,
    "layer": True, "cached": 0.10, "merged": 0.0,
}  # fmt: skip


def state() -> PageState:
    """The controls of the page; `gbps` and `hit` are the cell that is looked at."""
    return PageState("map", DEFAULTS)


def arguments(page: PageState, fine: bool) -> Said:
    """What the study `bcr_map` is asked with; prices are no part of it."""
    slo = {"slo.total_s": page["total_s"], "slo.share": page["share"] / 100}
    asked = {
        "deployment": {"scenario": AFTER, "set": slo}, "baseline": {"scenario": BEFORE},
        "seeds": page["seeds"], "requests": page["requests"],
    }  # fmt: skip
    return asked if fine else asked | COARSE


def sla(page: PageState) -> str:
    """The SLA in words."""
    return BCR_MAP["sla"].format(total=page["total_s"], share=page["share"] / 100)


@dataclass(frozen=True)
class Priced:
    """The cells with cost and BCR at the present prices, and the baseline's cost."""

    cells: tuple[Cell, ...]
    plan: MapPlan
    base_cost: float

    def map(self) -> BcrMap:
        """The cells as a map, with the points where BCR is 1 and where one stands now."""
        return as_map(deployment(AFTER), self.cells, self.plan)

    def nearest(self, gbps: float, hit: float) -> Cell:
        """The cell whose place is nearest to these values."""
        return min(
            self.cells,
            key=lambda one: abs(one.bandwidth_gbps / gbps - 1) + 10 * abs(one.mean_hit - hit),
        )

    def pays_from(self, cell: Cell) -> float | None:
        """The bandwidth at which BCR passes 1 at the hit rate of a cell."""
        points = [gbps for gbps, hit in self.map().line if abs(hit - cell.mean_hit) < 1e-9]
        return min(points, default=None)


def priced(page: PageState, said: Said) -> Priced:
    """Cells of a result at the prices of the page."""
    before, after = both()
    prices = {**PUBLISHED_PRICES, "B": PriceRange(page["b"], page["b"], BCR_MAP["own"])}
    base = cost_table(before, prices).low
    line = deployment(AFTER).line
    present = 0.0 if line is None or line.bandwidth_gbps is None else line.bandwidth_gbps
    cells = []
    for one in said["cells"]:
        fee = page["line"] + page["per_gbps"] * (one["bandwidth_gbps"] - present)
        cost = cost_table(after, prices, PriceRange(max(0.0, fee), max(0.0, fee), "")).low
        cell = Cell(**one)
        value = bcr(cell.capacity_rps, cost, cell.baseline_rps, base)
        cells.append(replace(cell, cost=cost, bcr=value))
    plan = MapPlan(
        tuple(said["bandwidths_gbps"]), tuple(said["mean_hits"]), said["requests"],
        tuple(said["seeds"]),
    )  # fmt: skip
    return Priced(tuple(cells), plan, base)
