"""What all claims stand on: the overrides, the constants, and what does not go together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import streamlit as st

from twin.reproduction.cases import REFERENCE, scenario_of
from twin.reproduction.constants import (
    Override,
    all_scenarios,
    conflicts,
    overrides,
    physical_constants,
)
from twin.reproduction.tensions import TENSIONS
from twin.scenario import Scenario
from twin.scenario_file import is_assumed, source_of
from twin.settings import find

from ..heads import section
from ..tables import Cell, Column, Row, table
from ..texts import claims as texts
from . import words


@cache
def _overrides() -> list[Override]:
    return overrides()


def override_table() -> None:
    """Every setting that is not the same for all claims, with its reason."""
    said = texts.OVERRIDES
    section(said["title"])
    st.caption(said["about"].format(reference=REFERENCE))
    columns = [Column(name, about, align="left") for name, about in said["columns"]]
    rows = [
        Row(
            f"override-{i}",
            [
                Cell(one.setting, lines=_meaning(one.setting)),
                Cell(words.shown(one.value), one.value, unit=_unit(one.setting, one.value)),
                Cell(
                    words.shown(one.reference),
                    one.reference,
                    unit=_unit(one.setting, one.reference),
                ),
                Cell(words.span(one.claims)),
                Cell(one.reason, kind="assumed" if is_assumed(one.reason) else None),
                Cell(", ".join(one.cases)),
            ],
        )
        for i, one in enumerate(_overrides())
    ]
    table("claims-overrides", said["title"], columns, rows, file="claims-overrides", stacked=True)


def _meaning(path: str) -> list[str]:
    setting = find(path)
    return [] if setting is None or not setting.doc else [setting.doc]


def _unit(path: str, value: Any) -> str:
    setting = find(path)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return setting.unit if setting is not None and is_number else ""


@cache
def constants() -> list[tuple[str, str, Any, str]]:
    """Each physical constant once: its name, its path in a scenario, value and source."""
    found: dict[str, tuple[str, str, Any, str]] = {}
    for scenario in (scenario_of(REFERENCE), *all_scenarios().values()):
        for name, value in physical_constants(scenario):
            path = _path(scenario, name)
            if name not in found:
                found[name] = name, path, value, source_of(scenario, path)
    return list(found.values())


def _path(scenario: Scenario, name: str) -> str:
    """Where a constant stands; one of a chip in the first pool that is made of it."""
    return next(_paths(scenario, name), name)


def _paths(scenario: Scenario, name: str) -> Iterator[str]:
    for pool, has in scenario.pools().items():
        start = f"chip {has.chip.name}."
        if name.startswith(start):
            yield f"{pool}.chip.{name.removeprefix(start)}"


def constant_table() -> None:
    """The constants under all claims, and that they are the same everywhere."""
    said = texts.CONSTANTS
    section(said["title"])
    st.caption(said["about"])
    scenarios = all_scenarios()
    for what in conflicts(scenarios):
        st.error(said["conflict"].format(what=what))
    if not conflicts(scenarios):
        st.caption(said["same"].format(count=len(scenarios)))
    columns = [
        Column(name, about, align="right" if i == 1 else "left")
        for i, (name, about) in enumerate(said["columns"])
    ]
    rows = [_constant(*one) for one in constants() if one[2] is not None]
    table("claims-constants", said["title"], columns, rows, file="claims-constants")


def _constant(name: str, path: str, value: Any, source: str) -> Row:
    kind = "assumed" if is_assumed(source) else "published"
    return Row(
        name,
        [
            Cell(name, lines=_meaning(path)),
            Cell(words.shown(value), value, unit=_unit(path, value)),
            Cell(source, kind=kind),
        ],
    )


def tensions() -> None:
    """The published figures that do not go together."""
    section(texts.TENSIONS["title"], texts.TENSIONS["about"])
    for pair in (TENSIONS[:2], TENSIONS[2:]):
        for place, one in zip(st.columns(2), pair, strict=True):
            with place, st.container(border=True, height="stretch"):
                st.subheader(one.title, anchor=False)
                st.caption(words.span(one.claims))
                st.text(one.why)
                st.text(texts.TENSIONS["chosen"].format(chosen=one.chosen))
