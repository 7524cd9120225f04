"""What is true of the cluster, hidden from whoever reads its pages: for demos and tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from twin.engine.recorder import REQUEST_COLUMNS, SAMPLE_COLUMNS
from twin.engine.simulation import Simulation
from twin.engine.tiles import tiles

COLUMN = {name: i for i, name in enumerate(REQUEST_COLUMNS)}
SAMPLE = {name: i for i, name in enumerate(SAMPLE_COLUMNS)}


def truth(sim: Simulation, window_s: float) -> dict[str, Any]:
    """The true scenario, and true figures over the last `window_s` simulated s; None: unknown.

    Rates in 1/s and bytes/s of simulated time, lengths in tokens. The record reaches back to the
    start of the cluster, and half an hour at most.
    """
    now = sim.now
    samples = sim.recorder.series()
    begin = max(now - window_s, float(samples[0, 0]) if len(samples) else now)
    return {
        "scenario": sim.scenario.model_dump(mode="json"),
        "digest": sim.scenario.digest(),
        "simulated_s": now,
        "figures": {**_rates(samples, begin), **_requests(sim, begin), **tiles(sim, begin, now)},
    }


def _rates(samples: np.ndarray, begin: float) -> dict[str, float | None]:
    span = samples[samples[:, 0] >= begin]
    seconds = float(span[-1, 0] - span[0, 0]) if len(span) > 1 else 0.0

    def rate(name: str) -> float | None:
        if seconds <= 0:
            return None
        return float(span[-1, SAMPLE[name]] - span[0, SAMPLE[name]]) / seconds

    def mean(name: str) -> float | None:
        return float(span[:, SAMPLE[name]].mean()) if len(span) else None

    return {
        "arrival_rps": rate("arrived"),
        "line_bytes_per_s": rate("line_bytes"),
        "relay_batch": mean("relay_batch"),
        "main_batch": mean("main_batch"),
        "line_flows": mean("line_flows"),
    }


def _requests(sim: Simulation, begin: float) -> dict[str, float | None]:
    rows = sim.recorder.arrived_between(begin, sim.now)

    def mean(name: str) -> float | None:
        return float(rows[:, COLUMN[name]].mean()) if len(rows) else None

    prompt = float(rows[:, COLUMN["prompt"]].sum()) if len(rows) else 0.0
    return {
        "prompt_tokens_mean": mean("prompt"),
        "output_tokens_mean": mean("out"),
        "total_mean_s": mean("total"),
        "ttft_mean_s": mean("ttft"),
        "p_hit_of_finished": float(rows[:, COLUMN["hit"]].sum()) / prompt if prompt else None,
        "md_hit_of_finished": float(rows[:, COLUMN["md_hit"]].sum()) / prompt if prompt else None,
        "kv_bytes_per_token": sim.scenario.model.kv_bytes_per_token,
    }
