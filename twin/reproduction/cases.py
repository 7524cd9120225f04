"""The deployments that claims are computed on: shipped scenarios, some with a few settings changed.

Each change has its reason beside it; both come out again in the table of overrides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ..claims import CROSS_DC, PDD, SAME_DC
from ..scenario import Scenario
from ..scenario_file import load, shipped_folder, with_settings

REFERENCE = PDD
"""The deployment that all others are compared with in the table of overrides."""


@dataclass(frozen=True)
class Case:
    """A shipped scenario with `changes`: settings with their new value and the reason for it.

    `traffic` tells of requests that are given one by one in place of the scenario's workload.
    """

    shipped: str
    changes: Mapping[str, tuple[Any, str]] = field(default_factory=dict)
    traffic: str = ""


EXCLUDED, ALLOWED, ALIGNED = "p_rld_excluded", "p_rld_allowed", "p_rld_aligned"
SWING, FLOOD, FILTERED = "swing", "flood", "flood_filtered"
ONE_SHOT, CATCH_UP, BY_KV, BY_IDS = "one_shot", "catch_up", "handoff_by_kv", "handoff_by_ids"

CASES: dict[str, Case] = {
    SAME_DC: Case(SAME_DC),
    CROSS_DC: Case(CROSS_DC),
    PDD: Case(PDD),
    ONE_SHOT: Case("one_shot_hiccup"),
    CATCH_UP: Case(PDD, {"policy.handoff_mode": ("catch_up", "the other published mode")}),
    BY_KV: Case(
        PDD,
        {
            "line.timeout_share": (
                0.003, "assumed: the longest transfer of the claim needs a retransmission",
            ),
        },
        "2,000 prompts of 100 tokens, one a second, so that none waits for another",
    ),
    BY_IDS: Case(
        PDD,
        {
            "policy.handoff_mode": ("one_shot", "all 100 ids at once, as measured"),
            "policy.handoff_phase": ("uniform", "the deviation of the claim is that of the phase"),
            "main_decode.instances": (1, "one MD instance is measured, at a batch of 10"),
        },
        "10 requests that MD always decodes, and beside them relayed ones until 2,000 have been "
        "handed over with just 100 eager tokens",
    ),
    ALLOWED: Case("p_rld_collapse"),
    EXCLUDED: Case("p_rld_collapse", {"policy.p_rld": (False, "the published rule, beside it")}),
    ALIGNED: Case(
        "p_rld_collapse",
        {"policy.drc_held_aligned": (True, "thought experiment: the lag is the whole cause")},
    ),
    SWING: Case("relay_swing"),
    FLOOD: Case("singular_flood"),
    FILTERED: Case(
        "singular_flood", {"policy.singular_filter": (True, "the published filter, turned on")}
    ),
}  # fmt: skip
"""All cases by name."""


@cache
def scenario_of(name: str) -> Scenario:
    """The scenario of a case; its sources tell the reason of each change. KeyError if unknown."""
    case = CASES[name]
    shipped = load(shipped_folder() / f"{case.shipped}.yaml")
    if not case.changes:
        return shipped
    changed = with_settings(shipped, {path: value for path, (value, _) in case.changes.items()})
    reasons = {path: reason for path, (_, reason) in case.changes.items()}
    return changed.model_copy(update={"sources": {**changed.sources, **reasons}})
