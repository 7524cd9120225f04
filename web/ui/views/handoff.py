"""The handoff lab: KV against ids, one-shot against catch-up, and what users see of it."""

from __future__ import annotations

import streamlit as st

from twin.handoff_lab import TOKENS, microbenchmark, story
from twin.scenario import Scenario
from twin.scenario_file import is_assumed, source_of
from twin.settings import setting_at

from ..controls import choice, drag_slider, number_field, undo_and_reset
from ..guarded import page_fragment
from ..handoff import bench, choices
from ..handoff.story import curve, drawn, figures
from ..handoff.traffic import side_by_side
from ..heads import head, section
from ..state import PageState
from ..studies import study
from ..texts.handoff import BENCH, CURVE, HANDOFF, MODES, RUN, STORY

SEEDS = range(6)


@page_fragment("handoff")
def show() -> None:
    """Draw the page; formulas follow a drag, whole runs are studies."""
    page = choices.state()
    head(HANDOFF["title"], HANDOFF["lead"])
    _controls(page)
    scenario = choices.scenario(page)
    _bench(page, scenario)
    _one(page, scenario)
    section(RUN["title"], RUN["about"])
    answer = study("handoff", choices.arguments(page), held=page.held)
    if answer.result is not None:
        with answer.area():
            side_by_side(answer.result)


def _controls(page: PageState) -> None:
    plain = choices.plain()
    columns = st.columns(4)
    with columns[0]:
        _setting(page, plain, "threshold", "policy.handoff_auto_tokens", 1, 400, 1)
        _setting(page, plain, "ids", "policy.handoff_ids_per_step", 1, 64, 1)
    with columns[1]:
        _setting(page, plain, "rtt", "line.rtt_ms", 1, 250, None, HANDOFF["rtt_more"])
        _setting(page, plain, "jitter", "line.jitter_share", 0, 5, 0.1)
    with columns[2]:
        drag_slider(
            page, "timeouts", HANDOFF["timeouts"], 0, 0.05, HANDOFF["timeouts_unit"], step=0.001,
            role="line", about=setting_at("line.timeout_share").doc,
            source=HANDOFF["timeouts_source"],
        )  # fmt: skip
        drag_slider(
            page, "batch", HANDOFF["batch"], 1, 48, "requests", step=1, role="md",
            about=HANDOFF["batch_about"], source=HANDOFF["claim_c15"],
        )  # fmt: skip
    with columns[3]:
        number_field(page, "seed", HANDOFF["seed"], 0, 99, 1, about=HANDOFF["seed_about"])
        undo_and_reset(page)


def _setting(
    page: PageState, plain: Scenario, name: str, path: str, low: float, high: float,
    step: float | None, more: str = "",
) -> None:  # fmt: skip
    source = source_of(plain, path)
    told = "assumed" if is_assumed(source) and not source.startswith("assumed") else source
    found = setting_at(path)
    drag_slider(
        page, name, HANDOFF[name], low, high, HANDOFF.get(f"{name}_unit", found.unit),
        log=step is None, step=step, source=told, role="line" if path.startswith("line") else "md",
        about=f"{found.doc} ({path}) {more}".strip(),
    )  # fmt: skip


def _bench(page: PageState, scenario: Scenario) -> None:
    section(BENCH["title"], BENCH["about"])
    left, right = st.columns([3, 2], gap="large")
    found = microbenchmark(scenario, SEEDS, page["tokens"], batch=page["batch"])
    like = ("tokens", "ids", "rtt", "jitter", "timeouts", "batch")
    as_published = not any(name in page.changed for name in like) and found.tokens == TOKENS
    with left:
        bench.histogram(found)
    with right:
        drag_slider(
            page, "tokens", BENCH["tokens"], 1, 1000, "tokens", log=True, step=1, role="rld",
            about=BENCH["tokens_about"], source="claims C14 and C15",
        )  # fmt: skip
        bench.figures(found, as_published)


def _one(page: PageState, scenario: Scenario) -> None:
    setting = choices.setting(page, scenario)
    told = story(page["eager"], page["mode"], setting)
    left, right = st.columns([3, 2], gap="large")
    with left:
        section(STORY["title"], STORY["about"])
        places = st.columns([1, 1], vertical_alignment="bottom")
        with places[0]:
            drag_slider(
                page, "eager", STORY["eager"], 1, 1000, "tokens", log=True, step=1, role="rld",
                about=STORY["eager_about"], source=HANDOFF["assumed"],
            )  # fmt: skip
        with places[1]:
            choice(page, "mode", STORY["mode"], MODES)
        drawn(told)
    with right:
        section(CURVE["title"], CURVE["about"])
        curve(setting, page["eager"])
        figures(told, setting, scenario, page["batch"])
