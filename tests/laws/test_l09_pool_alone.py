"""L9: a pool alone with one slot is M/G/1: W = lambda E[S^2] / (2 (1 - load))."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.deployments import round_same_site
from tests.given_requests import StreamLoad, columns, request
from tests.laws.judged import Estimate, over_batches
from twin.engine.simulation import Simulation

REQUESTS = 12_000
SEEDS = 3

DECODE_ALONE = {
    "model.active_params_b": 1e-9,
    "prefill.chip.peak_tflops": 1e5,
    "datacenter_a.rdma_setup_ms": 0,
    "datacenter_a.rdma_gbytes_per_s": 1e6,
}
"""Prefill and RDMA of no time: requests come to the one decode slot as they arrive."""


def waits(
    settings: dict[str, Any], stage: str, rate_rps: float, prompts: np.ndarray, outs: np.ndarray
) -> Estimate:
    """Mean wait at a stage under a Poisson stream, over all seeds; the first tenth left out."""
    scenario = round_same_site(settings, slots=1)
    pooled = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        gaps = rng.exponential(1 / rate_rps, REQUESTS).tolist()
        prompt = rng.choice(prompts, REQUESTS).tolist()
        out = rng.choice(outs, REQUESTS).tolist()

        def make(
            n: int, gaps: list[float] = gaps, prompt: list[float] = prompt, out: list[int] = out
        ) -> Any:
            return gaps[n], request(prompt[n], out[n], session=n)

        sim = Simulation(scenario, StreamLoad(make, REQUESTS))
        sim.advance_to_end()
        number, wait = columns(sim, "number", stage)
        pooled.append(wait[np.argsort(number)][REQUESTS // 10 :])
    return over_batches(np.concatenate(pooled), 60)


def expected(rate_rps: float, services: np.ndarray) -> float:
    load = rate_rps * services.mean()
    return float(rate_rps * (services**2).mean() / (2 * (1 - load)))


@pytest.mark.parametrize("load", [0.4, 0.8])
@pytest.mark.parametrize("outs", [[100], [20, 20, 20, 340]], ids=["equal", "unequal"])
def test_one_decode_slot(outs: list[int], load: float) -> None:
    """A token takes 10 ms whatever the context, so a request holds the slot for out x 10 ms."""
    services = np.array(outs) * 0.01
    rate = load / services.mean()
    waited = waits(DECODE_ALONE, "queue_slot", rate, np.array([10.0]), np.array(outs))
    assert waited.error < 0.1 * waited.mean
    assert waited.agrees_with(expected(rate, services)), (expected(rate, services), waited)


@pytest.mark.parametrize("prompts", [[1000.0], [100.0, 100.0, 2800.0]], ids=["equal", "unequal"])
def test_one_prefill_instance(prompts: list[float]) -> None:
    """Prefill computes 2,500 tokens/s, one request after the other. Decode takes no time."""
    services = np.array(prompts) / 2500
    rate = 0.7 / services.mean()
    quick = {"main_decode.chip.memory_tbytes_per_s": 1000, "main_decode.chip.memory_gb": 5000}
    waited = waits(quick, "queue_p", rate, np.array(prompts), np.array([1]))
    assert waited.agrees_with(expected(rate, services)), (expected(rate, services), waited)


def test_two_slots_are_one_queue() -> None:
    """M/D/2 waits less than half of M/D/1 at the same load: nobody waits beside a free slot."""
    two = {**DECODE_ALONE, "main_decode.instances": 2}
    one = waits(DECODE_ALONE, "queue_slot", 0.8, np.array([10.0]), np.array([100]))
    both = waits(two, "queue_slot", 1.6, np.array([10.0]), np.array([100]))
    assert both.below(one.mean * 0.55)
