"""How the pages look: readable by Prometheus's own parser, named as the real programs name them."""

from __future__ import annotations

import math
import random

import pytest
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.utils import floatToGoString

from tests.deployments import round_same_site, shipped
from tests.laws.told import SETTINGS
from tests.web.emulator.pages import FakeClock, lines, of_role, read, readable, total
from twin.engine.observer import MD, PB, RLD, P
from twin.errors import RunError
from web.emulator.cluster import Cluster
from web.emulator.families import ITL, TRANSFER_BYTES, Family
from web.emulator.histogram import Counters
from web.emulator.histogram import Histogram as Weighted
from web.emulator.writing import PageWriter, go_number, python_number, rust_number


def les(page: str, family: str) -> list[str]:
    return [
        labels["le"]
        for found in text_string_to_metric_families(page)
        if found.name == family
        for labels in (sample.labels for sample in found.samples)
        if "le" in labels
    ]


def test_every_page_is_read_and_has_its_role(start, clock):
    cluster = start()
    clock.now += 60
    seen = {role: page for role, _, page in readable(cluster)}
    assert set(seen) == {P, RLD, MD, "frontend", "line"}
    assert len(list(readable(cluster))) == 5 + 1 + 4 + 2
    for role in (P, RLD, MD):
        assert all(key[0].startswith(("vllm:", "process_")) for key in read(seen[role]))
        assert total(seen[role], "vllm:cache_config_info") == 1
    assert cluster.content_type(MD) == CONTENT_TYPE_LATEST


def test_a_histogram_is_printed_as_by_pythons_client():
    registry, bounds = CollectorRegistry(), (0.5, 2.0, 2_000_000.0)
    theirs = Histogram("x:h", "Text.", ["b"], registry=registry, buckets=bounds)
    mine = Counters({"h": bounds})
    for value in (0.5, 0.6, 3_000_000.25, 1e9):
        theirs.labels("v").observe(value)
        mine.observe("h", value)
    page = PageWriter("x:", {"b": "v"}, python_number)
    page.histogram(Family("histogram", "h", "Text.", bounds=bounds), mine)
    expected = generate_latest(registry).decode()
    assert page.text() == expected[: expected.index("# HELP x:h_created")]


def test_numbers_are_printed_as_each_program_prints_them():
    draw = random.Random(3)
    for value in (0.0, 1.0, 12345.0, 1e6, 2.097152e6, 0.0001, -1.5, math.inf, draw.random() * 1e9):
        assert python_number(value) == floatToGoString(value)
    assert [go_number(v) for v in (3.0, 1.25e9, 0.25)] == ["3", "1.25e+09", "0.25"]
    assert [rust_number(v) for v in (3.0, 1.25e9, 0.0018)] == ["3", "1250000000", "0.0018"]


def test_buckets_are_those_of_the_engines(start, clock):
    """Spot checks of what real pages print: lowest, highest, and where they surprise."""
    cluster = start()
    md, users = cluster.page(MD), cluster.page("frontend")
    assert les(md, "vllm:nixl_xfer_time_seconds")[-2:] == ["5.0", "+Inf"]
    assert les(md, "vllm:nixl_bytes_transferred")[-2] == "8.589934592e+09"
    assert TRANSFER_BYTES[0] == 2048
    assert les(md, "vllm:request_prefill_time_seconds")[0] == "0.3"
    assert les(md, "vllm:iteration_tokens_total")[-2] == "16384.0"
    assert les(md, "vllm:inter_token_latency_seconds") == [*map(str, ITL), "+Inf"]
    assert les(users, "dynamo_frontend_time_to_first_token_seconds")[10:14] == [
        "2.2", "4.7", "10", "22"
    ]  # fmt: skip
    assert "# TYPE vllm:iteration_tokens_total histogram" in md


def test_a_weight_stands_for_many_and_parts_are_not_shown():
    seen = Weighted((1.0, 2.0))
    seen.add(1.0, 2.6)
    seen.add(1.5, 0.7)
    seen.add(5.0, 0.5)
    assert seen.cumulative() == [(1.0, 2), (2.0, 3), (math.inf, 3)]
    assert seen.sum == pytest.approx(2.6 + 1.05 + 2.5)


BUSY = {
    **SETTINGS, "run": {"requests": None, "duration_s": 1e9},
    "prefill_b": {"chip": shipped("pdd_43a_32b").main_decode.chip.model_dump(), "instances": 2,
                  "chips_per_instance": 8},
    "policy.selective_prefill": True, "policy.selective_threshold_tokens": 3000,
}  # fmt: skip


def counters(page: str) -> dict[str, float]:
    """What may only grow."""
    ends = ("_total", "_bucket", "_count", "_sum")
    return {k: v for k, v in lines(page).items() if k.partition("{")[0].endswith(ends)}


def test_no_counter_falls_but_where_the_process_is_new():
    clock = FakeClock()
    cluster = Cluster(shipped("pdd_43a_32b", BUSY), 3, clock, warm_s=100)
    draw, before, new = random.Random(5), {}, set()
    while clock.now < 1_800_000_000 + 330:
        clock.now += draw.choice([0.01, 0.3, 2.0, 9.0])
        for role, i, page in readable(cluster):
            now = lines(page).get("process_start_time_seconds", 0.0)
            values = counters(page)
            born, last = before.get((role, i), (now, {}))
            if now != born:
                new.add((role, i))
            else:
                fell = {k: (v, values.get(k)) for k, v in last.items() if values[k] < v - 1e-9}
                assert fell == {}, (role, i, clock.now)
            before[role, i] = (now, values)
    assert new == {(MD, 1)}  # lost and brought back by the scenario's script
    assert of_role(cluster, PB, "vllm:request_success_total") > 20


def test_one_site_has_no_line_and_no_relay():
    clock = FakeClock()
    cluster = Cluster(round_same_site({"workload.clients": 3}), 0, clock, warm_s=50)
    clock.now += 300
    assert {t.role for t in cluster.targets()} == {P, MD, "frontend"}
    assert {t.dc for t in cluster.targets()} == {"A"}
    fetched = of_role(
        cluster, MD, "vllm:prompt_tokens_by_source_total", source="external_kv_transfer"
    )
    nbytes = of_role(cluster, MD, "vllm:nixl_bytes_transferred_sum")
    assert nbytes / fetched == pytest.approx(1e6, rel=1e-4)
    with pytest.raises(RunError, match="roles here are frontend, main_decode, prefill"):
        cluster.page("line")


def test_without_a_frontend_users_are_not_observed(start):
    cluster = start(frontend=False)
    assert "frontend" not in {t.role for t in cluster.targets()}
    with pytest.raises(RunError, match="roles here are"):
        cluster.page("frontend")


def test_pace_makes_pages_run_faster(start, clock):
    slow, fast = start(), start(pace=20.0)
    clock.now += 30
    name = "dynamo_frontend_requests_total"
    assert of_role(fast, "frontend", name) > 10 * of_role(slow, "frontend", name) > 0
    clock.now += 170
    for cluster in (slow, fast):
        cluster.advance_to(clock.now)
    assert fast.sim.now == pytest.approx(600 + 200 * 20)
    assert slow.sim.now == pytest.approx(600 + 200)
    mean = "dynamo_frontend_request_duration_seconds"
    lasted = [
        of_role(c, "frontend", f"{mean}_sum") / of_role(c, "frontend", f"{mean}_count")
        for c in (slow, fast)
    ]
    assert lasted[0] == pytest.approx(lasted[1], rel=0.25)  # latencies stay those of the model


def test_the_same_seed_gives_the_same_pages_however_often_they_are_read(start, clock):
    often, once = start(), start()
    for _ in range(100):
        clock.now += 1.7
        often.page(MD, 1)
    assert often.twin.digest() == (once.page(MD, 1) and once.twin.digest())
    mine, theirs = read(often.page(MD, 1)), read(once.page(MD, 1))
    assert mine == pytest.approx(theirs, rel=1e-9)
