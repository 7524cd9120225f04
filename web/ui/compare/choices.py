"""What is chosen on the comparison page: the deployments, what is other in them, the load."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from twin.errors import TwinError
from twin.parts import Shelf
from twin.scenario import Scenario
from twin.scenario_file import from_data, shipped_folder, with_settings

from .. import service
from ..address import like_setting
from ..state import PageState

PAGE = "compare"
PLACES = ("d1", "d2", "d3", "d4")

PRESETS = {
    "pdd": ("same_dc_88a", "cross_dc_plain", "pdd_43a_32b"),
    "prefill_service": ("prfaas_homogeneous", "prfaas_naive", "prfaas_selective"),
}
"""Deployments that were published together; the first is the baseline."""
NONE = "none"
REQUESTS = 20_000

DEFAULTS = {
    "d1": "same_dc_88a", "d2": "cross_dc_plain", "d3": "pdd_43a_32b", "d4": NONE,
    "load": "clients", "clients": 170, "rate": 2.0, "seeds": 1, "hits": NONE,
    "until": "first", "band": "all",
}  # fmt: skip


@dataclass(frozen=True)
class Chosen:
    """One deployment: where it stands on the page, its scenario, and what is other in it."""

    place: str
    name: str
    plain: Scenario
    scenario: Scenario
    set: dict[str, Any]
    error: str = ""


def state() -> PageState:
    """The controls of the page; `d2.line.bandwidth_gbps` is a setting of the second deployment."""
    return PageState(PAGE, DEFAULTS, lambda name: like_setting(name.partition(".")[2]))


def known() -> dict[str, str]:
    """Titles of all scenarios by name."""
    return {one["name"]: one["title"] or one["name"] for one in service.client().scenarios()}


def preset_values(name: str) -> dict[str, Any]:
    """The places of a preset, as controls."""
    return dict(zip(PLACES, (*PRESETS[name], *(NONE,) * len(PLACES)), strict=False))


def plain(page: PageState) -> dict[str, None]:
    """What takes every turned setting of the deployments away."""
    return {name: None for name in page.changed if "." in name}


def preset_of(page: PageState) -> str | None:
    """The preset that the places show now."""
    shown = (
        name
        for name in PRESETS
        if all(page[place] == value for place, value in preset_values(name).items())
    )
    return next(shown, None)


def settings_of(page: PageState, place: str) -> dict[str, Any]:
    """What is other in the deployment at a place."""
    start = f"{place}."
    return {k.removeprefix(start): v for k, v in page.changed.items() if k.startswith(start)}


def chosen(page: PageState) -> list[Chosen]:
    """All deployments that are compared, in order."""
    return [_one(page, place) for place in PLACES if page[place] != NONE]


def _one(page: PageState, place: str) -> Chosen:
    name, changes = page[place], settings_of(page, place)
    plain = from_data(service.client().scenario(name)["scenario"])
    try:
        changed = with_settings(plain, changes) if changes else plain
        return Chosen(place, name, plain, changed, changes)
    except TwinError as error:
        return Chosen(place, name, plain, plain, changes, str(error))


@cache
def hit_rates() -> dict[str, list[float]]:
    """Shares of later turns in the seven buckets, by the name of the part."""
    parts = Shelf(shipped_folder() / "parts").parts("hit_rates")
    return {part.name: list(part.values["hit_shares"]) for part in parts.values()}


def open_loop(deployments: list[Chosen]) -> bool:
    """Whether the baseline's requests come at a rate, whoever is served: there are no clients."""
    return deployments[0].plain.workload.arrivals == "poisson"


def load(page: PageState, deployments: list[Chosen]) -> str:
    """What is equal; requests that come at a rate are the same for all by themselves."""
    return "clients" if open_loop(deployments) else page["load"]


def arguments(page: PageState, deployments: list[Chosen]) -> dict[str, Any]:
    """What the studies of this page are asked with."""
    shared: dict[str, Any] = (
        {"workload.rate_rps": page["rate"]}
        if open_loop(deployments)
        else {"workload.clients": page["clients"]}
    )
    if page["hits"] != NONE:
        shared["workload.hit_shares"] = hit_rates()[page["hits"]]
    return {
        "deployments": [{"scenario": one.name, "set": one.set} for one in deployments],
        "shared": shared, "seeds": page["seeds"], "requests": REQUESTS,
    }  # fmt: skip
