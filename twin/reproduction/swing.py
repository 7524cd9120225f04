"""Claim C18: two simulated hours, and how local share, cache lag, batch and flows move together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..averages import correlation
from ..engine.recorder import SAMPLE_COLUMNS
from ..engine.simulation import SAMPLE_EVERY_S, Simulation
from ..engine.summary import measured_window, summarize
from ..scenario import Scenario

Course = NDArray[np.float64]

BLOCK_S = 240.0
"""Shares are taken over blocks of this length."""

LATE_S = 2880.0
"""What a run has come to is the mean of its last 48 minutes."""


class Settled(NamedTuple):
    """What a long run shows; shares from 0 to 1, a correlation is None where one side is still.

    `local` and `lag` (P hit - MD hit) are those at the end; `together` is the correlation of the
    two over the whole run, `batch_with_flows` that of RLD's batch and the line's flows in samples
    of 5 s, once the run is measured.
    """

    sla_ok_share: float | None
    local: float
    lag: float
    together: float | None
    batch_with_flows: float | None


def settled(scenario: Scenario, seed: int) -> Settled:
    """The run of a scenario with a `duration_s`."""
    sim = Simulation(scenario, seed=seed)
    sim.advance_to_end()
    samples = sim.recorder.series()
    local, lag = _over_blocks(samples)
    late = int(LATE_S / BLOCK_S)
    measured = samples[samples[:, 0] >= measured_window(sim)[0]]
    return Settled(
        sla_ok_share=summarize(sim, series=False).sla_ok_share,
        local=float(local[-late:].mean()),
        lag=float(lag[-late:].mean()),
        together=correlation(local, lag),
        batch_with_flows=correlation(_of(measured, "relay_batch"), _of(measured, "line_flows")),
    )


def _of(samples: Course, name: str) -> Course:
    return samples[:, SAMPLE_COLUMNS.index(name)]


def _over_blocks(samples: Course) -> tuple[Course, Course]:
    """Share of arrivals that are finished locally, and P hit - MD hit, of each block."""
    ends = samples[:: int(BLOCK_S / SAMPLE_EVERY_S)]

    def grown(name: str) -> Course:
        return np.diff(_of(ends, name))

    lag = (grown("hit_tokens") - grown("md_hit_tokens")) / grown("prompt_tokens")
    return grown("routed_local") / grown("arrived"), lag
