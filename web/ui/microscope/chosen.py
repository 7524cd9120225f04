"""What is chosen on the request microscope: the deployment, its line, the run, the request."""

from __future__ import annotations

from typing import Any

import streamlit as st

from twin.scenario_file import from_data, is_assumed, source_of
from twin.settings import setting_at

from .. import service
from ..address import like_setting
from ..controls import drag_slider, number_field, select, undo_and_reset
from ..state import PageState
from ..texts.requests import REQUESTS as SAID

NONE = "none"
WORST = -1
BANDWIDTH = "line.bandwidth_gbps"
REQUESTS = 20_000
MOST_SEED = 9999
MOST_NUMBER = 49_999
"""The largest number of a request that a study takes."""

DEFAULTS = {
    "deployment": "pdd_43a_32b", "seed": 0, "by": "gap_s", "request": WORST, "beside": NONE,
    "view": "all",
}  # fmt: skip


def state() -> PageState:
    """The controls of the page; settings of the deployment stand by their path."""
    page = PageState("requests", DEFAULTS, like_setting)
    plain = service.client().scenario(_known(page))["scenario"]
    if plain.get("line"):
        page.defaults[BANDWIDTH] = float(plain["line"]["bandwidth_gbps"])
    return page


def _known(page: PageState) -> str:
    return page["deployment"] if page["deployment"] in titles() else DEFAULTS["deployment"]


def titles() -> dict[str, str]:
    """Titles of all scenarios by name."""
    return {one["name"]: one["title"] or one["name"] for one in service.client().scenarios()}


def controls(page: PageState) -> None:
    """The row of controls."""
    known = titles()
    with st.container(key="request-controls"):
        places = st.columns([2, 2, 2, 0.9, 1.2], vertical_alignment="bottom")
    with places[0]:
        select(page, "deployment", SAID["deployment"], list(known), words=lambda n: known.get(n, n))
    with places[1]:
        _bandwidth(page)
    with places[2]:
        select(
            page, "beside", SAID["beside"], [NONE, *known], about=SAID["beside_about"],
            words=lambda name: known.get(name, SAID["none"]),
        )  # fmt: skip
    with places[3]:
        number_field(page, "seed", SAID["seed"], 0, MOST_SEED, 1, about=SAID["seed_about"])
    with places[4]:
        undo_and_reset(page)


def _bandwidth(page: PageState) -> None:
    if BANDWIDTH not in page.defaults:
        return
    setting = setting_at(BANDWIDTH)
    scenario = from_data(service.client().scenario(_known(page))["scenario"])
    source = source_of(scenario, BANDWIDTH)
    drag_slider(
        page, BANDWIDTH, SAID["bandwidth"], 1, 400, setting.unit, log=True, role="line",
        about=setting.doc, source="assumed" if is_assumed(source) else source,
    )  # fmt: skip


def deployment(page: PageState) -> dict[str, Any]:
    """The deployment as studies take it."""
    there = {k: v for k, v in page.changed.items() if k not in DEFAULTS}
    if BANDWIDTH not in page.defaults:
        there.pop(BANDWIDTH, None)
    return {"scenario": _known(page), "set": there}


def run_asked(page: PageState) -> dict[str, Any]:
    """The run as studies take it."""
    return {"deployment": deployment(page), "seed": page["seed"], "requests": REQUESTS}


def request_asked(page: PageState, number: int) -> dict[str, Any]:
    """One request of it, and the deployment that it is looked at in besides."""
    beside = page["beside"]
    other = {"scenario": beside} if beside != NONE and beside in titles() else None
    return {**run_asked(page), "number": number, "beside": other}


def request_field(page: PageState) -> None:
    """The number of the request, to be typed; empty for the worst."""
    key = page.key("request")

    def put() -> None:
        value = st.session_state[key]
        page.put("request", WORST if value is None else value)

    now = page["request"]
    st.number_input(
        SAID["number"], min_value=0, max_value=MOST_NUMBER, step=1, key=key, on_change=put,
        value=now if 0 <= now <= MOST_NUMBER else None, placeholder=SAID["number_worst"],
        help=SAID["number_about"],
    )  # fmt: skip
