"""Cumulative curves of a run: how long each share of its requests had to wait."""

from __future__ import annotations

import numpy as np

from .recorder import REQUEST_COLUMNS
from .simulation import Simulation
from .summary import measured_window

SHARES = (*(i / 100 for i in range(1, 100)), 0.995, 0.999)
"""Shares of the requests at which a curve is told."""

TTFT = REQUEST_COLUMNS.index("ttft")


def ttft_curve(sim: Simulation) -> list[float] | None:
    """TTFT in s within which each of SHARES of the measured requests has its first token.

    None without a request that finished within the measured window.
    """
    rows = sim.recorder.arrived_between(*measured_window(sim))
    if not len(rows):
        return None
    return np.quantile(rows[:, TTFT], SHARES).tolist()
