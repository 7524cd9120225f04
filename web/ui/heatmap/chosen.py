"""The cell that is looked at: its figures, and a way into the twin with its settings."""

from __future__ import annotations

from typing import Any

import streamlit as st

from twin.bcr_map import Cell
from twin.workload.hit_shares import shares_with_mean

from ..address import link
from ..economics.prices import AFTER, deployment
from ..heads import section
from ..numbers import DASH, Number, number, numbers
from ..state import PageState
from ..studies import basis_of
from ..texts.bcr_map import BCR_MAP
from .cells import Priced, sla


def chosen(page: PageState, known: Priced, cell: Cell, said: dict[str, Any]) -> None:
    """Figures of one cell, and the link."""
    place = {"gbps": f"{cell.bandwidth_gbps:g}", "hit": f"{cell.mean_hit:.0%}"}
    section(BCR_MAP["chosen"].format(**place), BCR_MAP["chosen_about"])
    basis = f"{basis_of(said)}. SLA: {sla(page)}"
    value = cell.bcr
    trend = "" if value is None else "better" if value > 1 else "worse"
    numbers(
        "map-cell",
        [
            Number(
                "bcr", BCR_MAP["bcr"], number(value), "×", BCR_MAP["bcr_about"], "simulated",
                cell.why or basis, note=f"SLA: {sla(page)}", trend=trend,
            ),
            _pays(known, cell, basis),
            _rate("capacity", cell.capacity_rps, cell.why or basis),
            _rate("baseline", cell.baseline_rps, cell.why or basis),
            Number(
                "cost", BCR_MAP["cost"], number(cell.cost, 4), "chips A",
                BCR_MAP["cost_about"].format(base=number(known.base_cost, 4)), "computed",
                BCR_MAP["b_about"],
            ),
        ],
    )  # fmt: skip
    st.link_button(
        BCR_MAP["open"], lab_link(page, cell), help=BCR_MAP["open_about"],
        icon=":material/open_in_new:",
    )  # fmt: skip


def _rate(name: str, value: float | None, basis: str) -> Number:
    about = BCR_MAP[f"{name}_about"]
    return Number(name, BCR_MAP[name], number(value), "requests/s", about, "simulated", basis)


def _pays(known: Priced, cell: Cell, basis: str) -> Number:
    gbps = known.pays_from(cell)
    row = [one.bcr for one in known.cells if one.row == cell.row and one.bcr is not None]
    note = "" if gbps else BCR_MAP["pays_all" if row and min(row) >= 1 else "pays_none"]
    text = DASH if gbps is None else number(gbps)
    unit = "Gbps" if gbps else ""
    return Number(
        "pays", BCR_MAP["pays"], text, unit, BCR_MAP["pays_about"], "simulated", basis, note
    )


def lab_link(page: PageState, cell: Cell) -> str:
    """The address of the running twin with the settings of a cell."""
    shares = shares_with_mean(deployment(AFTER).workload, cell.mean_hit)
    values: dict[str, Any] = {
        "line.bandwidth_gbps": cell.bandwidth_gbps, "workload.hit_shares": list(shares)
    }  # fmt: skip
    if page["total_s"] != page.defaults["total_s"]:
        values["slo.total_s"] = page["total_s"]
    if page["share"] != page.defaults["share"]:
        values["slo.share"] = page["share"] / 100
    return link("twin-lab", values).removeprefix("/")
