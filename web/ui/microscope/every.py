"""All requests of a run: the points to press, and the worst of them."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from ..charts import chart, palette
from ..controls import choice
from ..heads import section
from ..numbers import number
from ..state import PageState
from ..studies import basis_of
from ..tables import Cell, Column, Row, table
from ..texts.requests import BY, PIPELINES, POINTS, WORST
from .chosen import MOST_NUMBER

Said = dict[str, Any]
SCATTER, TABLE = "request-points", "requests-worst"


def points(page: PageState, said: Said, chosen: int) -> None:
    """TTFT against uncached tokens; a press on a point chooses it."""
    section(POINTS["title"], POINTS["about"])

    def pressed() -> None:
        found = st.session_state[SCATTER]["selection"]["points"]
        if found and "customdata" in found[0]:
            told = found[0]["customdata"]
            page.put("request", int(told[0] if isinstance(told, list) else told))

    figure = go.Figure()
    for i, name in enumerate(said["pipelines"]):
        _of_pipeline(figure, said, i, name)
    _mark(figure, said, chosen)
    figure.update_xaxes(title=POINTS["x"], type="log", dtick=1)
    figure.update_yaxes(title=POINTS["y"], type="log", dtick=1)
    alt = POINTS["alt"].format(count=said["count"], number=chosen)
    chart(
        figure, SCATTER, alt, height=360, name="requests", on_select=pressed,
        selection_mode="points",
    )  # fmt: skip
    shown = f"{len(said['points']['number']):,}"
    st.caption(POINTS["shown"].format(shown=shown, count=f"{said['count']:,}"))


def _of_pipeline(figure: go.Figure, said: Said, pipeline: int, name: str) -> None:
    told = said["points"]
    rows = [i for i, found in enumerate(told["pipeline"]) if found == pipeline]
    if not rows:
        return
    role, mark, _ = PIPELINES[name]
    figure.add_scatter(
        x=[max(1.0, told["uncached_tokens"][i]) for i in rows], y=[told["ttft_s"][i] for i in rows],
        customdata=[told["number"][i] for i in rows], mode="markers",
        name=f"{name} ({said['of_pipeline'][name]:,})",
        marker={"color": palette()[role], "symbol": mark, "size": 5, "opacity": 0.65},
        hovertemplate=f"{POINTS['hover']}<extra>{name}</extra>",
        selected={"marker": {"opacity": 0.65}}, unselected={"marker": {"opacity": 0.65}},
    )  # fmt: skip


def _mark(figure: go.Figure, said: Said, chosen: int) -> None:
    for told in (said["points"], *said["worst"].values()):
        if chosen in told["number"]:
            at = told["number"].index(chosen)
            figure.add_scatter(
                x=[max(1.0, told["uncached_tokens"][at])], y=[told["ttft_s"][at]], mode="markers",
                name=POINTS["chosen"], hoverinfo="skip",
                marker={
                    "color": "rgba(0,0,0,0)", "size": 16,
                    "line": {"color": palette()["ink"], "width": 2.5},
                },
            )  # fmt: skip
            return


def worst(page: PageState, said: Said, chosen: int) -> None:
    """The ten worst by TTFT, gap or total; a press chooses one."""
    section(WORST["title"], WORST["about"])
    by = choice(page, "by", WORST["by"], BY, bare=True)
    told = said["worst"].get(by, said["worst"]["ttft_s"])

    def pressed() -> None:
        page.put("request", int(st.session_state[TABLE]["pressed"]))

    columns = [
        Column(name, about, unit, align="left" if key == "pipeline" else "right", whole=True)
        for key, (name, unit, about) in WORST["columns"].items()
    ]
    rows = [
        Row(f"worst-{i}", _cells(said, told, i), press=str(found), chosen=found == chosen)
        for i, found in enumerate(told["number"])
    ]
    table(
        TABLE, WORST["title"], columns, rows, file="worst-requests", leads="request-one",
        pressed=pressed,
    )  # fmt: skip


def _cells(said: Said, told: Said, i: int) -> list[Cell]:
    cells = []
    basis = basis_of(said)
    for key, (_, _, about) in WORST["columns"].items():
        value = told[key][i]
        if key == "number":
            cells.append(Cell(f"{value}", value, press=f"{value}"))
        elif key == "pipeline":
            name = said["pipelines"][value]
            cells.append(Cell(name, lines=[PIPELINES[name][2]]))
        else:
            cells.append(Cell(number(value, 3), value, lines=[about, basis]))
    return cells


def number_of(page: PageState, said: Said) -> int:
    """The request that is shown: the one chosen, else the worst."""
    if 0 <= page["request"] <= MOST_NUMBER:
        return page["request"]
    by = page["by"] if page["by"] in said["worst"] else "ttft_s"
    return said["worst"][by]["number"][0]
