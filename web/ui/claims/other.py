"""The figures of the other architecture beside ours, as stored."""

from __future__ import annotations

from functools import cache

import streamlit as st

from twin.claims import KINDS
from twin.prefill_service import DEPLOYMENTS, Figure
from twin.reproduction.prefill_service import SOURCE, StoredFigures, stored
from twin.verdicts import Verdict

from .. import navigation
from ..heads import section
from ..tables import Cell, Column, Row, table
from ..texts.claims import OTHER, OTHER_COLUMNS, STATES
from . import words

DIGITS = 2


@cache
def _stored() -> StoredFigures:
    return stored()


def other() -> None:
    """The table, what it stands on, and the way to compare the deployments."""
    told = _stored()
    section(OTHER["title"], OTHER["about"])
    st.caption(OTHER["basis"].format(seeds=words.seeds(told.seeds), version=told.version))
    columns = [
        Column(name, about, align="right" if name == "Ours" else "left", whole=name == "Ours")
        for name, about in OTHER_COLUMNS
    ]
    rows = [_row(one, told) for one in told.figures]
    table("claims-other", OTHER["title"], columns, rows, file="prefill-service", stacked=True)
    chosen = "&".join(f"d{i}={name}" for i, name in enumerate(DEPLOYMENTS, start=1))
    st.link_button(OTHER["compare"], f"{navigation.address('compare')}?{chosen}&d4=none")


def _row(one: Figure, told: StoredFigures) -> Row:
    figure = Verdict(
        claim="", about=one.figure, public="", kind=one.kind, fitted_by=(), unit=one.unit,
        digits=DIGITS, signed=False, low=one.low, high=one.high, value=one.value, sd=one.sd,
        values=one.values, inside=one.inside,
    )  # fmt: skip
    public = words.with_unit(words.plain(one.public, DIGITS), one.unit)
    basis = [
        f"{SOURCE}, {one.deployment} {told.digests[one.deployment][:12]}", words.seeds(told.seeds),
        *([one.note] if one.note else []),
    ]  # fmt: skip
    state = OTHER["unpublished"] if one.inside is None else STATES["in" if one.inside else "out"]
    return Row(
        f"{one.deployment}.{one.figure}",
        [
            Cell(one.deployment, lines=basis),
            Cell(one.figure),
            Cell(public if one.public is not None else OTHER["unpublished"], one.public),
            Cell(words.value(figure), one.value, one.unit, words.spread(figure), basis),
            Cell("", "", bar=words.bar(figure), lines=[words.band(figure)]),
            Cell(words.band(figure)),
            Cell("", one.kind, kind=one.kind, lines=[KINDS[one.kind]]),
            Cell(state, trend=words.trend(one.inside), lines=basis),
        ],
    )  # fmt: skip
