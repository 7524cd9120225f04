"""The known traps of live metrics on synthetic pages and series, each with what must be said."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from tests.twin.telemetry import synthetic
from tests.twin.telemetry.synthetic import (
    DECODE,
    PREFILL,
    buckets,
    ended,
    grown,
    scraped,
    series_of,
    steady,
    twice,
)
from twin.telemetry.exposition import PageError, read_page
from twin.telemetry.series import Family, Gap, Series, SeriesId
from twin.telemetry.signals import (
    Moment,
    Role,
    Within,
    course,
    least_window_ms,
    reading,
    readings,
)
from twin.telemetry.targets import Targets
from twin.telemetry.vocabulary import unmapped

AT_MS = 60_000
MOMENT = Moment(AT_MS, window_ms=60_000, every_ms=10_000)
MAIN = Role("main_decode", {"pdd_role": "main_decode"}, dc="B")
TOKENS = "vllm:generation_tokens_total"


def told(quantity: str, *series: Series, moment: Moment = MOMENT, **how):
    return reading("main_decode", quantity, series, moment, **how)


def restart() -> list[Series]:
    """A counter every two seconds to 7,058; two minutes down; then 0, 114, 194."""
    before = list(range(0, 60_000, 2_000))
    after = [186_000, 188_000, 190_000]
    values = [*np.linspace(6_000, 7_058, len(before)), 0.0, 114.0, 194.0]
    downs = list(range(60_000, 186_000, 2_000))
    up = [(t, 1.0) for t in before + after] + [(t, 0.0) for t in downs]
    times, ups = zip(*sorted(up), strict=True)
    return [
        series_of(SeriesId.of(TOKENS, DECODE), before + after, values),
        series_of(SeriesId.of("up", DECODE), times, ups),
        series_of(SeriesId.of("vllm:num_requests_running", DECODE), before + after, [3.0] * 33),
    ]


def test_1_a_restart_counts_on_from_zero():
    found = told("output_rate", *restart(), moment=Moment(190_000, 190_000, 2_000))
    assert found.evidence == pytest.approx(1_058 + 194)
    assert found.value == pytest.approx((1_058 + 194) / 190)
    assert set(found.marks) == {"reset", "gap"}
    line = course(MAIN, "output_rate", restart(), 0, 190_000, 10_000, every_ms=2_000)
    assert np.nanmin(line.value) >= 0
    assert "stale" in line.states and line.states[0] == line.states[-1] == "value"


def test_2_a_new_pod_is_no_leap_and_no_loss():
    old = steady(TOKENS, 100, 200, 300, end_ms=30_000, pod="a")
    new = steady(TOKENS, 8, 108, 208, pod="b")
    found = told("output_rate", old, new)
    assert found.evidence == 400
    assert found.value == pytest.approx(10)
    running = [steady("vllm:num_requests_running", 5, end_ms=20_000, pod="a"),
               steady("vllm:num_requests_running", 6, pod="b")]  # fmt: skip
    assert told("running", *running).value == 6


def test_3_what_has_vanished_is_stale_by_its_own_time_and_up_0_wins():
    gauge = steady("vllm:num_requests_running", 4, 4, 4, 4, **DECODE)
    later = Moment(AT_MS + 29_000, 60_000, 10_000)
    assert told("running", gauge, moment=later).value == 4
    late = told("running", gauge, moment=Moment(AT_MS + 31_000, 60_000, 10_000))
    assert (late.state, late.value, late.since_ms) == ("stale", None, AT_MS)
    up = steady("up", 1, 1, 0, **DECODE)  # the samples are young, but of before
    down = told("running", gauge, up)
    assert (down.state, down.reason) == ("stale", "target down: up is 0")
    counter = told("output_rate", grown(TOKENS, 60, **DECODE), up)
    assert (counter.state, counter.value) == ("stale", None)


def test_3_one_target_of_two_that_is_down_is_told_and_the_other_counts():
    other: dict[str, Any] = DECODE | {"instance": "d1:8000"}
    name = "vllm:num_requests_running"
    found = told("running", steady(name, 4, **DECODE), steady(name, 9, **other),
                 steady("up", 1, 1, **DECODE), steady("up", 1, 0, **other))  # fmt: skip
    assert (found.value, found.marks) == (4, ("target down",))


def test_4_no_traffic_unbounded_and_absent_are_three_things():
    name = "vllm:kv_cache_usage_perc"
    nan, endless = told("kv_use", steady(name, math.nan)), told("kv_use", steady(name, math.inf))
    absent = told("kv_use", steady("up", 1))
    assert (nan.state, nan.reason) == ("absent", "no traffic: it says NaN")
    assert (endless.state, endless.reason) == ("error", "unbounded: it says Inf")
    assert absent.state == "absent" and absent.reason.startswith("not offered: none of ")
    for one in (nan, endless, absent):
        assert one.value is None
        json.loads(json.dumps(asdict(one), allow_nan=False))


def test_5_a_source_that_is_silent_leaves_no_zero_demand():
    rate = grown("dynamo_frontend_requests_started_total", 600, job="f", instance="f:80")
    now = told("request_rate", rate)
    assert now.value == pytest.approx(10)
    later = told("request_rate", rate, moment=Moment(AT_MS + 60_000, 60_000, 10_000))
    assert (later.state, later.value, later.since_ms) == ("stale", None, AT_MS)


def test_6_all_mass_above_the_last_bucket_is_a_bound():
    ttft = "vllm:time_to_first_token_seconds"
    found = told("ttft", *buckets(ttft, {"10": 0, "30": 0, "+Inf": 50}),
                 grown(f"{ttft}_count", 50), q=0.9)  # fmt: skip
    assert (found.state, found.value, found.low, found.high) == ("censored", None, 30.0, None)
    share = told("ttft", *buckets(ttft, {"10": 20, "30": 30, "+Inf": 50}), q=Within(60.0))
    assert (share.state, share.low, share.high) == ("censored", 0.6, 1.0)
    assert (
        told("ttft", *buckets(ttft, {"10": 20, "30": 30, "+Inf": 50}), q=Within(20.0)).value == 0.5
    )


def test_7_other_layouts_are_told_and_stay_between_what_each_says():
    name = "vllm:time_to_first_token_seconds"
    first = buckets(name, {"0.1": 10, "1.0": 20, "10.0": 30, "+Inf": 30}, **PREFILL)
    second = buckets(name, {"0.5": 10, "2.0": 20, "10.0": 30, "+Inf": 30}, **DECODE)
    found = told("ttft", *first, *second, q=0.5)
    assert found.marks == ("layouts differ",)
    assert (found.low, found.high) == pytest.approx((0.55, 1.25))
    assert found.value == pytest.approx(0.8125)


def test_8_one_bucket_written_in_two_ways():
    series, families = twice(synthetic.EDGES_OF_BOTH_KINDS, DECODE)
    found = reading("any", "ttft", Targets(series, families), MOMENT, q=0.5)
    assert found.marks == ()
    assert found.value == pytest.approx(10 / 12)  # 10 of the 12 below 1 s
    # as a pull keeps them: another exporter's way of writing after an upgrade
    le = "vllm:time_to_first_token_seconds_bucket"
    parts = [steady(le, 0, 4, end_ms=30_000, le="1"), steady(le, 0, 4, le="1.0")]
    endless = SeriesId.of(le, {"le": "+Inf"})
    joined = series_of(endless, [20_000, 30_000, 50_000, 60_000], [0, 8, 8, 16])
    assert told("ttft", *parts, joined, q=0.5).value == pytest.approx(1.0)


def test_9_both_names_of_one_gauge_are_read_once_and_replicas_averaged():
    old, new = "vllm:gpu_cache_usage_perc", "vllm:kv_cache_usage_perc"
    other: dict[str, Any] = DECODE | {"instance": "d1:8000"}
    assert told("kv_use", steady(old, 0.016), steady(new, 0.016)).value == 0.016
    assert told("kv_use", steady(old, 0.7), steady(new, 0.016)).value == 0.016  # the newer counts
    mixed = told("kv_use", steady(new, 0.2, **DECODE), steady(old, 0.6, **other))
    assert mixed.value == pytest.approx(0.4)  # each target by the name that it has
    assert told("kv_use", steady(new, 95)).state == "error"  # in percent: refused, never 9,500 %


def test_10_ranks():
    name = "sglang:num_running_reqs"
    ranks = [steady(name, 16, tp_rank=str(i)) for i in range(4)]
    assert told("running", *ranks).value == 16
    counters = [grown("sglang:generation_tokens_total", 600, tp_rank=str(i)) for i in range(4)]
    assert told("output_rate", *counters).value == pytest.approx(10)
    dp = [steady("vllm:num_requests_running", v, engine=str(i)) for i, v in enumerate((27, 5))]
    assert told("running", *dp).value == 32


def test_11_numbers_that_mean_unknown():
    series, families = twice(synthetic.DCGM, {"job": "dcgm", "instance": "n0:9400"})
    busy = reading("any", "gpu_busy", Targets(series, families), MOMENT)
    assert (busy.value, busy.evidence) == (0.81, 1)
    assert told("gpu_busy", steady("DCGM_FI_DEV_GPU_UTIL", 2619)).state == "error"
    rate = told("prefix_hit", steady("vllm:gpu_prefix_cache_hit_rate", -1))
    assert (rate.state, rate.reason) == ("absent", "it says that it does not know")


def test_12_a_page_without_start_times_shows_its_restart_by_values_alone():
    pages = [(t * 10_000, synthetic.WITHOUT_START_TIMES % v)
             for t, v in enumerate((1000, 1500, 200, 700))]  # fmt: skip
    series, families = scraped(pages, DECODE)
    found = reading("any", "output_rate", Targets(series, families), Moment(30_000, 30_000, 10_000))
    assert (found.evidence, found.marks) == (1_200, ("reset",))


def test_15_a_native_histogram_is_told_and_not_zero():
    """Announced as a histogram, without a bucket, a sum or a count that could be read."""
    name = "vllm:time_to_first_token_seconds"
    families = {name: Family(name, "histogram")}
    found = reading("any", "ttft", Targets([steady("up", 1)], families), MOMENT)
    assert (found.state, found.value) == ("absent", None)
    assert "is announced, but has no samples that can be read" in found.reason
    only_sums = [grown(f"{name}_sum", 40), grown(f"{name}_count", 20)]
    assert told("ttft", *only_sums).value == pytest.approx(2)
    assert told("ttft", *only_sums, q=0.9).reason == "it has no buckets"


def test_16_a_window_shorter_than_the_scrapes_says_which_one_would_do():
    slow = steady(TOKENS, 0, 30, 60, 90, 120, every_ms=30_000, end_ms=120_000)
    reached = told("output_rate", slow, moment=Moment(125_000, 15_000, 5_000))
    assert reached.value == pytest.approx(1)  # one sample, and the one before it
    short = told("output_rate", slow, moment=Moment(115_000, 15_000, 5_000))
    assert (short.state, short.value) == ("absent", None)
    assert short.reason == "too few samples in the window: scraped every 30 s, ask for 120 s"
    assert least_window_ms([slow]) == 120_000
    line = course(Role("any", {}), "output_rate", [slow], 0, 120_000, 30_000)
    assert line.value[-1] == pytest.approx(1)
    gauge = steady("vllm:num_requests_running", 3, 3, 3, every_ms=30_000, end_ms=120_000)
    assert told("running", gauge, moment=Moment(170_000, 60_000, 5_000)).value == 3  # 50 s is young


def test_17_half_a_page_is_no_page():
    whole = synthetic.DCGM.encode()
    with pytest.raises(PageError, match="cut off"):
        read_page(whole[:-20])
    with pytest.raises(PageError, match="HTML"):
        read_page(b"<html><body>Sign in</body></html>\n", "text/html")
    with pytest.raises(PageError, match="JSON"):
        read_page(b'[{"gpuMemUsage": 1}]\n')
    page = read_page(b"\xef\xbb\xbf" + whole + b"misspelt{ 1\n")
    assert len(page.samples) == 3 and len(page.troubles) == 1


def test_19_labels_that_explode():
    body = b"".join(b'llm_d_epp_request_total{fairness_id="%d"} 1\n' % i for i in range(50_000))
    with pytest.raises(PageError, match="more than 20,000 series"):
        read_page(body)
    with pytest.raises(PageError, match="take at most 1,000,000"):
        read_page(body, most_bytes=1_000_000)
    heads: dict = {}
    for turn in range(5):  # other labels at each scrape: what is remembered does not grow
        page = b"".join(b'x{id="%d-%d"} 1\n' % (turn, i) for i in range(1_000))
        read_page(page, heads=heads)
    assert len(heads) == 1_000


def test_23_more_first_tokens_than_finished_requests():
    series = [grown("vllm:time_to_first_token_seconds_count", 22),
              grown("vllm:time_to_first_token_seconds_sum", 44),
              grown("vllm:request_success_total", 20, finished_reason="stop")]  # fmt: skip
    assert told("ttft", *series).value == 2
    assert told("request_rate", *series).value == pytest.approx(20 / 60)
    much = [grown("vllm:prefix_cache_hits_total", 1_010),
            grown("vllm:prefix_cache_queries_total", 1_000)]  # fmt: skip
    found = told("prefix_hit", *much)
    assert (found.value, found.marks) == (1.0, ("beyond its range",))
    much[0] = grown("vllm:prefix_cache_hits_total", 9_500)
    wrong = told("prefix_hit", *much)
    assert wrong.state == "error" and "9.5 is no share" in wrong.reason


def test_24_a_router_is_not_counted_and_a_gauge_called_total_is_not_rated():
    series, families = twice(synthetic.ROUTER_AND_ENGINE, DECODE)
    assert reading("any", "running", Targets(series, families), MOMENT).value == 7
    assert reading("any", "prompt_rate", Targets(series, families), MOMENT).state == "absent"
    gauge = {"sglang:prompt_tokens_total": Family("sglang:prompt_tokens_total", "gauge")}
    rated = [steady("sglang:prompt_tokens_total", 3, 9)]
    found = reading("any", "prompt_rate", Targets(rated, gauge), MOMENT)
    assert (found.state, found.reason) == (
        "error", "sglang:prompt_tokens_total is announced as a gauge: no rate"
    )  # fmt: skip


def test_25_misspelt_and_unannounced_samples_are_listed_and_the_rest_is_read():
    page = read_page(b"iinference_model_request_total 3\nllm_d_epp_request_total 4\n")
    names = [one.name for one, _, _ in page.samples]
    assert unmapped(names, page.families) == ("iinference_model_request",)


def test_sglang_of_the_age_of_gauges_is_not_rated():
    series, families = twice(synthetic.SGLANG_0_5_9, DECODE)
    targets = Targets(series, families)
    assert reading("any", "running", targets, MOMENT).value == 16
    for quantity in ("kv_rate", "kv_transfer_time"):
        found = reading("any", quantity, targets, MOMENT)
        assert (found.state, found.reason) == ("error", "unreliable (last transfer)")


def test_bare_names_of_tensorrt_llm():
    series, families = twice(synthetic.TRTLLM_MID_2025, DECODE)
    targets = Targets(series, families)
    assert reading("any", "ttft", targets, MOMENT).value == pytest.approx(0.4)
    assert reading("any", "ttft", targets, MOMENT, q=0.5).value == pytest.approx(1 / 3)
    assert reading("any", "request_rate", targets, MOMENT).value == pytest.approx(40 / 60)


def test_an_offload_cache_beside_its_engine_is_not_added_to_it():
    engine = [grown("vllm:prefix_cache_hits_total", 900, **PREFILL),
              grown("vllm:prefix_cache_queries_total", 1_000, **PREFILL)]  # fmt: skip
    server: dict[str, Any] = {"job": "lmcache", "instance": "c:9"}
    cache = [grown("lmcache_mp_lookup_hit_total", 10, **server),
             grown("lmcache_mp_lookup_requested_total", 100, **server)]  # fmt: skip
    assert told("prefix_hit", *engine, *cache).value == pytest.approx(0.9)
    alone = told("prefix_hit", *cache)
    assert (alone.value, alone.marks) == (pytest.approx(0.1), ("LMCache alone",))


def test_what_sglang_only_counts_as_moved_needs_the_size_of_a_token():
    series = [grown("sglang:kv_transfer_total_mb_sum", 46.488),
              grown("sglang:prompt_tokens_total", 10_000)]  # fmt: skip
    assert "KV bytes per token" in told("drc_hit", *series).reason
    known = Targets(series, kv_bytes_per_token=46_488)
    assert reading("any", "drc_hit", known, MOMENT).value == pytest.approx(0.9)


def test_the_line_is_the_device_that_was_named():
    name = "node_network_transmit_bytes_total"
    cards = [grown(name, 6e9, device="wan0"), grown(name, 6e6, device="eth1"),
             grown(name, 6e12, device="lo"), grown(name, 6e12, device="veth12")]  # fmt: skip
    named = reading("line", "nic_rate", Targets(cards, device="wan0"), MOMENT)
    assert (named.value, named.marks) == (pytest.approx(1e8), ())
    both = told("nic_rate", *cards)
    assert (both.value, both.marks) == (pytest.approx(1.001e8), ("all devices",))


def test_share_of_blocks_at_a_frontend():
    blocks = "dynamo_frontend_worker_active_decode_blocks"
    series = [steady(blocks, 300, worker_id="1", worker_type="decode"),
              steady(blocks, 100, worker_id="2", worker_type="decode"),
              steady(blocks, 0, worker_id="3", worker_type="prefill"),
              steady("dynamo_frontend_model_total_kv_blocks", 1_000)]  # fmt: skip
    assert told("kv_use", *series).value == pytest.approx(0.2)


def test_readings_of_all_roles_and_what_nobody_observes():
    name = "vllm:time_to_first_token_seconds"
    series = [
        steady("vllm:num_requests_running", 4, **DECODE),
        grown(f"{name}_sum", 40, **DECODE), grown(f"{name}_count", 20, **DECODE),
        *buckets(name, {"5": 20, "+Inf": 20}, **DECODE),
    ]  # fmt: skip
    roles = [MAIN, Role("relay_decode", {"pdd_role": "relay_decode"})]
    gaps = [Gap("prod", DECODE["instance"], 20_000, 30_000, "not scraped")]
    found = {
        (one.role, one.quantity): one
        for one in readings(series, roles, AT_MS, 60_000, every_ms=10_000, gaps=gaps)
    }
    assert found["main_decode", "ttft"].value == 2
    assert found["main_decode", "ttft"].marks == ("gap",)
    assert found["main_decode", "ttft_p50"].value == pytest.approx(2.5)
    assert found["main_decode", "e2e_p99"].state == "absent"
    assert all(one.state == "absent" for key, one in found.items() if key[0] == "relay_decode")
    assert found["relay_decode", "running"].reason == "no series of this role"
    assert len(found) == len({one for _, one in found}) * 2
    elsewhere = [Gap("prod", "other:1", 20_000, 30_000, "not scraped")]
    one = readings(series, [MAIN], AT_MS, 60_000, gaps=elsewhere, quantities=["running"])
    assert one[0].marks == ()


def test_a_series_that_ended_does_not_hide_what_came_after_it():
    """An engine is upgraded in place: the old name ends with a marker, the new one begins."""
    old = ended(steady("vllm:gpu_cache_usage_perc", 0.5, 0.5, end_ms=30_000), 40_000)
    new = steady("vllm:kv_cache_usage_perc", 0.25, end_ms=60_000)
    assert told("kv_use", old, new).value == 0.25
    back = ended(steady("vllm:kv_cache_usage_perc", 0.5, 0.5, end_ms=30_000), 40_000)
    assert told("kv_use", back, steady("vllm:gpu_cache_usage_perc", 0.125)).value == 0.125
