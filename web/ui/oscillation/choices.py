"""What is chosen on the oscillation page: the deployment, and what may bring it back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from twin.scenario import Scenario
from twin.scenario_file import from_data, with_settings

from .. import service
from ..state import PageState

PAGE = "oscillation"
SCENARIO = "pdd_43a_32b"
"""All of the page happens on the published deployment."""

DEFAULTS = {
    "p_rld": True, "threshold": 1.0, "gate": True, "gate_high": 50, "gate_low": 3, "aligned": False,
    "clients": 150, "bandwidth": 10.0, "relays": 1, "scaling": False, "scaling_at": 0.3,
    "seed": 0, "against": "published", "plane": "flows", "work": 1.3,
}  # fmt: skip

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "healthy": {"p_rld": False, "gate": False, "threshold": 2.0, "against": "allowed"},
    "collapse": {"p_rld": True, "gate": False, "threshold": 2.0},
    "swing": {"p_rld": True, "gate": True, "threshold": 1.0},
    "thin": {
        "p_rld": False,
        "gate": False,
        "threshold": 2.0,
        "bandwidth": 6.5,
        "clients": 170,
        "against": "wider",
    },
}
"""The controls of each case; all others go back to what they were."""

KEPT = ("seed", "plane", "work")
"""What a preset leaves as it is."""

WIDE_GBPS = 100.0

REMEDIES: Mapping[str, Callable[[PageState], dict[str, Any]]] = {
    "published": lambda _: {"p_rld": False, "gate": False},
    "aligned": lambda _: {"aligned": True},
    "wider": lambda _: {"bandwidth": WIDE_GBPS},
    "relay": lambda page: {"relays": min(8, page["relays"] + 1)},
}
"""Controls that each way back turns."""

ALLOWED: Mapping[str, Any] = {"p_rld": True, "gate": False, "threshold": 2.0}
"""The other side of a healthy deployment: what the published system excludes."""


def state() -> PageState:
    """The controls of the page."""
    return PageState(PAGE, DEFAULTS)


def preset_values(name: str) -> dict[str, Any]:
    """All controls as a preset has them."""
    plain = {key: value for key, value in DEFAULTS.items() if key not in KEPT}
    return plain | dict(PRESETS[name])


def preset_of(page: PageState) -> str | None:
    """The preset that the controls show now."""
    for name in PRESETS:
        values = preset_values(name)
        if all(page[key] == value for key, value in values.items() if key != "against"):
            return name
    return None


def settings(page: PageState, other: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The scenario's settings by the controls, with `other` values of some of them."""
    said = {name: page[name] for name in DEFAULTS} | dict(other or {})
    scaling = {"threshold": said["scaling_at"], "least": 1, "most": 8} if said["scaling"] else None
    return {
        "policy.p_rld": said["p_rld"], "policy.p_rld_threshold_s": said["threshold"],
        "policy.load_gate": said["gate"], "policy.load_gate_high": said["gate_high"],
        "policy.load_gate_low": min(said["gate_low"], said["gate_high"] - 1),
        "policy.drc_held_aligned": said["aligned"], "policy.relay_scaling": scaling,
        "workload.clients": said["clients"], "line.bandwidth_gbps": said["bandwidth"],
        "relay_decode.instances": said["relays"],
    }  # fmt: skip


def plain() -> Scenario:
    """The published deployment."""
    return from_data(service.client().scenario(SCENARIO)["scenario"])


def scenario(page: PageState) -> Scenario:
    """The deployment as it is set."""
    return with_settings(plain(), settings(page))


def remedy(page: PageState, name: str) -> dict[str, Any]:
    """The controls that a way back turns from where they are; "allowed" is the way there."""
    return dict(ALLOWED) if name == "allowed" else REMEDIES[name](page)


def arguments(page: PageState) -> dict[str, Any]:
    """What the study is asked for both sides: as it is set, and with the chosen way back."""
    both = [settings(page), settings(page, remedy(page, page["against"]))]
    return {
        "deployments": [{"scenario": SCENARIO, "set": one} for one in both], "seed": page["seed"],
    }  # fmt: skip


def ways_back(page: PageState) -> dict[str, Any]:
    """What the study is asked to try every way back."""
    every = [settings(page, remedy(page, name)) for name in REMEDIES]
    return {
        "deployments": [{"scenario": SCENARIO, "set": one} for one in every],
        "seed": page["seed"], "courses": False,
    }  # fmt: skip
