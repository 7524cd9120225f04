"""The feasibility page: does the line carry the KV cache, and does the latency hold."""

from __future__ import annotations

import streamlit as st

from twin.feasibility import line_need
from twin.scenario import Scenario
from twin.scenario_file import source_of
from twin.stage_times import latency

from ..controls import choice, drag_slider, preset_buttons, select, switch, undo_and_reset
from ..feasibility import choices
from ..feasibility import latency as answer
from ..feasibility import line as first
from ..feasibility.catalogue import catalogue
from ..guarded import page_fragment
from ..heads import head, section
from ..numbers import Role
from ..state import PageState
from ..texts.feasibility import FEASIBILITY, LATENCY, LINE, MODELS, PRESETS, PRESETS_ABOUT


@page_fragment("feasibility")
def show() -> None:
    """Draw the page; all of it is formulas and follows a drag."""
    page = choices.state()
    head(FEASIBILITY["title"], FEASIBILITY["lead"])
    base = choices.plain()
    _presets(page)
    _line(page, base)
    _latency(page, base)
    section(MODELS["title"], MODELS["about"])
    catalogue(choices.demand(page), choices.line(page, base), page["drc"], page["model"])


def _presets(page: PageState) -> None:
    with st.container(horizontal=True, gap="small", key="feasibility-presets"):
        preset_buttons(page, PRESETS, PRESETS_ABOUT, choices.preset_of(page), choices.preset_values)
        undo_and_reset(page)


def _slider(
    page: PageState, name: str, low: float, high: float, unit: str, source: str,
    role: Role = "accent", step: float | None = None, log: bool = False, about: str = "",
) -> None:  # fmt: skip
    drag_slider(
        page, name, FEASIBILITY[name], low, high, unit, log=log, step=step, role=role,
        about=about or FEASIBILITY[f"{name}_about"], source=source,
    )  # fmt: skip


def _line(page: PageState, base: Scenario) -> None:
    section(LINE["title"], LINE["about"])
    kv, asked, line = choices.kv(page), choices.demand(page), choices.line(page, base)
    left, right = st.columns([2, 3], gap="large")
    with left:
        _asked(page, base)
    need = line_need(kv, asked, line, page["drc"])
    with right:
        first.verdict(need)
        first.bars(page, kv, asked, line, base)
        first.figures(page, kv, asked, need, base)


def _asked(page: PageState, base: Scenario) -> None:
    words = {choices.OWN: FEASIBILITY["own"], choices.OF_C11: FEASIBILITY["claim_c11"]}
    options = [*choices.models(), choices.OF_C11, choices.OWN]
    select(
        page, "model", FEASIBILITY["model"], options, about=FEASIBILITY["model_about"],
        words=lambda name: words.get(name, name),
    )  # fmt: skip
    if page["model"] == choices.OWN:
        _slider(page, "kv", 1, 1000, "KB", FEASIBILITY["assumed"], log=True)
    c09, assumed = FEASIBILITY["c09"], FEASIBILITY["assumed"]
    _slider(page, "context", 1000, 1_000_000, "tokens", c09, log=True, step=1)
    _slider(page, "hit", 0, 0.99, FEASIBILITY["hit_unit"], c09, step=0.01, role="p")
    places = st.columns(2)
    with places[0]:
        _slider(page, "requests", 0.1, 500, "requests", FEASIBILITY["assumed_rate"], log=True)
    with places[1]:
        _slider(page, "within", 0.1, 60, "s", assumed, log=True)
    _slider(
        page, "bandwidth", 1, 1000, "Gbps", source_of(base, "line.bandwidth_gbps"), "line",
        log=True, about=LINE["capacity_about"],
    )  # fmt: skip
    switch(page, "drc", FEASIBILITY["drc"], about=FEASIBILITY["drc_about"])


def _latency(page: PageState, base: Scenario) -> None:
    section(LATENCY["title"], LATENCY["about"])
    scenario, why = choices.scenario(page, base)
    asked = choices.asked(page)
    left, right = st.columns([2, 3], gap="large")
    with left:
        _beside(page, base)
    told = latency(scenario, asked)
    with right:
        if why:
            st.info(LATENCY["no_model"].format(why=why))
        place, way = st.columns([1, 1], vertical_alignment="bottom")
        with place:
            answer.verdict(told)
        with way:
            choice(page, "until", LATENCY["until"], {n: LATENCY[n] for n in ("first", "last")})
        answer.bars(scenario, asked, told, page["until"])
        answer.figures(told, asked, scenario)
    section(LATENCY["stages"].format(pipeline=told.pipeline))
    answer.stages(told)


def _beside(page: PageState, base: Scenario) -> None:
    assumed, c09 = FEASIBILITY["assumed"], FEASIBILITY["c09"]
    _slider(page, "output", 1, 10_000, "tokens", c09, log=True, step=1)
    _slider(
        page, "rtt", 1, 250, "ms", source_of(base, "line.rtt_ms"), "line", log=True,
        about=LATENCY["transfer"],
    )  # fmt: skip
    _slider(page, "flows", 0, 40, "flows", assumed, "line", step=1)
    places = st.columns(2)
    with places[0]:
        _slider(page, "main_batch", 1, 48, "requests", assumed, "md", step=1)
    with places[1]:
        _slider(page, "relay_batch", 1, 48, "requests", assumed, "rld", step=1)
    _slider(
        page, "sla", 1, 120, "s", source_of(base, "slo.total_s"), "red", log=True,
        about=LATENCY["total_about"],
    )  # fmt: skip
