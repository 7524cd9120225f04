"""The catalogue as tables: chips with prices, models, and KV bytes by layout."""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st

from twin.hardware.catalogue import chip_rows, model_rows
from twin.hardware.kv_table import KvRow, kv_rows
from twin.list_prices import prices_of
from twin.scenario_file import is_assumed

from ..numbers import DASH
from ..tables import Cell, Column, Row, table
from ..texts.hardware import CATALOGUE, FIELDS
from . import serving

Entry = dict[str, Any]


def shown(value: Any) -> str:
    """A figure of the catalogue with the digits it has there."""
    return f"{value:,.10g}" if isinstance(value, int | float) else f"{value}"


@cache
def _chips() -> list[Entry]:
    return chip_rows(list(serving.parts("chips").values()))


@cache
def _models() -> list[Entry]:
    return model_rows(list(serving.parts("models").values()))


@cache
def _kv() -> list[KvRow]:
    return kv_rows()


def chips() -> None:
    """All chips: four figures with their sources, prices by kind, and what is missing."""
    st.caption(CATALOGUE["chips_about"])
    columns = [
        Column(CATALOGUE["name"], align="left"),
        *(Column(label, about, unit) for label, unit, about in FIELDS.values()),
        Column(CATALOGUE["prices"], CATALOGUE["prices_about"], align="left"),
    ]
    rows = [
        Row(
            f"chip {one['name']}",
            [
                Cell(one["name"], lines=[one["about"]]),
                *(_figure(one, name) for name in FIELDS),
                _prices(one["name"]),
            ],
        )
        for one in _chips()
    ]
    table("hardware-chips", CATALOGUE["chips"], columns, rows, file="chips", stacked=True)


def _figure(one: Entry, name: str) -> Cell:
    """A figure with its source; what is missing says why."""
    value = one["values"].get(name)
    if value is not None:
        source = one["sources"].get(name, "assumed")
        return Cell(
            shown(value), value, lines=[source], kind="assumed" if is_assumed(source) else None
        )  # fmt: skip
    why = one["lacks"].get(name)
    if why is None:
        return Cell(DASH, lines=[CATALOGUE["unknown"]])
    return Cell(CATALOGUE["missing"].format(why=why), lines=[why], trend="worse")


def _prices(name: str) -> Cell:
    told = [price.words() for price in prices_of(serving.parts("chips")[name])]
    sources = [price.source for price in prices_of(serving.parts("chips")[name])]
    if not told:
        return Cell(DASH, lines=[CATALOGUE["no_price"]])
    return Cell("; ".join(told), lines=sources)


def models() -> None:
    """All models: sizes with their sources, and what is missing."""
    st.caption(CATALOGUE["models_about"])
    names = CATALOGUE["model_columns"]
    columns = [
        Column(name, about, unit, align="left" if key in ("name", "attention") else "right")
        for key, (name, unit, about) in names.items()
    ]
    fields = [key for key in names if key not in ("name", "attention")]
    rows = []
    for one in _models():
        lacks = [f"{name}: {why}" for name, why in one["lacks"].items()]
        cells = [
            Cell(one["name"], lines=[one["about"], *lacks]),
            Cell(one["attention"] or DASH),
            *(_figure(one, name) for name in fields),
        ]
        rows.append(Row(f"model {one['name']}", cells))
    table("hardware-models", CATALOGUE["models"], columns, rows, file="models", stacked=True)


def kv() -> None:
    """KV bytes of every model in every layout, computed beside printed."""
    st.caption(CATALOGUE["kv_about"])
    columns = [
        Column(name, about, unit, align="left" if key in ("model", "layout", "agrees") else "right")
        for key, (name, unit, about) in CATALOGUE["kv_columns"].items()
    ]
    rows = [Row(f"kv {one.model} {one.layout}", _kv_cells(one)) for one in _kv()]
    table("hardware-kv", CATALOGUE["kv"], columns, rows, file="kv-bytes")


def _kv_cells(one: KvRow) -> list[Cell]:
    basis = [CATALOGUE["kv_basis"].format(attention=one.attention), *filter(None, [one.note])]
    state = one.fixed_state_bytes
    agrees = "" if one.matches is None else CATALOGUE["agrees" if one.matches else "differs"]
    return [
        Cell(one.model, lines=basis, note=CATALOGUE["inferred"] if one.inferred else ""),
        Cell(one.layout),
        Cell(f"{one.bytes_per_token:,.1f}".removesuffix(".0"), one.bytes_per_token, lines=basis),
        Cell(DASH if one.printed is None else shown(one.printed), one.printed, lines=basis),
        Cell(agrees, trend="worse" if one.matches is False else "better" if one.matches else ""),
        Cell(DASH if state is None else f"{state / 1e6:,.1f}", lines=basis),
    ]
