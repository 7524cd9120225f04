"""L12: slots never above capacity and zero after drain; each cache within its own bound."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import shipped
from tests.invariants import check
from tests.laws.runs import moments, reached
from tests.small_scenarios import scenarios
from twin.engine.pools import DRAINING
from twin.engine.recorder import SAMPLE_COLUMNS
from twin.scenario import Scenario, decode_slots


@settings(max_examples=60)
@given(scenarios(), st.integers(0, 3))
def test_at_every_moment(scenario: Scenario, seed: int) -> None:
    for sim in moments(scenario, seed, 4.0):
        check(sim)
    p = sim.pipeline
    for pool, described in ((p.main, scenario.main_decode), (p.relay, scenario.relay_decode)):
        if pool is None or described is None:
            continue
        slots = decode_slots(described, scenario.model, scenario.caches)
        for instance in pool.instances:
            assert instance.slots == slots
            assert (instance.used, instance.batch, instance.context) == (0, 0, 0.0)
            held_s = instance.slot_seconds(sim.now)
            assert -1e-6 <= held_s <= slots * sim.now * (1 + 1e-9)


def test_a_loaded_pool_uses_its_last_slot_and_no_more() -> None:
    """So many that both queues fill: RLD has 5 slots, MD 9 an instance."""
    settings = {
        "caches.slot_context_tokens": 700_000, "workload.clients": 400, "prefill.instances": 40,
        "line.bandwidth_gbps": None, "policy.relay_threshold_s": 0,
    }  # fmt: skip
    sim = reached(shipped("pdd_43a_32b", settings), 1, 0.0)
    while sim.now < 400.0:
        sim.advance(sim.now + 2.0)
        check(sim)
    relay, main = sim.pipeline.relay, sim.pipeline.main
    assert relay is not None
    assert [i.used for i in main.instances] == [9, 9, 9, 9]
    assert [i.used for i in relay.instances] == [5]
    assert len(main.queue) > 10
    assert len(relay.queue) > 5


def test_drained_instances_empty_themselves_and_take_no_more() -> None:
    sim = reached(shipped("pdd_43a_32b"), 1, 300.0)
    sim.turn("main_decode.instances", 3)
    drained = sim.pipeline.main.instances[3]
    assert drained.state == DRAINING
    used = drained.used
    assert used > 0
    while drained.used:
        sim.advance(sim.now + 0.5)
        check(sim)
        assert drained.used <= used
        used = drained.used
    sim.advance(sim.now + 100)
    assert (drained.used, drained.batch) == (0, 0)


def test_cache_is_full_but_not_beyond() -> None:
    sim = reached(shipped("pdd_43a_32b", {"caches.drc_tb": 0.4}), 1, 2000.0)
    held = sim.recorder.series()[:, SAMPLE_COLUMNS.index("drc_bytes")]
    assert held.max() <= 0.4e12
    assert held.max() > 0.38e12
    assert sim.pipeline.drc.evictions > 100
