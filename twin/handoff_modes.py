"""One-shot, catch-up and automatic handoff on the same requests: gaps, RLD's time, MD's steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .engine.recorder import REQUEST_COLUMNS
from .engine.simulation import Simulation
from .engine.summary import summarize
from .errors import Problem, RunError
from .handoff_lab import Mode
from .result import Quantiles
from .scenario import Scenario
from .scenario_file import with_settings

MODES: tuple[Mode, ...] = ("one_shot", "catch_up", "auto")


@dataclass(frozen=True)
class ModeRun:
    """A run with one mode, over its measured window.

    `gaps_s` are the waits of all handoffs that the user sees, sorted; `relay_s` is the mean time
    that RLD streams one relayed request, `relay_slots` its share of slots in use, `itl_s` the time
    between tokens on both pools, weighted by tokens.
    """

    mode: Mode
    gaps_s: NDArray[np.float64]
    gap: Quantiles
    handoffs: int
    relay_s: float | None
    relay_slots: float | None
    rld_token_share: float | None
    itl_s: Quantiles
    total_s: Quantiles
    sla_ok_share: float | None


def mode_runs(
    scenario: Scenario,
    seed: int = 0,
    modes: Sequence[Mode] = MODES,
    auto_tokens: int | None = None,
    ids_per_step: int | None = None,
) -> list[ModeRun]:
    """Run `scenario` once with each mode; threshold and ids per step are as given, or as stated.

    RunError without relay decode.
    """
    if scenario.relay_decode is None:
        remedy = "a handoff needs relay decode: choose another deployment"
        raise RunError(Problem("relay_decode", "absent", remedy))
    changes: dict[str, Any] = {}
    if auto_tokens is not None:
        changes["policy.handoff_auto_tokens"] = auto_tokens
    if ids_per_step is not None:
        changes["policy.handoff_ids_per_step"] = ids_per_step
    return [
        _mode_run(with_settings(scenario, changes | {"policy.handoff_mode": mode}), mode, seed)
        for mode in modes
    ]


def _mode_run(scenario: Scenario, mode: Mode, seed: int) -> ModeRun:
    sim = Simulation(scenario, seed=seed, total=scenario.run.requests)
    sim.advance_to_end()
    said = summarize(sim, series=False)
    rows = sim.recorder.arrived_between(said.window.from_s, said.window.to_s)
    gaps = rows[:, REQUEST_COLUMNS.index("gap")]
    handed = gaps >= 0
    relay = rows[handed, REQUEST_COLUMNS.index("relay")]
    return ModeRun(
        mode, np.sort(gaps[handed]), said.handoff_gap_s, int(handed.sum()),
        float(relay.mean()) if len(relay) else None, said.utilisation.relay_slots,
        said.rld_token_share, said.itl_s, said.total_s, said.sla_ok_share,
    )  # fmt: skip
