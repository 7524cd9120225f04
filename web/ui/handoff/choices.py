"""What is chosen in the handoff lab: the line, the rule of the handoff, and what is drawn."""

from __future__ import annotations

from typing import Any

from twin.handoff_lab import Setting
from twin.scenario import Scenario
from twin.scenario_file import from_data, with_settings

from .. import service
from ..state import PageState

PAGE = "handoff"
SCENARIO = "pdd_43a_32b"
REQUESTS = 8_000
PUBLISHED_RTT_MS = 21.0

DEFAULTS = {
    "tokens": 100, "threshold": 64, "ids": 5, "rtt": PUBLISHED_RTT_MS, "jitter": 0.3,
    "timeouts": 0.003, "batch": 10, "eager": 200, "mode": "catch_up", "seed": 0,
}  # fmt: skip

MODES = ("one_shot", "catch_up", "auto")


def state() -> PageState:
    """The controls of the page."""
    return PageState(PAGE, DEFAULTS)


def plain() -> Scenario:
    """The published deployment."""
    return from_data(service.client().scenario(SCENARIO)["scenario"])


def settings(page: PageState) -> dict[str, Any]:
    """The scenario's settings by the controls; ids cross in half a round trip."""
    return {
        "policy.handoff_auto_tokens": page["threshold"], "policy.handoff_ids_per_step": page["ids"],
        "policy.handoff_hop_ms": page["rtt"] / 2, "line.rtt_ms": page["rtt"],
        "line.jitter_share": page["jitter"], "line.timeout_share": page["timeouts"],
    }  # fmt: skip


def scenario(page: PageState) -> Scenario:
    """The deployment as it is set."""
    return with_settings(plain(), settings(page))


def setting(page: PageState, deployment: Scenario) -> Setting:
    """What one handoff depends on."""
    return Setting.of(deployment, main_batch=page["batch"])


def arguments(page: PageState) -> dict[str, Any]:
    """What the study is asked."""
    return {
        "deployment": {"scenario": SCENARIO, "set": settings(page)}, "seed": page["seed"],
        "requests": REQUESTS,
    }  # fmt: skip
