"""How well the equations meet public measurements: errors, points, groups, efficiencies."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from ..charts import chart, palette
from ..heads import section
from ..numbers import DASH, MINUS, Number, number, numbers
from ..studies import basis_of
from ..tables import Cell, Column, Row, table
from ..texts.hardware import FIT, KINDS

Said = dict[str, Any]
A_FIFTH = 0.2


def fit(said: Said) -> None:
    """The whole part."""
    section(FIT["title"], FIT["about"])
    _errors(said)
    left, right = st.columns([1, 1.2])
    with left:
        section(FIT["chart"], FIT["chart_about"])
        _chart(said["points"])
        section(FIT["efficiencies"], FIT["efficiencies_about"])
        _efficiencies(said["default"])
    with right:
        section(FIT["points"])
        _points(said["points"])
    section(FIT["groups"])
    _groups(said["groups"])


def _errors(said: Said) -> None:
    basis = basis_of(said)
    rows = []
    for name in ("in_sample", "left_out", "default"):
        label, about = FIT[name]
        told = said["errors"][name]
        note = FIT["mean"].format(mean=number(100 * told["mean"]), p90=number(100 * told["p90"]))
        kind = "fit" if name != "left_out" else "predict"
        rows.append(
            Number(
                f"error_{name}", label, number(100 * told["median"]), "%",
                about.format(count=f"{told['count']:,}"), kind, basis, note,
            )
        )  # fmt: skip
    numbers("hardware-errors", rows)


def _in_ms(point: Said, value: float) -> float:
    """A time in ms; a rate as the time of one token."""
    return 1e3 * value if point["unit"] == "s" else 1e3 / value


def _chart(points: list[Said]) -> None:
    known = [point for point in points if point["modelled"] is not None]
    colours = palette()
    figure = go.Figure()
    ends = [_in_ms(p, p[key]) for p in known for key in ("measured", "modelled", "left_out")]
    span = [min(ends) / 1.5, max(ends) * 1.5]
    for factor, dash in ((1, "solid"), (1 + A_FIFTH, "dot"), (1 - A_FIFTH, "dot")):
        figure.add_scatter(
            x=span, y=[end * factor for end in span], mode="lines", hoverinfo="skip",
            showlegend=False, line={"color": colours["faint"], "dash": dash, "width": 1.2},
        )  # fmt: skip
    for key, words, mark in (
        ("left_out", FIT["out"], "circle-open"), ("modelled", FIT["fitted"], "circle"),
    ):  # fmt: skip
        figure.add_scatter(
            x=[_in_ms(p, p["measured"]) for p in known], y=[_in_ms(p, p[key]) for p in known],
            mode="markers", name=words,
            marker={"symbol": mark, "size": 9, "color": colours["accent"]},
            hovertemplate=[
                FIT["hover"].format(**{**p, "what": KINDS[p["kind"]]}) + f"<extra>{words}</extra>"
                for p in known
            ],
        )  # fmt: skip
    figure.update_xaxes(title=FIT["x"], type="log", dtick=1)
    figure.update_yaxes(title=FIT["y"], type="log", dtick=1)
    worst = max(abs(p["modelled"] / p["measured"] - 1) for p in known)
    alt = FIT["alt"].format(count=len(known), worst=f"{100 * worst:.0f}")
    chart(figure, "hardware-fit", alt, height=340, name="hardware-fit")


def _value(point: Said, value: float | None) -> tuple[str, str]:
    if value is None:
        return DASH, ""
    return (number(1e3 * value), "ms") if point["unit"] == "s" else (f"{value:,.0f}", "tokens/s")


def _points(points: list[Said]) -> None:
    columns = [
        Column(name, about, unit, align="left" if key in ("id", "what") else "right")
        for key, (name, unit, about) in FIT["point_columns"].items()
    ]
    rows = [Row(point["id"], _point(point)) for point in points]
    table(
        "hardware-points", FIT["points"], columns, rows, file="hardware-points", stacked=True
    )  # fmt: skip


def _point(point: Said) -> list[Cell]:
    told = [point["source"]]
    text, unit = _value(point, point["measured"])
    cells = [
        Cell(point["id"], lines=told),
        Cell(
            f"{point['model']}, {point['chip']}", lines=[KINDS[point["kind"]], *told],
            note=point["why_not"] or "",
        ),
        Cell(text, point["measured"], unit, lines=told),
    ]  # fmt: skip
    for key, about in (("modelled", FIT["fitted"]), ("left_out", FIT["out"])):
        text, unit = _value(point, point[key])
        note = "" if point[key] is None else _change(point[key] / point["measured"] - 1)
        cells.append(Cell(text, point[key], unit, note, [about, point["why_not"] or KINDS[
            point["kind"]]]))  # fmt: skip
    return cells


def _change(share: float) -> str:
    return f"{'+' if share >= 0 else MINUS}{abs(100 * share):.0f}\u202f%"


def _groups(groups: list[Said]) -> None:
    columns = [
        Column(name, about, unit, align="left" if key == "group" else "right")
        for key, (name, unit, about) in FIT["group_columns"].items()
    ]
    rows = []
    for one in groups:
        points = FIT["points_of"].format(count=one["points"]) if one["points"] else ""
        cells = [
            Cell(f"{one['model']}, {one['chip']}", lines=[", ".join(one["fitted"])]),
            Cell(f"{one['rows']:,}", one["rows"], note=points),
            *(_error(one[key], FIT[key][1]) for key in ("in_sample", "left_out")),
            Cell(f"{one['siblings']}", one["siblings"]),
        ]
        rows.append(Row(f"{one['model']} {one['chip']}", cells))
    table(
        "hardware-groups", FIT["groups"], columns, rows, file="hardware-groups", stacked=True
    )  # fmt: skip


def _error(told: Said, about: str) -> Cell:
    if told["median"] is None:
        return Cell(DASH)
    mean = f"mean {number(100 * told['mean'])}"
    words = about.format(count=told["count"])
    return Cell(number(100 * told["median"]), 100 * told["median"], note=mean, lines=[words])


def _efficiencies(rows: list[Said]) -> None:
    columns = [
        Column(name, about, unit, align="left" if key in ("about", "fitted") else "right")
        for key, (name, unit, about) in FIT["efficiency_columns"].items()
    ]
    told = []
    for row in rows:
        scale = 100 if row["unit"] == "%" else 1
        low, value, high = (number(scale * row[key]) for key in ("low", "value", "high"))
        known = FIT["determined"] if row["fitted"] else FIT["hardly"]
        cells = [
            Cell(row["about"], lines=[row["name"]]),
            Cell(value, scale * row["value"], row["unit"], lines=[known]),
            Cell(f"{low} – {high}", unit=row["unit"], lines=[known]),
            Cell("", known, kind="fit" if row["fitted"] else "assumed", lines=[known]),
        ]
        told.append(Row(row["name"], cells))
    table("hardware-efficiencies", FIT["efficiencies"], columns, told, file="efficiencies")
