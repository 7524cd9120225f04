"""Quantities of a role: the traps of live metrics, each with what must be said."""

from __future__ import annotations

import numpy as np
import pytest

from twin.telemetry.series import Series, SeriesId, stale_markers
from twin.telemetry.signals import Moment, Reading, of_role, reading

EVERY_MS = 10_000
AT_MS = 60_000
MOMENT = Moment(AT_MS, window_ms=60_000, every_ms=EVERY_MS)


def steady(name: str, *values: float, **labels: str) -> Series:
    """Samples every ten seconds, the last one now."""
    times = AT_MS - EVERY_MS * np.arange(len(values))[::-1]
    return Series(SeriesId.of(name, labels), times.astype(np.int64), np.array(values, float))


def grown(name: str, by: float, **labels: str) -> Series:
    """A counter that grows evenly by so much within the window."""
    return steady(name, *np.linspace(0, by, 7), **labels)


def buckets(name: str, counts: dict[str, float], **labels: str) -> list[Series]:
    return [grown(f"{name}_bucket", count, le=edge, **labels) for edge, count in counts.items()]


def told(quantity: str, *series: Series, moment: Moment = MOMENT, **how) -> Reading:
    return reading("main_decode", quantity, series, moment, **how)


def test_old_and_new_name_of_one_gauge_are_never_added():
    """A mock prints both vllm:gpu_cache_usage_perc and vllm:kv_cache_usage_perc."""
    old = steady("vllm:gpu_cache_usage_perc", 0.016)
    new = steady("vllm:kv_cache_usage_perc", 0.016)
    assert told("kv_use", old, new).value == 0.016
    assert told("kv_use", old).value == 0.016  # fault H6: only the old one is there
    name = "vllm:request_time_per_output_token_seconds"
    assert told("tpot", grown(f"{name}_sum", 2), grown(f"{name}_count", 20)).value == 0.1


def test_a_removed_metric_is_absent_with_the_names_that_were_tried():
    found = told("kv_use", steady("vllm:num_requests_running", 3))
    assert (found.state, found.value) == ("absent", None)
    assert "vllm:kv_cache_usage_perc, vllm:gpu_cache_usage_perc" in found.reason
    assert told("kv_use").reason == "no series of this role"


def test_dp_ranks_are_added_and_tp_ranks_counted_once():
    dp = [steady("vllm:num_requests_running", v, engine=str(i)) for i, v in enumerate((27, 5))]
    assert told("running", *dp).value == 32
    tp = [steady("sglang:num_running_reqs", 16, tp_rank=str(i)) for i in range(4)]
    assert told("running", *tp).value == 16
    name = "sglang:num_running_reqs"
    both = [steady(name, 16, tp_rank=str(i), dp_rank=str(i % 2)) for i in range(4)]
    assert told("running", *both).value == 32


def test_use_of_kv_is_the_mean_over_replicas():
    pods = [steady("vllm:kv_cache_usage_perc", v, pod=str(i)) for i, v in enumerate((0.2, 0.6))]
    assert told("kv_use", *pods).value == pytest.approx(0.4)


def test_a_ratio_when_traffic_stops():
    """Fault H4: 120 tokens over 0.02 extrapolated requests are not 6,000 each."""
    for count in (0.0, 0.02):
        found = told(
            "output_tokens", grown("vllm:request_generation_tokens_sum", 120),
            grown("vllm:request_generation_tokens_count", count),
        )  # fmt: skip
        assert (found.state, found.value, found.reason) == ("absent", None, "too_few_requests")
    idle = told("prefix_hit", grown("vllm:prefix_cache_hits_total", 0),
                grown("vllm:prefix_cache_queries_total", 0))  # fmt: skip
    assert (idle.state, idle.reason) == ("absent", "no traffic in the window")


def test_hit_rate_comes_from_counters_and_a_gauge_of_the_last_batch_is_unreliable():
    """Fault H5: the gauge says 0.95, 0, 0, 0.96, 0; the counters say 95.0 %."""
    gauge = steady("sglang:cache_hit_rate", 0.95, 0, 0, 0.96, 0)
    counters = [
        grown("sglang:cached_tokens_total", 45_600), grown("sglang:prompt_tokens_total", 48_000),
    ]  # fmt: skip
    found = told("prefix_hit", gauge, *counters)
    assert found.value == pytest.approx(0.95)
    assert "cached_tokens" in found.source
    alone = told("prefix_hit", gauge)
    assert (alone.state, alone.value) == ("error", None)
    assert "last batch" in alone.reason


def test_a_counter_that_begins_anew():
    """Fault H7: never negative, and marked."""
    found = told("output_rate", steady("vllm:generation_tokens_total", 1000, 1500, 200, 700))
    assert found.value == pytest.approx(1_200 / 30)
    assert found.marks == ("reset",)


def test_a_renamed_pod_brings_no_spike_and_no_loss():
    old = Series(SeriesId.of("vllm:generation_tokens_total", {"pod": "a"}),
                 np.array([0, 10_000, 20_000, 30_000]), np.array([0.0, 100, 200, 300]))  # fmt: skip
    new = Series(SeriesId.of("vllm:generation_tokens_total", {"pod": "b"}),
                 np.array([40_000, 50_000, 60_000]), np.array([8.0, 108, 208]))  # fmt: skip
    found = told("output_rate", old, new)
    assert found.evidence == 500
    assert found.value == pytest.approx(10.0)  # 500 in the 50 seconds that either was seen
    assert found.marks == ()


def test_what_has_vanished_is_stale_and_not_zero():
    gone = Series(SeriesId.of("vllm:num_requests_running", {}), np.array([1_000]), np.array([4.0]))
    found = told("running", gone)
    assert (found.state, found.value, found.since_ms) == ("stale", None, 1_000)
    ended = steady("vllm:num_requests_running", 4, 4)
    ended.value[1] = stale_markers(1)[0]
    marked = told("running", ended)
    assert (marked.state, marked.since_ms) == ("stale", AT_MS - EVERY_MS)
    old = Moment(600_000, 60_000, EVERY_MS)
    counter = told("output_rate", grown("vllm:generation_tokens_total", 60), moment=old)
    assert (counter.state, counter.since_ms) == ("stale", AT_MS)


@pytest.mark.parametrize(
    ("name", "quantity", "value"),
    [
        ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gpu_busy", 9223372036854775794),
        ("DCGM_FI_DEV_GPU_UTIL", "gpu_busy", 140737488355328),
        ("DCGM_FI_DEV_GPU_UTIL", "gpu_busy", 4294967295),
        ("DCGM_FI_DEV_GPU_UTIL", "gpu_busy", 2147483634),
        ("node_network_speed_bytes", "nic_speed", -125000),
        ("vllm:num_requests_running", "running", -1),
    ],
)
def test_a_number_that_means_unknown_is_no_value(name, quantity, value):
    found = told(quantity, steady(name, value))
    assert (found.state, found.value) == ("absent", None)
    assert found.reason == "it says that it does not know"


def test_a_gauge_in_percent_is_a_share():
    assert told("gpu_busy", steady("DCGM_FI_DEV_GPU_UTIL", 87)).value == pytest.approx(0.87)


def test_above_the_last_bucket_is_a_bound_and_no_value():
    """vLLM's transfer times end at 5 s; a transfer over a wide-area line takes longer."""
    series = buckets("vllm:nixl_xfer_time_seconds", {"1.0": 0, "5.0": 4, "+Inf": 40})
    found = told("kv_transfer_time", *series, grown("vllm:nixl_xfer_time_seconds_count", 40), q=0.5)
    assert (found.state, found.value, found.low) == ("censored", None, 5.0)
    ms = buckets("sglang:kv_transfer_latency_ms", {"5000.0": 4, "+Inf": 40})
    assert told("kv_transfer_time", *ms, q=0.5).low == 5.0  # milliseconds


def test_layouts_that_differ_are_told_and_not_added_blindly():
    name = "vllm:time_to_first_token_seconds"
    first = buckets(name, {"0.1": 10, "1.0": 20, "10.0": 30, "+Inf": 30}, pod="a")
    second = buckets(name, {"0.5": 10, "2.0": 20, "10.0": 30, "+Inf": 30}, pod="b")
    found = told("ttft", *first, *second, q=0.5)
    assert found.marks == ("layouts differ",)
    assert found.value == pytest.approx(0.8125)  # where both lines together reach 30 of 60
    assert (found.low, found.high) == pytest.approx((0.55, 1.25))  # what each says alone
    assert told("ttft", *first, q=0.5).value == pytest.approx(0.55)


def test_more_first_tokens_than_finished_requests_is_no_fault():
    count = grown("vllm:time_to_first_token_seconds_count", 22)
    total = grown("vllm:time_to_first_token_seconds_sum", 44)
    done = grown("vllm:request_success_total", 20, finished_reason="stop")
    broken = grown("vllm:request_success_total", 6, finished_reason="abort")
    assert told("ttft", count, total, done, broken).value == 2.0
    assert told("request_rate", count, total, done, broken).value == pytest.approx(20 / 60)


def test_kv_of_a_token_and_what_main_decode_held_already():
    source = "vllm:prompt_tokens_by_source_total"
    series = [
        grown(source, 9_000, source="local_cache_hit"), grown(source, 50, source="local_compute"),
        grown(source, 1_000, source="external_kv_transfer"),
        grown("vllm:nixl_bytes_transferred_sum", 46_488_000),
    ]  # fmt: skip
    assert told("kv_bytes_per_token", *series).value == 46_488
    assert told("drc_hit", *series).value == pytest.approx(0.9)
    alone = [grown(source, 9_000, source="local_cache_hit"),
             grown(source, 0, source="external_kv_transfer")]  # fmt: skip
    assert told("drc_hit", *alone).state == "absent"  # no main decode of anything


def test_a_window_shorter_than_the_scrapes_says_too_few():
    short = Moment(AT_MS, window_ms=1_000, every_ms=EVERY_MS)
    one = Series(SeriesId.of("vllm:generation_tokens_total", {}), np.array([AT_MS - 500]),
                 np.array([5.0]))  # fmt: skip
    found = told("output_rate", one, moment=short)
    assert (found.state, found.reason) == ("absent", "too few samples in the window")


def test_series_of_a_role_by_their_labels():
    series = [steady("x", 1, pdd_role=role, dc="A") for role in ("prefill", "relay_decode", "")]
    (only,) = of_role(series, {"pdd_role": "prefill"})
    assert only.id.label("pdd_role") == "prefill"
    assert len(of_role(series, {"pdd_role": "~prefill|relay_.*"})) == 2
    assert len(of_role(series, {"pdd_role": "!~prefill", "dc": "A"})) == 2
    assert len(of_role(series, {"pdd_role": ""})) == 1
