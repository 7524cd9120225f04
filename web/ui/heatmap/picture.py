"""The map as a picture: cells by colour, the line where BCR is 1, the present deployment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from twin.bcr_map import Cell

from ..charts import chart, faded, palette
from ..numbers import number
from ..state import PageState
from ..texts.bcr_map import BCR_MAP
from .cells import Priced, sla

KEY = "bcr-map"


def picture(page: PageState, known: Priced, chosen: Cell) -> tuple[float, float] | None:
    """Draw the map; the bandwidth and hit rate of the cell that was clicked, if one was."""
    colours, found = palette(), known.map()
    columns = list(range(len(found.bandwidths_gbps)))
    rows = list(range(len(found.mean_hits)))
    figure = go.Figure(
        go.Heatmap(
            x=columns, y=rows, z=found.bcr, zmid=1, zmin=0.4, zmax=1.6, showscale=False,
            colorscale=[
                [0, faded(colours["red"], 0.6)], [0.5, colours["ground"]],
                [1, faded(colours["md"], 0.7)],
            ],
            xgap=2, ygap=2, hoverinfo="skip",
            text=[[number(v) if v is not None else "" for v in row] for row in found.bcr],
            texttemplate="%{text}", textfont={"size": 14, "color": colours["ink"]},
        )
    )  # fmt: skip
    _hatched(figure, known.cells, colours["soft"])
    if found.line:
        figure.add_contour(
            x=columns, y=rows, z=found.bcr, showscale=False, hoverinfo="skip", showlegend=True,
            contours={"start": 1, "end": 1, "size": 1, "coloring": "none"},
            line={"color": colours["ink"], "width": 2.4, "dash": "dash"}, name=BCR_MAP["one"],
        )  # fmt: skip
    _chosen(figure, chosen, colours["accent"])
    _present(figure, found, colours)
    _targets(figure, page, known)
    _axes(figure, found)
    event = chart(
        figure, KEY, _alt(known, found), height=430, name="bcr-map", on_select="rerun",
        selection_mode="points",
    )  # fmt: skip
    return _clicked(page, event, found)


def _place(value: float, values: Sequence[float]) -> float:
    """Where a value lies on an axis of equal cells."""
    return float(np.interp(value, values, range(len(values))))


def _hatched(figure: go.Figure, cells: Sequence[Cell], colour: str) -> None:
    xs: list[float | None] = []
    ys: list[float | None] = []
    for cell in (one for one in cells if one.bcr is None):
        for shift in (-0.66, -0.33, 0.0, 0.33, 0.66):
            low, high = max(-0.49, -0.49 + shift), min(0.49, 0.49 + shift)
            xs += [cell.column + low, cell.column + high, None]
            ys += [cell.row + low - shift, cell.row + high - shift, None]
    if xs:
        figure.add_scatter(
            x=xs, y=ys, mode="lines", line={"color": colour, "width": 1}, hoverinfo="skip",
            name=BCR_MAP["infeasible"],
        )  # fmt: skip


def _chosen(figure: go.Figure, cell: Cell, colour: str) -> None:
    figure.add_shape(
        type="rect", x0=cell.column - 0.48, x1=cell.column + 0.48, y0=cell.row - 0.47,
        y1=cell.row + 0.47, line={"color": colour, "width": 3},
    )  # fmt: skip


def _present(figure: go.Figure, found: Any, colours: Any) -> None:
    if found.present_gbps is None:
        return
    at = (
        _place(found.present_gbps, found.bandwidths_gbps),
        _place(found.present_hit, found.mean_hits) + 0.3,
    )
    figure.add_scatter(
        x=[at[0]], y=[at[1]], mode="markers", name=BCR_MAP["present"], hoverinfo="skip",
        marker={
            "symbol": "star", "size": 15, "color": colours["amber"],
            "line": {"color": colours["page"], "width": 1.5},
        },
    )  # fmt: skip


def _targets(figure: go.Figure, page: PageState, known: Priced) -> None:
    """What is pointed at and clicked: a heat map itself tells nobody of a click."""
    unseen = {"marker": {"opacity": 0}}
    figure.add_scatter(
        x=[one.column for one in known.cells], y=[one.row for one in known.cells], mode="markers",
        customdata=[_words(page, known, one) for one in known.cells],
        marker={"size": 46, "symbol": "square", "opacity": 0}, showlegend=False,
        selected=unseen, unselected=unseen, hovertemplate=BCR_MAP["hover"],
    )  # fmt: skip


def _words(page: PageState, known: Priced, cell: Cell) -> str:
    place = {
        "gbps": f"{cell.bandwidth_gbps:g}", "hit": f"{cell.mean_hit:.0%}", "sla": sla(page),
    }  # fmt: skip
    if cell.bcr is None:
        return BCR_MAP["cell_none"].format(why=cell.why, **place)
    return BCR_MAP["cell"].format(
        bcr=number(cell.bcr), mine=number(cell.capacity_rps), theirs=number(cell.baseline_rps),
        cost=number(cell.cost, 4), base=number(known.base_cost, 4), **place,
    )  # fmt: skip


def _axes(figure: go.Figure, found: Any) -> None:
    figure.update_xaxes(
        title=BCR_MAP["x"], tickvals=list(range(len(found.bandwidths_gbps))), showgrid=False,
        ticktext=[f"{one:g}" for one in found.bandwidths_gbps], zeroline=False,
        range=[-0.5, len(found.bandwidths_gbps) - 0.5],
    )  # fmt: skip
    figure.update_yaxes(
        title=BCR_MAP["y"], tickvals=list(range(len(found.mean_hits))), showgrid=False,
        ticktext=[f"{one:.0%}" for one in found.mean_hits], zeroline=False,
        range=[-0.5, len(found.mean_hits) - 0.5],
    )  # fmt: skip
    figure.update_layout(clickmode="event+select")


def _alt(known: Priced, found: Any) -> str:
    values = [one.bcr for one in known.cells if one.bcr is not None]
    points = [f"{gbps:.1f} Gbps and {hit:.0%}" for gbps, hit in found.line]
    return BCR_MAP["alt"].format(
        count=len(known.cells), low=number(min(values, default=None)),
        high=number(max(values, default=None)), line=", ".join(points) or BCR_MAP["pays_none"],
    )  # fmt: skip


def _clicked(page: PageState, event: Any, found: Any) -> tuple[float, float] | None:
    """A click that was not heard before: Streamlit tells of it again on every later run."""
    points = event.selection.points if event else []
    at = [(round(point["x"]), round(point["y"])) for point in points[:1]]
    if at == page.kept.get("clicked", []):
        return None
    page.kept["clicked"] = at
    if not at or at[0][0] >= len(found.bandwidths_gbps) or at[0][1] >= len(found.mean_hits):
        return None
    return found.bandwidths_gbps[at[0][0]], found.mean_hits[at[0][1]]
