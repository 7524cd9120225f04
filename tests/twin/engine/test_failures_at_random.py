"""Failures, turns, copies and time in any order: nothing is lost, nothing is counted twice."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.deployments import shipped
from tests.given_requests import columns
from tests.invariants import check
from tests.small_scenarios import POOL_SIZES, TURNS
from twin.engine.checkpoint import capture, digest, pack, restore, unpack
from twin.engine.simulation import Simulation
from twin.engine.summary import TOTAL_STAGES, TTFT_STAGES

POOLS = ("prefill", "relay_decode", "main_decode")

BUSY = {
    "prefill.instances": 2, "relay_decode.instances": 2, "main_decode.instances": 3,
    "workload.clients": 40, "workload.think_s": 1, "workload.output_tokens_mean": 150,
    "workload.prompt_tokens_mean": 20_000, "caches.slot_context_tokens": 700_000,
    "caches.drc_tb": 0.02, "policy.p_rld": True, "policy.p_rld_threshold_s": 3.0,
    "policy.load_gate": True, "policy.load_gate_high": 5, "policy.relay_threshold_s": 0.2,
    "policy.handoff_load_switch": True, "line.bandwidth_gbps": 6, "line.timeout_share": 0.05,
}  # fmt: skip
"""5 slots on an RLD instance, 9 on an MD instance: queues everywhere."""

REQUESTS = 400


class AnythingCanHappen(RuleBasedStateMachine):
    """A small busy deployment to which anything happens."""

    @initialize(seed=st.integers(0, 9), published=st.booleans())
    def begin(self, seed: int, published: bool) -> None:
        settings = dict(BUSY)
        if published:
            settings |= {"policy.p_rld": False, "policy.load_gate": False}
        self.scenario = shipped("pdd_43a_32b", settings)
        self.sim = Simulation(self.scenario, seed=seed, total=REQUESTS)
        self.lost: set[tuple[str, int]] = set()
        self.cut = False

    @rule(seconds=st.floats(0.001, 20.0))
    def advance(self, seconds: float) -> None:
        line = self.sim.pipeline.line
        assert line is not None
        start, sent = self.sim.now, line.totals(self.sim.now)[0]
        capacity = 0.0 if line.cut else line.capacity
        self.sim.advance(start + seconds)
        passed = line.totals(self.sim.now)[0] - sent  # L3: bytes <= bandwidth x time
        assert passed <= capacity * seconds * (1 + 1e-9) + 1.0

    @rule(turn=st.one_of(*TURNS, *POOL_SIZES))
    def turn(self, turn: dict[str, Any]) -> None:
        self.sim.turn(turn["setting"], turn["value"])

    @rule(clients=st.integers(5, 60))
    def turn_load(self, clients: int) -> None:
        self.sim.turn("workload.clients", clients)

    @rule(pool=st.sampled_from(POOLS), instance=st.integers(0, 1))
    def lose(self, pool: str, instance: int) -> None:
        if (pool, instance) not in self.lost:
            named = {"prefill": self.sim.pipeline.prefill, "relay_decode": self.sim.pipeline.relay,
                     "main_decode": self.sim.pipeline.main}[pool]  # fmt: skip
            assert named is not None
            if instance < len(named.instances) and named.instances[instance].state != 2:
                self.sim.happen("instance_lost", pool, instance)
                self.lost.add((pool, instance))

    @precondition(lambda self: self.lost)
    @rule(data=st.data())
    def bring_back(self, data: st.DataObject) -> None:
        pool, instance = data.draw(st.sampled_from(sorted(self.lost)))
        self._back(pool, instance)

    def _back(self, pool: str, instance: int) -> None:
        self.lost.discard((pool, instance))
        named = {"prefill": self.sim.pipeline.prefill, "relay_decode": self.sim.pipeline.relay,
                 "main_decode": self.sim.pipeline.main}[pool]  # fmt: skip
        assert named is not None
        if named.instances[instance].state != 0:
            self.sim.happen("instance_back", pool, instance)

    @rule()
    def cut_or_mend_the_line(self) -> None:
        self.cut = not self.cut
        self.sim.happen("line_cut" if self.cut else "line_back")

    @rule()
    def copy(self) -> None:
        copied = restore(unpack(pack(capture(self.sim))))
        assert digest(copied) == digest(self.sim)
        copied.recorder.remember(self.sim.recorder.memory())
        self.sim = copied

    @invariant()
    def everything_is_in_order(self) -> None:
        check(self.sim)

    def teardown(self) -> None:
        """All is mended and the load goes on to its end: every request is served once."""
        if not hasattr(self, "sim"):
            return
        sim = self.sim
        if self.cut:
            sim.happen("line_back")
        for pool, instance in sorted(self.lost):
            self._back(pool, instance)
        for turn, value in (("workload.clients", 40), ("line.bandwidth_gbps", 100.0)):
            sim.turn(turn, value)
        sim.advance_to_end()
        check(sim)
        self._accounted_for()

    def _accounted_for(self) -> None:
        sim = self.sim
        p = sim.pipeline
        number, arrival, ttft, total, out, relay_made = columns(
            sim, "number", "arrival", "ttft", "total", "out", "relay_made"
        )
        assert sorted(number.tolist()) == list(range(p.counts["arrived"]))  # L1
        assert p.counts["finished"] == p.counts["arrived"] >= REQUESTS
        assert np.all((ttft > 0) & (ttft <= total + 1e-9))  # L2
        assert np.abs(sum(columns(sim, *TTFT_STAGES)) - ttft).max() < 1e-6
        assert np.abs(sum(columns(sim, *TOTAL_STAGES)) - total).max() < 1e-6
        for name, stage in zip(TOTAL_STAGES, columns(sim, *TOTAL_STAGES), strict=True):
            assert stage.min() > -1e-9, name
        assert np.all((relay_made >= 0) & (relay_made <= out))  # L4
        assert out.sum() == sum((p.rld_tokens, p.md_tokens))
        assert relay_made.sum() == p.rld_tokens
        for pool in (p.main, p.relay):  # L12
            assert pool is not None
            assert all(i.used == i.batch == 0 and i.context == 0.0 for i in pool.instances)
        assert not p.live
        assert not p.homeless
        assert arrival.min() >= 0


def test_anything_can_happen() -> None:
    run_state_machine_as_test(
        AnythingCanHappen, settings=settings(max_examples=60, stateful_step_count=40)
    )
