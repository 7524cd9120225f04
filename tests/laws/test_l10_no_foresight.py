"""L10: no decision reads a true output length."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any, ClassVar

import numpy as np
import pytest

from tests.deployments import shipped
from tests.given_requests import ListLoad, request
from twin.engine import arrivals
from twin.engine.journey import Journey
from twin.engine.simulation import Simulation

MADE_BY = {
    "join": "a batch member's end",
    "whole_tokens": "RLD stops a token before the end",
    "relay_timer": "RLD is at the end",
    "main_timer": "MD is at the end",
    "finished": "what is recorded, and m_s = L + out",
    "_finish": "tokens are counted",
}
"""Functions that carry decoding out, or keep the books of what is over."""

EVERYTHING = {
    "workload.clients": 60, "workload.think_s": 5, "workload.singular": {"share": 0.1},
    "policy.singular_filter": True, "policy.p_rld": True, "policy.p_rld_threshold_s": 3.0,
    "policy.load_gate": True, "policy.load_gate_high": 8, "policy.handoff_load_switch": False,
    "policy.in_flight_deduplication": True, "policy.cancel_finished_transfer": True,
    "caches.drc_tb": 0.3, "caches.slot_context_tokens": 400_000, "run.requests": 800,
}  # fmt: skip


class Watched(Journey):
    """A request that notes who reads its true output length."""

    __slots__ = ("true_out",)
    readers: ClassVar[Counter[str]] = Counter()

    @property
    def out(self) -> int:  # type: ignore[override]
        Watched.readers[sys._getframe(1).f_code.co_name] += 1
        return self.true_out

    @out.setter
    def out(self, value: int) -> None:
        self.true_out = value


def test_only_what_carries_decoding_out_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "Journey", Watched)
    monkeypatch.setattr(Watched, "readers", Counter())
    scenario = shipped("pdd_43a_32b", EVERYTHING)
    sim = Simulation(scenario, seed=2, total=scenario.run.requests)
    sim.advance_to_end()
    counts = sim.pipeline.counts
    assert counts["finished"] == 800
    for kind in ("routed_main", "routed_relay", "routed_local", "routed_filtered"):
        assert counts[kind] > 10, kind
    assert set(Watched.readers) <= set(MADE_BY)
    assert Watched.readers["join"] >= 800


def _decisions(sim: Simulation) -> list[tuple[Any, ...]]:
    """Everything that was decided so far, of every request."""
    return [
        (j.number, j.stage, j.pipeline, j.p_instance, j.r_instance, j.m_instance, j.flow,
         j.prefill_end, j.ready, j.joined, j.landed, j.handoff_made, j.handoff_gap, j.estimate,
         j.due)
        for j in sim.pipeline.live.values()
    ]  # fmt: skip


def _asked(longer: float, settings: dict[str, Any]) -> Simulation:
    """120 requests in 8 s whose answers are `longer` times as long; predictions stay."""
    rng = np.random.default_rng(3)
    given = []
    for n in range(120):
        out = int(rng.integers(500, 1200))
        prompt = float(rng.integers(1000, 30_000))
        hit = prompt * float(rng.random())
        a, b, c, d = rng.random(4).tolist()
        asked = request(prompt, int(out * longer), hit, n % 40, n < 40, out * 0.9, (a, b, c, d))
        given.append((n / 15, asked))
    return Simulation(shipped("pdd_43a_32b", settings), ListLoad(given))


@pytest.mark.parametrize("mode", ["one_shot", "catch_up", "auto"])
def test_until_the_first_end_nothing_depends_on_it(mode: str) -> None:
    settings = {
        **EVERYTHING, "policy.handoff_mode": mode, "prefill.instances": 30,
        "policy.singular_max_output_tokens": 600,
    }  # fmt: skip
    told, longer = _asked(1.0, settings), _asked(1.6, settings)
    seen = []
    while True:
        told.advance(told.now + 0.1)
        if told.pipeline.counts["finished"]:
            break
        longer.advance(told.now)
        seen = _decisions(told)
        assert seen == _decisions(longer)
    assert told.now > 5.0
    kinds = Counter(decided[2] for decided in seen)
    assert len(kinds) >= 3  # P-MD, P-RLD-MD, and some kept on RLD
    assert any(decided[11] > 0 for decided in seen)  # and handoffs
