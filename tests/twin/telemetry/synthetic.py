"""Synthetic pages of engines, and scrapes of them: names are real, values are made up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from twin.telemetry.exposition import read_page
from twin.telemetry.series import Family, Series, SeriesId, family_of, stale_markers

EVERY_MS = 10_000

PREFILL: dict[str, Any] = {"job": "vllm", "instance": "p0:8000", "pdd_role": "prefill", "dc": "A"}
DECODE: dict[str, Any] = {
    "job": "vllm",
    "instance": "d0:8000",
    "pdd_role": "main_decode",
    "dc": "B",
}

SGLANG_0_5_9 = """\
# TYPE sglang:num_running_reqs gauge
sglang:num_running_reqs{model_name="m",tp_rank="0"} 16
sglang:num_running_reqs{model_name="m",tp_rank="1"} 16
# TYPE sglang:kv_transfer_latency_ms gauge
sglang:kv_transfer_latency_ms{model_name="m"} 812
# TYPE sglang:kv_transfer_total_mb gauge
sglang:kv_transfer_total_mb{model_name="m"} 2600
# TYPE sglang:cache_hit_rate gauge
sglang:cache_hit_rate{model_name="m"} 0.95
"""
"""Synthetic: the age in which transfer metrics were gauges."""

TRTLLM_MID_2025 = """\
# TYPE time_to_first_token_seconds histogram
time_to_first_token_seconds_bucket{le="0.5"} 30
time_to_first_token_seconds_bucket{le="1"} 40
time_to_first_token_seconds_bucket{le="+Inf"} 40
time_to_first_token_seconds_sum 16
time_to_first_token_seconds_count 40
# TYPE request_success_total counter
request_success_total{finished_reason="stop"} 40
"""
"""Synthetic: the names without a prefix."""

EDGES_OF_BOTH_KINDS = """\
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{engine="0",le="1"} 8
vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf"} 10
vllm:time_to_first_token_seconds_bucket{engine="1",le="1.0"} 4
vllm:time_to_first_token_seconds_bucket{engine="1",le="+Inf"} 10
"""
"""Synthetic: one bucket written in two ways."""

DCGM = """\
# TYPE DCGM_FI_PROF_GR_ENGINE_ACTIVE gauge
DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="0",Hostname="n0"} 0.81
DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="1",hostname="n0"} 9223372036854775794
# TYPE DCGM_FI_PROF_PCIE_TX_BYTES gauge
DCGM_FI_PROF_PCIE_TX_BYTES{gpu="0",Hostname="n0"} 1200000
"""
"""Synthetic: one card of two says that it does not know."""

ROUTER_AND_ENGINE = """\
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{model_name="m",engine="0"} 7
vllm:num_requests_running{server="http://d0:8000"} 7
# TYPE vllm:prompt_tokens_total gauge
vllm:prompt_tokens_total{server="http://d0:8000"} 900
"""
"""Synthetic: a router that prints the engine's names again, and a gauge called `_total`."""

WITHOUT_START_TIMES = """\
# HELP vllm:generation_tokens_total Number of generation tokens processed.
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{model_name="m",engine="0"} %d
"""
"""Synthetic: several processes behind one page print neither process start nor `_created`."""


def steady(
    name: str, *values: float, end_ms: int = 60_000, every_ms: int = EVERY_MS, **labels: str
) -> Series:
    """Samples every ten seconds, the last one at `end_ms`."""
    times = end_ms - every_ms * np.arange(len(values))[::-1]
    return Series(SeriesId.of(name, labels), times.astype(np.int64), np.array(values, float))


def grown(name: str, by: float, **labels: Any) -> Series:
    """A counter that grows evenly by so much within a minute."""
    return steady(name, *np.linspace(0, by, 7), **labels)


def buckets(name: str, counts: Mapping[str, float], **labels: Any) -> list[Series]:
    """A histogram's buckets, each grown within a minute."""
    return [grown(f"{name}_bucket", count, le=edge, **labels) for edge, count in counts.items()]


def ended(series: Series, at_ms: int) -> Series:
    """The same with a stale marker at its end."""
    return Series(
        series.id, np.append(series.time_ms, at_ms),
        np.concatenate([series.value, stale_markers(1)]),
    )  # fmt: skip


def scraped(
    pages: Iterable[tuple[int, str]], target: Mapping[str, str]
) -> tuple[list[Series], dict[str, Family]]:
    """Pages of one target at their times (ms), as a scrape keeps them, `up` included."""
    times: dict[SeriesId, list[int]] = {}
    values: dict[SeriesId, list[float]] = {}
    families: dict[str, Family] = {}
    for at_ms, text in pages:
        page = read_page(text.encode())
        families |= page.families
        up = SeriesId.of("up", target)
        said = [
            (SeriesId.of(one.name, {**dict(one.labels), **target}), v) for one, v, _ in page.samples
        ]
        for one, value in [*said, (up, 1.0)]:
            times.setdefault(one, []).append(at_ms)
            values.setdefault(one, []).append(value)
    return [series_of(one, times[one], values[one]) for one in times], families


def series_of(found: SeriesId, times: Sequence[int], values: Sequence[float]) -> Series:
    """A series of lists."""
    return Series(found, np.array(times, np.int64), np.array(values, np.float64))


def twice(text: str, target: Mapping[str, str]) -> tuple[list[Series], dict[str, Family]]:
    """A page scraped at 0 and 60 s, its counters having begun at zero."""
    series, families = scraped([(60_000, text)], target)
    found = []
    for one in series:
        family = family_of(one.id.name, families)
        counts = family is not None and family.kind in ("counter", "histogram", "summary")
        first = 0.0 if counts else float(one.value[0])
        found.append(series_of(one.id, [0, 60_000], [first, float(one.value[0])]))
    return found, families
