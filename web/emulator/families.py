"""The families of each page: names, kinds, labels and buckets of the real programs.

vLLM: names of 0.33.0, order and buckets as printed by 0.32.0 (which differs in none of them) for a
model of `MAX_MODEL_LEN`. Dynamo: the frontend of 1.6.1. The sentences of help are our own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["counter", "gauge", "histogram"]

MAX_MODEL_LEN = 262_144
"""Longest context the engines claim to serve (assumed); buckets of lengths end below it."""


@dataclass(frozen=True)
class Family:
    """One family of a page; `label` has one series for each of `values`."""

    kind: Kind
    name: str
    help: str
    label: str = ""
    values: tuple[str, ...] = ("",)
    bounds: tuple[float, ...] = ()


def one_two_five(most: float) -> tuple[float, ...]:
    """1, 2, 5, 10, 20, 50 ... up to `most`, as vLLM makes buckets of lengths."""
    found, power = [], 1
    while power <= most:
        found += [float(m * power) for m in (1, 2, 5) if m * power <= most]
        power *= 10
    return tuple(found)


LENGTHS = one_two_five(MAX_MODEL_LEN)
ITERATION = (1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
TTFT = (
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
    20.0, 40.0, 80.0, 160.0, 640.0, 2560.0,
)  # fmt: skip
ITL = (
    0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0,
    40.0, 80.0,
)  # fmt: skip
LATENCY = (
    0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0,
    480.0, 960.0, 1920.0, 7680.0,
)  # fmt: skip
TRANSFER = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 5.0)
TRANSFER_BYTES = tuple(float(2 ** (10 + 2 * i + 1)) for i in range(12))
DESCRIPTORS = (10, 20, 30, 50, 75, 100, 200, 400, 1000, 2000, 4000, 10000, 20000, 50000)

SOURCES = ("local_compute", "local_cache_hit", "external_kv_transfer")
TIERS = ("device", "host", "p2p", "disk", "external_unspecified")
REASONS = ("stop", "length", "abort", "error", "repetition")
FETCH_STAGES = ("waiting_to_start", "in_progress", "completed_waiting")


def _histogram(name: str, text: str, bounds: tuple[float, ...]) -> Family:
    return Family("histogram", name, text, bounds=bounds)


def _counter(name: str, text: str, label: str = "", values: tuple[str, ...] = ("",)) -> Family:
    return Family("counter", name, text, label, values)


def _gauge(name: str, text: str, label: str = "", values: tuple[str, ...] = ("",)) -> Family:
    return Family("gauge", name, text, label, values)


VLLM: tuple[Family, ...] = (
    _histogram("nixl_xfer_time_seconds", "Time of each KV transfer.", TRANSFER),
    _histogram("nixl_post_time_seconds", "Time to start each KV transfer.", (0.001, *TRANSFER)),
    _histogram("nixl_bytes_transferred", "Bytes of each KV transfer.", TRANSFER_BYTES),
    _histogram("nixl_num_descriptors", "Descriptors of each KV transfer.", DESCRIPTORS),
    _counter("nixl_num_failed_transfers", "KV transfers that failed."),
    _counter("nixl_num_failed_notifications", "Notifications that failed."),
    _counter("nixl_num_kv_expired_reqs", "Requests whose KV expired before it was fetched."),
    _gauge("num_requests_running", "Requests in the batch."),
    _gauge("num_requests_waiting", "Requests that wait."),
    _gauge("num_requests_waiting_by_reason", "Requests that wait, by why.",
           "reason", ("capacity", "deferred")),
    _gauge("num_requests_kv_fetch_by_stage", "Requests that wait for KV from elsewhere.",
           "stage", FETCH_STAGES),
    _gauge("kv_cache_usage_perc", "Share of the KV cache in use, 0 to 1."),
    _counter("prefix_cache_queries", "Tokens looked up in the prefix cache."),
    _counter("prefix_cache_hits", "Tokens found in the prefix cache."),
    _counter("external_prefix_cache_queries", "Tokens asked of the KV connector."),
    _counter("external_prefix_cache_hits", "Tokens the KV connector had."),
    _counter("num_preemptions", "Preemptions."),
    _counter("prompt_tokens", "Prompt tokens."),
    _counter("prompt_tokens_by_source", "Prompt tokens by where their KV is from.",
             "source", SOURCES),
    _counter("prompt_tokens_cached", "Prompt tokens that were not computed here."),
    _counter("prompt_tokens_cached_by_source", "The same by the tier that had them.",
             "source", TIERS),
    _counter("generation_tokens", "Tokens made."),
    _counter("request_success", "Finished requests by why they ended.",
             "finished_reason", REASONS),
    _histogram("request_prompt_tokens", "Prompt tokens of each finished request.", LENGTHS),
    _histogram("request_generation_tokens", "Tokens made for each finished request.", LENGTHS),
    _histogram("iteration_tokens_total", "Tokens of each engine step.", ITERATION),
    _histogram("request_params_max_tokens", "Tokens asked for at most.", LENGTHS),
    _histogram("time_to_first_token_seconds", "Time to the first token made here.", TTFT),
    _histogram("inter_token_latency_seconds", "Time between tokens made here.", ITL),
    _histogram("request_time_per_output_token_seconds", "Its mean for each request.", ITL),
    _histogram("e2e_request_latency_seconds", "Time of each request on this engine.", LATENCY),
    _histogram("request_queue_time_seconds", "Time of each request before it ran.", LATENCY),
    _histogram("request_inference_time_seconds", "Time of each request in the batch.", LATENCY),
    _histogram("request_prefill_time_seconds", "Time of its prefill.", LATENCY),
    _histogram("request_decode_time_seconds", "Time of its decoding.", LATENCY),
    _histogram("request_prefill_kv_computed_tokens",
               "Prompt tokens that were not in this engine's cache.", LENGTHS),
)  # fmt: skip
"""Families of an engine, without the prefix `vllm:`; counters without `_total`."""

TOKENS_IN = (0, 100, 210, 430, 870, 1800, 3600, 7400, 15000, 31000, 63000, 130000)
TOKENS_OUT = (0, 100, 210, 430, 880, 1800, 3700, 7600, 16000, 32000)
USER_TTFT = (
    0, 0.0022, 0.0047, 0.01, 0.022, 0.047, 0.1, 0.22, 0.47, 1, 2.2, 4.7, 10, 22, 48, 100, 220, 480,
)  # fmt: skip
USER_ITL = (
    0, 0.0018, 0.0033, 0.0059, 0.011, 0.02, 0.035, 0.064, 0.12, 0.21, 0.38, 0.69, 1.2, 2.3, 4.1,
    7.4, 13, 24, 44, 80,
)  # fmt: skip
DURATION = (0, 2, 4, 8, 16, 32, 64, 130, 260, 510)

FRONTEND: tuple[Family, ...] = (
    _gauge("active_requests", "Requests in the house."),
    _histogram("cached_tokens", "Tokens of each request that prefill had cached.", TOKENS_IN),
    _gauge("inflight_requests", "Requests in the house, by its older name."),
    _histogram("input_sequence_tokens", "Prompt tokens of each request.", TOKENS_IN),
    _histogram("inter_token_latency_seconds", "Time between tokens that users see.", USER_ITL),
    _histogram("output_sequence_tokens", "Output tokens of each request.", TOKENS_OUT),
    _counter("output_tokens", "Output tokens so far."),
    _gauge("queued_requests", "Requests without a token yet."),
    _histogram("request_duration_seconds", "Time of each request.", DURATION),
    _counter("requests_started", "Requests that came."),
    _counter("requests", "Requests that were answered."),
    _histogram("time_to_first_token_seconds", "Time to the first token users see.", USER_TTFT),
)
"""Families of the frontend, without the prefix `dynamo_frontend_`."""


def bounds(families: tuple[Family, ...]) -> dict[str, tuple[float, ...]]:
    """The buckets of the histograms among `families`."""
    return {f.name: f.bounds for f in families if f.kind == "histogram"}
