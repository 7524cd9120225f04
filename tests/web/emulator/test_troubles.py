"""Provoked troubles and hidden turns: what the pages show of them, and what they do not."""

from __future__ import annotations

import pytest

from tests.web.emulator.pages import UNIX_S, of_role, read, total
from twin.engine.observer import MD, RLD, P
from twin.errors import RunError, TurnError
from web.emulator.cluster import PageDown
from web.emulator.truth import truth
from web.emulator.versions import VERSIONS

GENERATED = "vllm:generation_tokens_total"


def made(cluster, role=MD, instance=1):
    return total(cluster.page(role, instance), GENERATED)


def test_a_restarted_engine_is_down_and_begins_at_zero(start, clock):
    cluster = start()
    clock.now += 100
    before, other = made(cluster), made(cluster, instance=2)
    assert before > 0
    cluster.restart(MD, 1, for_s=20)
    for _ in range(4):
        with pytest.raises(PageDown):
            cluster.page(MD, 1)
        clock.now += 4.9
    assert made(cluster, instance=2) > other
    clock.now += 1
    page = cluster.page(MD, 1)
    assert total(page, GENERATED) < 0.1 * before
    started = total(page, "process_start_time_seconds")
    assert started == pytest.approx(UNIX_S + 120, abs=0.01)
    clock.now += 200
    assert made(cluster) > 1000  # requests come to it again
    assert cluster.sim.pipeline.counts["redone"] > 0


def test_a_restart_of_the_frontend_hurts_nobody_and_counts_from_zero(start, clock):
    cluster, undisturbed = start(), start()
    clock.now += 100
    name = "dynamo_frontend_requests_total"
    assert of_role(cluster, "frontend", name) > 100
    cluster.restart("frontend", for_s=5)
    with pytest.raises(PageDown):
        cluster.page("frontend")
    clock.now += 5
    page = cluster.page("frontend")
    assert total(page, name) < 50
    inside = total(page, "dynamo_frontend_active_requests")
    assert total(page, "dynamo_frontend_requests_started_total") == inside + total(page, name)
    undisturbed.advance_to(clock.now)
    assert cluster.twin.digest() == undisturbed.twin.digest()


@pytest.mark.parametrize("role", [P, RLD, MD, "line", "frontend"])
def test_a_counter_reset_changes_counters_only(start, clock, role):
    cluster, undisturbed = start(), start()
    clock.now += 100
    full = read(cluster.page(role))
    cluster.reset(role)
    reset = read(cluster.page(role))
    grows = [key for key in full if key[0].endswith(("_total", "_count")) and full[key] > 50]
    assert grows and all(reset[key] < 0.9 * full[key] for key in grows if "_sum" not in key[0])
    clock.now += 100
    undisturbed.advance_to(clock.now)
    after = read(cluster.page(role))
    assert all(value >= reset[key] for key, value in after.items() if key in grows)
    assert cluster.twin.digest() == undisturbed.twin.digest()


def test_after_a_reset_an_engine_counts_what_it_makes_from_then_on(start, clock):
    cluster, plain = start(), start()
    clock.now += 100
    cluster.page(MD)
    for i in range(4):
        cluster.reset(MD, i)
    before = of_role(plain, MD, GENERATED)
    gaps = of_role(plain, MD, "vllm:inter_token_latency_seconds_count")
    clock.now += 100
    grown = of_role(plain, MD, GENERATED) - before
    assert of_role(cluster, MD, GENERATED) == grown > 0
    more = of_role(plain, MD, "vllm:inter_token_latency_seconds_count") - gaps
    seen = of_role(cluster, MD, "vllm:inter_token_latency_seconds_count")
    running = of_role(plain, MD, "vllm:num_requests_running")
    assert seen == pytest.approx(more, abs=2 * running)  # the token under way was cut in two


def test_scrapes_that_are_missed_lose_nothing(start, clock):
    cluster, plain = start(), start()
    cluster.miss(MD, 0, for_s=30)
    clock.now += 29
    with pytest.raises(PageDown):
        cluster.page(MD, 0)
    assert cluster.page(MD, 1)
    clock.now += 1
    assert cluster.page(MD, 0) == plain.page(MD, 0)
    cluster.miss(for_s=5)
    for target in cluster.targets():
        with pytest.raises(PageDown):
            cluster.page(target.role, target.instance)


@pytest.mark.parametrize(
    ("version", "itl", "usage"),
    [
        ("0.33", "inter_token_latency_seconds", "kv_cache_usage_perc"),
        ("0.13", "inter_token_latency_seconds", "kv_cache_usage_perc"),
        ("0.10", "time_per_output_token_seconds", "kv_cache_usage_perc"),
        ("0.8", "time_per_output_token_seconds", "gpu_cache_usage_perc"),
    ],
)
def test_older_names(start, clock, version, itl, usage):
    cluster = start()
    clock.now += 50
    cluster.rename(version, MD)
    names = {name for name, _ in read(cluster.page(MD))}
    assert f"vllm:{itl}_count" in names
    assert f"vllm:{usage}" in names
    assert ("vllm:prompt_tokens_by_source_total" in names) == (version == "0.33")
    assert ("vllm:nixl_bytes_transferred_count" in names) == (version in ("0.33", "0.13"))
    others = {name for name, _ in read(cluster.page(RLD))}
    assert "vllm:inter_token_latency_seconds_count" in others
    assert set(VERSIONS) >= {version}


def test_a_version_nobody_knows(start):
    with pytest.raises(RunError, match=r"known versions of vLLM's names are 0\.33, 0\.16"):
        start().rename("9")


def test_a_turn_shows_only_by_what_it_does(start, clock):
    cluster = start()
    clock.now += 100
    before = cluster.page("line")
    cluster.turn("policy.p_rld", True)
    assert cluster.page("line") == before
    cluster.turn("line.bandwidth_gbps", 25)
    assert total(cluster.page("line"), "node_network_speed_bytes") == 25e9 / 8
    with pytest.raises(TurnError, match="hardware"):
        cluster.turn("prefill.chips_per_instance", 3)


def test_an_instance_that_comes_gets_a_page_and_one_that_goes_loses_it(start, clock):
    cluster = start()
    cluster.turn("main_decode.instances", 5)
    clock.now += 200
    assert made(cluster, instance=4) > 0
    cluster.turn("main_decode.instances", 4)
    assert made(cluster, instance=4) > 0  # it finishes what it holds
    clock.now += 300
    with pytest.raises(PageDown):
        cluster.page(MD, 4)
    cluster.turn("main_decode.instances", 5)
    assert made(cluster, instance=4) == 0


def test_the_truth_is_told(start, clock):
    cluster = start()
    clock.now += 900
    cluster.advance_to(clock.now)
    cluster.turn("line.bandwidth_gbps", 9)
    said = truth(cluster.sim, 600)
    figures = said["figures"]
    assert said["scenario"]["line"]["bandwidth_gbps"] == 9
    assert figures["arrival_rps"] == pytest.approx(3, rel=0.2)
    assert figures["p_hit"] == pytest.approx(0.9, abs=0.03)
    assert figures["kv_bytes_per_token"] == 46_488
    assert figures["prompt_tokens_mean"] == pytest.approx(64_000, rel=0.1)
    assert figures["line_bytes_per_s"] == pytest.approx(0.85e9, rel=0.25)
    assert truth(start().sim, 600)["figures"]["arrival_rps"] is None


def test_an_unknown_target(start):
    cluster = start()
    with pytest.raises(RunError, match="main_decode has instances 0 to 3"):
        cluster.restart(MD, 7)
    with pytest.raises(RunError, match="roles here are"):
        cluster.reset("decode")
