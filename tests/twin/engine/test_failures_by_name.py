"""Each failure and turn by name: L1, L3, L4 and L12 hold all along, and no request is lost."""

from __future__ import annotations

import numpy as np
import pytest

from tests.deployments import shipped
from tests.disturbances import DISTURBANCES, disturbed
from tests.given_requests import columns
from tests.invariants import check
from twin.engine.simulation import Simulation

BUSY = {
    "workload.clients": 140, "workload.think_s": 25, "caches.slot_context_tokens": 250_000,
    "policy.relay_threshold_s": 0.3, "run.requests": 1500,
}  # fmt: skip
"""Slots for 16 requests on RLD and 26 on each MD instance, so that queues form."""


@pytest.mark.parametrize("name", list(DISTURBANCES))
def test_nothing_is_lost(name: str) -> None:
    sim = Simulation(shipped("pdd_43a_32b", BUSY), seed=6, total=1500)
    line = sim.pipeline.line
    assert line is not None
    at, sent, capacity = 0.0, 0.0, line.capacity
    for _ in disturbed(sim, DISTURBANCES[name], 120.0, 200.0, 1.5):
        check(sim)  # L1, L12
        now_sent = line.totals(sim.now)[0]  # L3: what was in force when this step began
        assert now_sent - sent <= capacity * (sim.now - at) * (1 + 1e-9) + 1.0
        at, sent, capacity = sim.now, now_sent, 0.0 if line.cut else line.capacity
    sim.advance_to_end()
    check(sim)
    number, out, relay_made, ttft, total = columns(
        sim, "number", "out", "relay_made", "ttft", "total"
    )
    counts = sim.pipeline.counts
    assert sorted(number.tolist()) == list(range(counts["arrived"]))  # L1
    assert counts["arrived"] >= 1500
    assert out.sum() == sum((sim.pipeline.rld_tokens, sim.pipeline.md_tokens))  # L4
    assert np.all((relay_made >= 0) & (relay_made <= out))
    assert np.all((ttft > 0) & (ttft <= total + 1e-9))


def test_what_is_lost_with_an_instance_is_made_again() -> None:
    """A whole pool of MD gone: all that it decoded comes back to prefill, with its tokens."""
    sim = Simulation(shipped("pdd_43a_32b", {"line.bandwidth_gbps": 40}), seed=6, total=3000)
    sim.advance(300.0)
    used = sum(i.used for i in sim.pipeline.main.instances)
    assert used > 20
    for n in range(4):
        sim.happen("instance_lost", "main_decode", n)
        check(sim)
    assert sim.pipeline.counts["redone"] == used
    assert sum(i.used for i in sim.pipeline.main.instances) == 0
    told = {j.number: (j.made, j.first) for j in sim.pipeline.live.values() if j.redone}
    assert sum(made > 0 for made, _ in told.values()) > 10
    for n in range(4):
        sim.happen("instance_back", "main_decode", n)
    sim.advance_to_end()
    number, arrival, ttft = columns(sim, "number", "arrival", "ttft")
    first = dict(zip(number.tolist(), (arrival + ttft).tolist(), strict=True))
    for n, (made, at) in told.items():
        if made:  # what the user has seen stays: the first token is not told twice
            assert first[n] == pytest.approx(at, abs=1e-9)
