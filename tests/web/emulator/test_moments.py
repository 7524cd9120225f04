"""What must hold at every moment, in deployments where much happens at once."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.deployments import round_pdd, shipped
from tests.laws.told import SETTINGS
from tests.web.emulator.pages import UNIX_S, FakeClock, of_role, total
from twin.engine.journey import HANDOFF, RELAY
from twin.engine.observer import MD, RLD, P
from twin.engine.pipeline import Pipeline
from twin.scenario import Scenario
from web.emulator.cluster import Cluster

SHORT = {"workload.output_tokens_mean": 2, "workload.output_cv": 0.9, "workload.think_s": 5}
TROUBLED = {**SETTINGS, "run": {"requests": None, "duration_s": 1e9}}
OVERLOADED = {"caches.drc_tb": 0.1, "main_decode.instances": 1, "workload.clients": 150}


def pdd(settings: dict[str, Any]) -> Scenario:
    return shipped("pdd_43a_32b", settings)


def overtaking() -> Scenario:
    """KV of 1,000 tokens is at RLD after 30 ms, at MD 10 ms later: RLD's first token is dropped."""
    lengths = {"prompt_tokens_mean": 1000, "prompt_sigma": 0, "think_s": 1, "clients": 2,
               "first_turn_hit_max": 0, "hit_shares": [1, 0, 0, 0, 0, 0, 0]}  # fmt: skip
    return round_pdd(
        {f"workload.{name}": value for name, value in lengths.items()}
        | {"line.bandwidth_gbps": 200, "policy.relay_threshold_s": 0, "caches.drc_enabled": False}
    )


def out_by_now(cluster: Cluster) -> int:
    now = cluster.sim.now
    return sum(0 <= j.first <= now for j in cluster.sim.pipeline.live.values())


@pytest.mark.parametrize(
    ("scenario", "restarts"),
    [
        (pdd(SHORT), False),
        (pdd(TROUBLED), True),
        (pdd(OVERLOADED), False),
        (overtaking(), False),
    ],
    ids=["short", "troubled", "overloaded", "overtaking"],
)
def test_users_and_gauges_at_every_moment(scenario, restarts):
    clock, draw = FakeClock(), random.Random(2)
    cluster = Cluster(scenario, 4, clock, warm_s=90)
    had_first, p = out_by_now(cluster), cluster.sim.pipeline
    assert p.relay is not None and p.line is not None
    while clock.now < UNIX_S + 300:
        clock.now += draw.choice([0.05, 1.0, 6.0])
        if restarts and draw.random() < 0.3:
            cluster.restart(draw.choice([MD, RLD]), 0, for_s=draw.choice([0.5, 4.0]))
        page = cluster.page("frontend")
        firsts = total(page, "dynamo_frontend_time_to_first_token_seconds_count")
        answered = total(page, "dynamo_frontend_requests_total")
        assert firsts + had_first == answered + out_by_now(cluster)
        waiting = total(page, "dynamo_frontend_queued_requests")
        assert waiting == len(p.live) - out_by_now(cluster)
        for role, pool in ((RLD, p.relay), (MD, p.main)):
            for i, instance in enumerate(pool.instances):
                if instance.state == 0:
                    shown = cluster.page(role, i)
                    assert total(shown, "vllm:num_requests_running") == instance.batch
                    check_waiting(cluster, shown, role, i)


def check_waiting(cluster: Cluster, page: str, role: str, instance: int) -> None:
    """Those that hold a slot without being in the batch wait for their ids."""
    by_reason = total(page, "vllm:num_requests_waiting_by_reason")
    assert total(page, "vllm:num_requests_waiting") == by_reason
    if role == MD:
        p = cluster.sim.pipeline
        held = sum(
            j.m_instance == instance and j.stage in (RELAY, HANDOFF) for j in p.live.values()
        )
        stage = "completed_waiting"
        assert total(page, "vllm:num_requests_kv_fetch_by_stage", stage=stage) == held


def over_and_crossing(cluster: Cluster) -> int:
    """Transfers under way whose request is over."""
    p = cluster.sim.pipeline
    assert p.line is not None
    return sum(flow.request not in p.live for flow in p.line.flows.values())


def test_a_request_that_rld_ended_first_is_aborted_at_md():
    clock = FakeClock()
    cluster = Cluster(shipped("pdd_43a_32b", {"caches.drc_tb": 0.2}), 4, clock, warm_s=300)
    p = cluster.sim.pipeline
    before = dict(p.counts)
    late = over_and_crossing(cluster)
    clock.now += 900
    cluster.advance_to(clock.now)
    aborted = of_role(cluster, MD, "vllm:request_success_total", finished_reason="abort")
    ended = p.counts["landed_late"] - before["landed_late"]
    assert aborted == ended + late - over_and_crossing(cluster) > 50
    by_rld = of_role(cluster, RLD, "vllm:request_success_total", finished_reason="stop")
    by_md = of_role(cluster, MD, "vllm:request_success_total", finished_reason="stop")
    assert by_rld + by_md == p.counts["finished"] - before["finished"]


def test_a_restart_that_nobody_saw_still_begins_at_zero():
    clock = FakeClock()
    cluster = Cluster(shipped("pdd_43a_32b"), 4, clock, warm_s=300)
    clock.now += 300
    full = total(cluster.page(MD, 1), "vllm:prompt_tokens_total")
    cluster.restart(MD, 1, for_s=5)
    clock.now += 20
    assert total(cluster.page(MD, 1), "vllm:prompt_tokens_total") < 0.2 * full


def uncached(p: Pipeline) -> float:
    """Prompt tokens that P had not cached, each request once."""
    prompt: float = p.prompt_tokens
    hit: float = p.hit_tokens
    return prompt - hit


def test_what_is_prefilled_again_was_cached():
    clock = FakeClock()
    cluster = Cluster(shipped("pdd_43a_32b"), 4, clock, warm_s=300)
    p = cluster.sim.pipeline
    new_before = uncached(p)
    clock.now += 100
    for instance in range(3):
        cluster.restart(MD, instance, for_s=5)
    made = sum(max(j.made, 1) for j in p.live.values() if j.redone)
    clock.now += 100
    cluster.advance_to(clock.now)
    assert p.counts["redone"] >= 5
    name = "vllm:prompt_tokens_by_source_total"
    computed = of_role(cluster, P, name, source="local_compute")
    again = computed - (uncached(p) - new_before)
    assert again == pytest.approx(made, abs=5)  # the tokens made so far, and no prompt
