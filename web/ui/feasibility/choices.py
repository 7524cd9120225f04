"""What is chosen on the feasibility page: model, requests, line, and what goes on beside."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from twin.errors import TwinError
from twin.feasibility import Demand, KvSize
from twin.parts import NamedPart, Shelf
from twin.scenario import Line, Scenario
from twin.scenario_file import from_data, shipped_folder, with_settings
from twin.stage_times import Asked

from .. import service
from ..state import PageState

PAGE = "feasibility"
SCENARIO = "pdd_43a_32b"
OWN, OF_C11 = "own", "claim_c11"
C11_BYTES = 4_390.0
"""KV of one token in claim C11 (K = 1000)."""

DEFAULTS = {
    "model": "pdd_744b", "kv": 46.488, "context": 64_000, "hit": 0.9, "requests": 2.5,
    "within": 1.0, "drc": True, "bandwidth": 10.0, "rtt": 21.0, "output": 1000, "flows": 1,
    "main_batch": 10, "relay_batch": 5, "sla": 30.0, "until": "last",
}  # fmt: skip

_BURST = {
    "model": OF_C11, "context": 65_536, "hit": 0.0, "requests": 80.0, "drc": False,
}  # fmt: skip

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "published": {},
    "burst": {**_BURST, "within": 1.0},
    "spread": {**_BURST, "within": 1.02},
}

KEPT = ("until", "sla")
"""What a preset leaves as it is."""


def state() -> PageState:
    """The controls of the page."""
    return PageState(PAGE, DEFAULTS)


def preset_values(name: str) -> dict[str, Any]:
    """The controls as a preset has them."""
    plain = {key: value for key, value in DEFAULTS.items() if key not in KEPT}
    return plain | dict(PRESETS[name])


def preset_of(page: PageState) -> str | None:
    """The preset that the controls show now."""
    for name in PRESETS:
        if all(page[key] == value for key, value in preset_values(name).items()):
            return name
    return None


@cache
def models() -> dict[str, NamedPart]:
    """All models that say what their KV cache takes, by name."""
    found = Shelf(shipped_folder() / "parts").parts("models")
    return {name: one for name, one in found.items() if "kv_bytes_per_token" in one.values}


def kv_of(name: str) -> KvSize:
    """KV of a model of the catalogue."""
    values = models()[name].values
    return KvSize(values["kv_bytes_per_token"], 1e6 * values.get("fixed_state_mb", 0.0))


def kv(page: PageState) -> KvSize:
    """KV of what is chosen."""
    if page["model"] == OWN:
        return KvSize(1e3 * page["kv"])
    return KvSize(C11_BYTES) if page["model"] == OF_C11 else kv_of(page["model"])


def demand(page: PageState) -> Demand:
    """What is asked of the line."""
    return Demand(page["requests"] / page["within"], page["context"], page["hit"])


def plain() -> Scenario:
    """The published deployment."""
    return from_data(service.client().scenario(SCENARIO)["scenario"])


def line(page: PageState, scenario: Scenario) -> Line:
    """The line as it is set."""
    assert scenario.line is not None
    return scenario.line.model_copy(
        update={"bandwidth_gbps": page["bandwidth"], "rtt_ms": page["rtt"]}
    )


def scenario(page: PageState, base: Scenario) -> tuple[Scenario, str]:
    """The deployment as it is set, and why not with the chosen model where that cannot be."""
    changes: dict[str, Any] = {
        "line.bandwidth_gbps": page["bandwidth"], "line.rtt_ms": page["rtt"],
        "caches.drc_enabled": page["drc"], "slo.total_s": page["sla"],
    }  # fmt: skip
    size = {"model.kv_bytes_per_token": kv(page).bytes_per_token}
    if page["model"] in (OWN, OF_C11):
        return with_settings(base, changes | size), ""
    try:
        return with_settings(base, changes | {"model": page["model"]}), ""
    except TwinError as error:
        return with_settings(base, changes), str(error)


def asked(page: PageState) -> Asked:
    """The one request whose stages are told."""
    return Asked(
        page["context"], page["hit"], page["output"], relay_batch=page["relay_batch"],
        main_batch=page["main_batch"], flows=page["flows"],
    )  # fmt: skip
