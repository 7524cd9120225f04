"""The page of one engine of the cluster, as vLLM 0.33 prints it."""

from __future__ import annotations

from collections.abc import Mapping

from twin.engine.observer import MD, RLD, Member, tokens_made
from twin.engine.pipeline import Pipeline

from .counting import Counting
from .engine_counts import EngineCounts
from .families import VLLM
from .gauges import (
    BLOCK_TOKENS,
    Gauges,
    kv_capacity_tokens,
    main_gauges,
    prefill_gauges,
    relay_gauges,
)
from .versions import Names
from .writing import PageWriter, python_number

CONTENT_TYPE = "text/plain; version=1.0.0; charset=utf-8"
"""As vLLM 0.32 answers."""


def engine_page(
    counting: Counting, members: Mapping[int, Member], pool: str, index: int,
    started_s: float, names: Names,
) -> str:  # fmt: skip
    """The page; `members` are the requests of its batch, `started_s` Unix time of its start."""
    p = counting.sim.pipeline
    counts = counting.engine(pool, index)
    _show_tokens(p, counts, members)
    seen = _gauges(counting, pool, index)
    scenario = p.scenario
    size = kv_capacity_tokens(scenario, scenario.pools()[pool])
    labels = {"engine": "0", "model_name": scenario.model.name}
    page = PageWriter("vllm:", labels, python_number, created_s=started_s)
    page.bare("process_start_time_seconds", "gauge", "Unix time of the start.", [((), started_s)])
    _families(page, counts, _values(seen, size), names)
    _config(page, size)
    return page.text()


def _show_tokens(p: Pipeline, counts: EngineCounts, members: Mapping[int, Member]) -> None:
    """Tokens of finished stays, and whole ones of those in the batch; never fewer than before."""
    now, live = p.clock.now, p.live
    tokens = counts.counters.get("generation_tokens")
    for number, member in members.items():
        if number in live:
            tokens += tokens_made(p, live[number], now) - member.before
    counts.shown_tokens = max(counts.shown_tokens, tokens)


def _gauges(counting: Counting, pool: str, index: int) -> Gauges:
    p = counting.sim.pipeline
    if pool == RLD:
        return relay_gauges(p, index, counting.home)
    if pool == MD:
        return main_gauges(p, index, counting.home)
    return prefill_gauges(p, pool, index)


def _values(seen: Gauges, size: float) -> dict[str, dict[str, float]]:
    return {
        "num_requests_running": {"": seen.running},
        "num_requests_waiting": {"": seen.capacity + seen.deferred},
        "num_requests_waiting_by_reason": {"capacity": seen.capacity, "deferred": seen.deferred},
        "num_requests_kv_fetch_by_stage": dict(seen.fetching),
        "kv_cache_usage_perc": {"": min(1.0, seen.kv_tokens / size)},
    }


def _families(
    page: PageWriter, counts: EngineCounts, gauges: Mapping[str, Mapping[str, float]], names: Names
) -> None:
    for family in VLLM:
        shown = names.of(family.name)
        if shown is None:
            continue
        if family.kind == "gauge":
            page.gauge(family, gauges[family.name], shown)
        elif family.kind == "histogram":
            page.histogram(family, counts.counters, shown)
        elif family.name == "generation_tokens":
            page.counter(family, counts.counters, shown, value=counts.shown_tokens)
        else:
            page.counter(family, counts.counters, shown)


def _config(page: PageWriter, size: float) -> None:
    labels = {
        "block_size": str(BLOCK_TOKENS), "cache_dtype": "auto", "enable_prefix_caching": "True",
        "engine": "0", "kv_cache_size_tokens": str(int(size)),
        "num_gpu_blocks": str(int(size) // BLOCK_TOKENS),
    }  # fmt: skip
    page.bare(
        "vllm:cache_config_info", "gauge", "How the KV cache is laid out.",
        [(sorted(labels.items()), 1.0)],
    )  # fmt: skip
