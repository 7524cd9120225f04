"""The gap a user sees at the handoff by its mode, on the same requests of a whole run."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from twin.handoff_modes import MODES, ModeRun, mode_runs
from twin.oscillation import relayed
from twin.result import Quantiles
from twin.scenario import Scenario
from twin.scenario_file import with_settings

from ..study import Arguments, Deployment, Progress, Study

MOST_POINTS = 200
"""Points of a cumulative curve."""


class Handoffs(Arguments):
    """What is run once with each mode."""

    deployment: Deployment = Field(description="A deployment with relay decode.")
    seed: int = Field(0, ge=0, le=10**6, description="The seed that all modes share.")
    requests: int = Field(8_000, ge=200, le=100_000, description="Requests of a run.")


def scenario(asked: Handoffs) -> Scenario:
    """The deployment as it is run; a TwinError when it is wrong or has no relay."""
    found = asked.deployment.read()
    relayed(found)
    return with_settings(found, {"run.requests": asked.requests, "run.duration_s": None})


def work(asked: Handoffs, progress: Progress) -> dict[str, Any]:
    """Run it once with each mode."""
    said, found = {}, scenario(asked)
    for i, mode in enumerate(MODES):
        said[mode] = as_data(mode_runs(found, asked.seed, [mode])[0])
        progress((i + 1) / len(MODES))
    return {"seeds": [asked.seed], "requests": asked.requests, "modes": said}


def as_data(run: ModeRun) -> dict[str, Any]:
    """A run as plain data: quantiles, and the cumulative curve of its gaps."""
    points = min(MOST_POINTS, len(run.gaps_s))
    shares = np.linspace(1 / points, 1, points) if points else np.empty(0)
    gaps = np.quantile(run.gaps_s, shares) if points else np.empty(0)
    return {
        "handoffs": run.handoffs, "relay_s": run.relay_s, "relay_slots": run.relay_slots,
        "rld_token_share": run.rld_token_share, "sla_ok_share": run.sla_ok_share,
        "gap_s": _quantiles(run.gap), "itl_s": _quantiles(run.itl_s),
        "total_s": _quantiles(run.total_s),
        "curve": {"gap_s": gaps.tolist(), "share": shares.tolist()},
    }  # fmt: skip


def _quantiles(told: Quantiles) -> dict[str, float | None]:
    return {name: getattr(told, name) for name in ("mean", "p50", "p90", "p99", "max")}


def check(asked: Handoffs) -> None:
    """Refuse what cannot hand over before anything is run."""
    scenario(asked)


STUDY = Study(
    "handoff", "The gap a user sees at the handoff, by its mode.", Handoffs, work, check,
    long=lambda asked: asked.requests > 50_000,
)  # fmt: skip
