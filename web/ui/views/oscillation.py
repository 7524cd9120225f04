"""The oscillation page: steady, swinging, collapsing, and what brings a deployment back."""

from __future__ import annotations

from typing import Any

import streamlit as st

from twin.loop_gain import Gain, expected_gain
from twin.scenario import Scenario
from twin.scenario_file import is_assumed, source_of
from twin.settings import setting_at

from ..controls import choice, drag_slider, number_field, preset_buttons, switch, undo_and_reset
from ..guarded import page_fragment
from ..heads import head, section
from ..numbers import numbers
from ..oscillation import choices, counts
from ..oscillation.back import back
from ..oscillation.courses import courses, tops
from ..oscillation.gain import by_formula, gauge, parts
from ..oscillation.plane import plane
from ..oscillation.verdict import verdict, word
from ..state import PageState
from ..studies import Answer, basis_of, study
from ..texts.oscillation import (
    ALLOWED,
    BACK,
    GAIN,
    OSCILLATION,
    PLANE,
    PRESETS,
    PRESETS_ABOUT,
    SCALING,
    SIDES,
    VERDICT,
    WAYS,
)  # fmt: skip

SLIDERS = (
    ("threshold", "policy.p_rld_threshold_s", 0.2, 10, 0.1, "rld"),
    ("clients", "workload.clients", 20, 300, 1, "accent"),
    ("bandwidth", "line.bandwidth_gbps", 2, 200, None, "line"),
    ("relays", "relay_decode.instances", 1, 8, 1, "rld"),
    ("gate_high", "policy.load_gate_high", 5, 59, 1, "rld"),
    ("gate_low", "policy.load_gate_low", 0, 40, 1, "rld"),
)

AGAINST = {**WAYS, "allowed": ALLOWED}


@page_fragment("oscillation")
def show() -> None:
    """Draw the page; all of it follows its controls."""
    page = choices.state()
    head(OSCILLATION["title"], OSCILLATION["lead"])
    left, right = st.columns([3, 2], gap="large")
    with left:
        _controls(page)
    scenario = choices.scenario(page)
    with right:
        section(GAIN["title"], GAIN["about"])
        hands = st.container()
    answer = study("oscillation", choices.arguments(page), held=page.held)
    with hands:
        _gauge(answer, expected_gain(scenario))
    with st.container():  # what follows keeps its place when the answer comes
        if answer.result is not None:
            with answer.area():
                _told(page, answer, scenario)
    _counts(page, answer)


def _told(page: PageState, answer: Answer, scenario: Scenario) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        _verdict(answer, scenario)
    with right:
        _ways_back(page, answer)
    _sides(page, answer)
    _plane(page, answer, scenario)


def _controls(page: PageState) -> None:
    _presets(page)
    with st.container(horizontal=True, gap="medium", key="oscillation-switches"):
        for name in ("p_rld", "gate", "aligned", "scaling"):
            switch(page, name, OSCILLATION[name], about=OSCILLATION[f"{name}_about"])
    plain = choices.plain()
    columns = st.columns(3)
    for i, (name, path, low, high, step, role) in enumerate(SLIDERS):
        with columns[i % 3]:
            _slider(page, plain, name, path, low, high, step, role)
    places = st.columns(3, vertical_alignment="bottom")
    with places[0]:
        drag_slider(
            page, "scaling_at", OSCILLATION["scaling_at"], 0.05, 0.95, "", step=0.05, role="rld",
            about=setting_at("policy.relay_scaling.threshold").doc, source=OSCILLATION["assumed"],
        )  # fmt: skip
    with places[1]:
        number_field(page, "seed", OSCILLATION["seed"], 0, 99, 1, about=OSCILLATION["seed_about"])
    with places[2]:
        undo_and_reset(page)


def _presets(page: PageState) -> None:
    with st.container(horizontal=True, gap="small", key="oscillation-presets"):
        preset_buttons(page, PRESETS, PRESETS_ABOUT, choices.preset_of(page), choices.preset_values)


def _slider(
    page: PageState, plain: Scenario, name: str, path: str, low: float, high: float,
    step: float | None, role: Any,
) -> None:  # fmt: skip
    source = source_of(plain, path)
    told = "assumed" if is_assumed(source) and not source.startswith("assumed") else source
    used = {"threshold": "p_rld", "gate_high": "gate", "gate_low": "gate"}.get(name)
    drag_slider(
        page, name, OSCILLATION[name], low, high, setting_at(path).unit, log=step is None,
        step=step, role=role, about=f"{setting_at(path).doc} ({path})", source=told,
        disabled=used is not None and not page[used],
    )  # fmt: skip


def _gauge(answer: Answer, formula: Gain) -> None:
    measured = None if answer.result is None else answer.result["results"][0]["gain"]["gain"]
    gauge(measured, formula, "oscillation-gauge")
    numbers("oscillation-formula", [by_formula(formula)])


def _verdict(answer: Answer, scenario: Scenario) -> None:
    assert answer.result is not None
    now, other = answer.result["results"]
    basis = basis_of(answer.result)
    section(VERDICT["title"], VERDICT["about"])
    verdict(now, other, scenario.slo.total_s, basis)


def _sides(page: PageState, answer: Answer) -> None:
    assert answer.result is not None
    results = answer.result["results"]
    names = _names(page)
    title, which = st.columns([1, 1.3], vertical_alignment="bottom")
    with title:
        section(SIDES["title"], SIDES["about"])
    with which:
        choice(page, "against", BACK["against"], AGAINST)
    asked = choices.arguments(page)["deployments"]
    if asked[0] == asked[1]:
        st.text(SIDES["same"].format(way=AGAINST[page["against"]]))
    high = tops(results)
    relays = [one["set"]["relay_decode.instances"] for one in asked]
    for i, column in enumerate(st.columns(2)):
        with column:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{names[i]}**", width="content")
                word(results[i])
            courses(results[i], f"oscillation-{i}", high, relays[i], page["scaling"])


def _names(page: PageState) -> list[str]:
    return [SIDES["now"], SIDES["with"].format(way=AGAINST[page["against"]])]


def _plane(page: PageState, answer: Answer, scenario: Scenario) -> None:
    assert answer.result is not None
    left, right = st.columns([3, 2], gap="large")
    with left:
        _portrait(page, answer.result["results"])
    with right:
        section(GAIN["parts"], GAIN["about"])
        parts(answer.result["results"][0], scenario, basis_of(answer.result))


def _portrait(page: PageState, results: list[Any]) -> None:
    title, which = st.columns([1, 1.3], vertical_alignment="bottom")
    with title:
        section(PLANE["title"], PLANE["about"])
    with which:
        options = {name: PLANE[name] for name in ("flows", "lag")}
        choice(page, "plane", PLANE["against"], options)
    plane(results, _names(page), page["plane"])


def _ways_back(page: PageState, answer: Answer) -> None:
    section(BACK["title"], BACK["about"])
    tried = study("oscillation", choices.ways_back(page), slot="ways", held=page.held)
    if tried.result is not None and answer.result is not None:
        with tried.area():
            back(page, answer.result["results"][0], tried.result)


def _counts(page: PageState, answer: Answer) -> None:
    section(SCALING["title"], SCALING["about"])
    left, right = st.columns([1, 1])
    threshold = page["scaling_at"]
    with left:
        drag_slider(
            page, "work", SCALING["work"], 0.1, 4, "instances", step=0.1, role="rld",
            about=SCALING["work_about"], source=OSCILLATION["assumed"],
        )  # fmt: skip
        advice, hasty = counts.scaling(page["work"], threshold)
        st.caption(SCALING["rule"])
        counts.figures(page["work"], threshold, advice, hasty)
        if answer.result is not None:
            seen = len(answer.result["results"][0]["relay_changes"])
            numbers(
                "oscillation-seen", [counts.seen(seen, page["scaling"], basis_of(answer.result))]
            )
    with right:
        counts.stairs(advice, hasty)
