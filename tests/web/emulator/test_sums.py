"""Sum laws: what the pages count is what the engine did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.deployments import shipped
from tests.web.emulator.pages import FakeClock, of_role
from twin.engine import checkpoint
from twin.engine.journey import MAIN
from twin.engine.observer import MD, RLD, P
from twin.engine.recorder import REQUEST_COLUMNS
from twin.engine.simulation import Simulation
from twin.engine.summary import summarize_window
from web.emulator.cluster import Cluster

SPAN_S = 1750.0
"""Half an hour is what the engine's record keeps."""

COLUMN = {name: i for i, name in enumerate(REQUEST_COLUMNS)}


@dataclass
class Totals:
    """The engine's own running totals, whole tokens of live requests included."""

    arrived: int
    rld: int
    md: int
    asked: float
    crossing: float
    sent: float
    prompt: float
    hit: float
    md_hit: float

    def since(self, other: Totals) -> Totals:
        return Totals(*(a - b for a, b in zip(vars(self).values(), vars(other).values())))  # noqa: B905


def totals(sim: Simulation) -> Totals:
    """Taken from a copy whose batches are settled, by the engine's own count of whole tokens."""
    p = checkpoint.restore(checkpoint.capture(sim)).pipeline
    now, line = p.clock.now, p.line
    rld, md = p.rld_tokens, p.md_tokens
    assert line is not None and p.relay is not None
    for pool in (p.relay, p.main):
        for instance in pool.instances:
            pool.settle(instance, now)
    for j in p.live.values():
        made = 0
        if j.stage == MAIN:
            made = p.whole_tokens(j, p.main.instances[j.m_instance], now) - j.made
            md += made + j.made - j.relay_made
        elif j.r_instance >= 0:
            made = p.whole_tokens(j, p.relay.instances[j.r_instance], now) - j.made
            rld += made
        rld += j.relay_made
    crossing = sum(flow.nbytes for flow in line.flows.values())
    return Totals(
        p.counts["arrived"], rld, md, line.asked_bytes, crossing, line.totals(now)[0],
        p.prompt_tokens, p.hit_tokens, p.md_hit_tokens,
    )  # fmt: skip


@pytest.fixture(scope="module")
def ran():
    """A cluster after half an hour, and what the engine's totals grew by; MD's cache is small."""
    clock = FakeClock()
    scenario = shipped("pdd_43a_32b", {"caches.drc_tb": 0.3, "workload.clients": 100})
    cluster = Cluster(scenario, 1, clock, warm_s=900)
    before = totals(cluster.sim)
    inside = len(cluster.sim.pipeline.live)
    clock.now += SPAN_S
    cluster.advance_to(clock.now)
    return cluster, totals(cluster.sim).since(before), inside


def engine(cluster, role, name, **labels):
    return of_role(cluster, role, f"vllm:{name}", **labels)


def user(cluster, name):
    return of_role(cluster, "frontend", f"dynamo_frontend_{name}")


def test_what_came_is_what_the_engine_started(ran):
    cluster, grown, inside = ran
    assert grown.arrived > 2000
    assert user(cluster, "requests_started_total") == grown.arrived + inside
    answered = user(cluster, "requests_total")
    assert answered == user(cluster, "request_duration_seconds_count")
    active = user(cluster, "active_requests")
    assert active == len(cluster.sim.pipeline.live)
    assert user(cluster, "requests_started_total") == answered + active


def test_tokens_of_rld_and_md_are_those_of_users(ran):
    cluster, grown, _ = ran
    assert engine(cluster, RLD, "generation_tokens_total") == grown.rld > 0
    assert engine(cluster, MD, "generation_tokens_total") == grown.md > 0
    assert user(cluster, "output_tokens_total") == grown.rld + grown.md


def test_transfers_to_md_are_what_came_over_the_line(ran):
    cluster, grown, _ = ran
    landed = grown.asked - grown.crossing
    assert engine(cluster, MD, "nixl_bytes_transferred_sum") == pytest.approx(landed, rel=1e-9)
    wan = of_role(cluster, "line", "node_network_transmit_bytes_total", device="wan0")
    assert wan == pytest.approx(grown.sent, abs=1)
    assert abs(wan - landed) <= cluster.sim.pipeline.kv_per_token * 64_000 * 20


def test_kv_bytes_per_token_are_the_models(ran):
    cluster, _, _ = ran
    for role in (RLD, MD):
        nbytes = engine(cluster, role, "nixl_bytes_transferred_sum")
        name = "prompt_tokens_by_source_total"
        tokens = engine(cluster, role, name, source="external_kv_transfer")
        assert nbytes / tokens == pytest.approx(46_488, rel=1e-6)


def test_hits_at_p_are_those_of_the_result(ran):
    cluster, grown, _ = ran
    hits = engine(cluster, P, "prefix_cache_hits_total")
    queries = engine(cluster, P, "prefix_cache_queries_total")
    assert queries == pytest.approx(grown.prompt, abs=5)  # each engine shows whole tokens
    assert hits == pytest.approx(grown.hit, abs=5)
    now = cluster.sim.now
    result = summarize_window(cluster.sim, now - 1500, now)
    assert hits / queries == pytest.approx(result.p_hit, abs=0.01)


def test_what_md_holds_is_its_hit(ran):
    cluster, grown, _ = ran
    name = "prompt_tokens_by_source_total"
    held = engine(cluster, MD, name, source="local_cache_hit")
    fetched = engine(cluster, MD, name, source="external_kv_transfer")
    assert grown.md_hit < grown.hit - 0.01 * grown.prompt
    assert held / (held + fetched) == pytest.approx(grown.md_hit / grown.prompt, abs=2e-3)
    now = cluster.sim.now
    result = summarize_window(cluster.sim, now - 1500, now)
    assert held / (held + fetched) == pytest.approx(result.md_hit, abs=0.01)


def finished(cluster):
    """Rows of the requests that ended since the pages began."""
    table = cluster.sim.recorder.table()
    return {name: table[:, i] for name, i in COLUMN.items()}


def test_handed_over_ids_are_computed_at_md(ran):
    cluster, _, _ = ran
    name = "prompt_tokens_by_source_total"
    ids = engine(cluster, MD, name, source="local_compute")
    handed = np.where(finished(cluster)["relay_made"] < finished(cluster)["out"],
                      finished(cluster)["relay_made"], 0).sum()  # fmt: skip
    assert ids == pytest.approx(handed, rel=0.01)
    prompts = engine(cluster, MD, "prompt_tokens_total")
    assert prompts == pytest.approx(
        ids + sum(engine(cluster, MD, name, source=s)
                  for s in ("local_cache_hit", "external_kv_transfer")), abs=5,
    )  # fmt: skip


def test_times_at_p_are_those_of_the_requests(ran):
    cluster, _, _ = ran
    rows = finished(cluster)
    for name, column in (("queue", "queue_p"), ("prefill", "prefill")):
        family = f"request_{name}_time_seconds"
        mean = engine(cluster, P, f"{family}_sum") / engine(cluster, P, f"{family}_count")
        assert mean == pytest.approx(rows[column].mean(), rel=0.01)


def test_users_wait_as_the_engine_says(ran):
    cluster, _, _ = ran
    rows = finished(cluster)
    seen = user(cluster, "time_to_first_token_seconds_count")
    mean = user(cluster, "time_to_first_token_seconds_sum") / seen
    assert mean == pytest.approx(rows["ttft"].mean(), rel=0.01)
    mean = user(cluster, "request_duration_seconds_sum") / user(cluster, "requests_total")
    assert mean == pytest.approx(rows["total"].mean(), rel=0.01)
    assert user(cluster, "input_sequence_tokens_count") == seen


def test_the_gaps_users_see_fill_the_time_after_the_first_token(ran):
    """Handoffs included: one gap for each token but the first."""
    cluster, grown, _ = ran
    rows = finished(cluster)
    gaps = user(cluster, "inter_token_latency_seconds_count")
    firsts = user(cluster, "time_to_first_token_seconds_count")
    assert gaps == pytest.approx(grown.rld + grown.md - firsts, abs=len(cluster.sim.pipeline.live))
    mean = user(cluster, "inter_token_latency_seconds_sum") / gaps
    after = (rows["total"] - rows["ttft"]).sum() / (rows["out"] - 1).sum()
    assert mean == pytest.approx(after, rel=2e-3)
    own = sum(engine(cluster, role, "inter_token_latency_seconds_sum") for role in (RLD, MD))
    assert own < user(cluster, "inter_token_latency_seconds_sum")


def test_itl_of_each_pool_is_counted_once_a_token(ran):
    cluster, _, _ = ran
    for role in (RLD, MD):
        made = engine(cluster, role, "generation_tokens_total")
        firsts = engine(cluster, role, "time_to_first_token_seconds_count")
        gaps = engine(cluster, role, "inter_token_latency_seconds_count")
        assert gaps == pytest.approx(made - firsts, abs=60)
        steps = engine(cluster, role, "iteration_tokens_total_sum")
        assert steps == pytest.approx(made, rel=0.02)


def test_gauges_are_the_state(ran):
    cluster, _, _ = ran
    p = cluster.sim.pipeline
    assert p.relay is not None and p.line is not None
    for role, pool in ((RLD, p.relay), (MD, p.main)):
        assert engine(cluster, role, "num_requests_running") == sum(i.batch for i in pool.instances)
    assert 0 < engine(cluster, MD, "kv_cache_usage_perc") < 4
    crossing = engine(cluster, MD, "num_requests_kv_fetch_by_stage", stage="in_progress")
    assert crossing == len(p.line.flows)
    busy = sum(i.free_s > p.clock.now for i in p.prefill.instances)
    assert engine(cluster, P, "num_requests_running") == busy
