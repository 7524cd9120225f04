"""The deployments to choose from, each a card with its drawing and the settings to turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from twin.scenario_file import is_assumed, source_of
from twin.settings import setting_at

from ..controls import drag_slider, select
from ..drawings import drawing
from ..state import PageState
from ..texts.compare import COMPARE
from ..texts.deployments import POOLS
from .choices import NONE, PLACES, Chosen


def cards(page: PageState, deployments: Sequence[Chosen], titles: Mapping[str, str]) -> None:
    """A card for each deployment, and an empty place to add one."""
    there = {one.place: one for one in deployments}
    empty = next((place for place in PLACES if place not in there), None)
    shown = [place for place in PLACES if place in there or place == empty]
    with st.container(key="cards"):
        columns = st.columns(len(shown))
    for column, place in zip(columns, shown, strict=True):
        with column, st.container(border=True, key=f"card-{place}", gap="xsmall"):
            _card(page, place, there.get(place), titles)


def _card(page: PageState, place: str, one: Chosen | None, titles: Mapping[str, str]) -> None:
    number = PLACES.index(place) + 1
    options = list(titles) if place in PLACES[:2] else [NONE, *titles]
    label = COMPARE["baseline"] if number == 1 else COMPARE["deployment"].format(number=number)
    select(page, place, label, options, words=lambda name: titles.get(name, COMPARE["none"]))
    if one is None:
        return
    drawing(one.scenario, f"drawing-{place}")
    if one.error:
        st.error(COMPARE["bad"].format(why=one.error))
    _settings(page, one)


def _settings(page: PageState, one: Chosen) -> None:
    if one.scenario.line is not None:
        _slider(page, one, "line.bandwidth_gbps", COMPARE["bandwidth"], 1, 400, "line", log=True)
    with st.popover(COMPARE["settings"], width="stretch"):
        for name, pool in one.scenario.pools().items():
            words = COMPARE["instances"].format(pool=POOLS[name][0])
            role = {"prefill": "p", "relay_decode": "rld"}.get(name, "md")
            _slider(page, one, f"{name}.instances", words, 1, max(12, pool.instances), role, step=1)


def _slider(page, one, path, words, low, high, role, **more) -> None:  # noqa: ANN001, ANN003
    name = f"{one.place}.{path}"
    value = one.plain
    for step in path.split("."):
        value = getattr(value, step)
    page.defaults.setdefault(name, value)
    source = source_of(one.scenario, path)
    told = "assumed" if is_assumed(source) and not source.startswith("assumed") else source
    setting = setting_at(path)
    drag_slider(
        page, name, words, low, high, setting.unit, about=f"{setting.doc} ({path})",
        source=told, role=role, **more,
    )  # fmt: skip
