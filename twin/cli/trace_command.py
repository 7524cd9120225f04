"""`trace`: what a recorded trace holds, and the prefix hit rates that caches could reach on it."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from ..scenario import HIT_EDGES
from ..workload.cache_profile import TraceProfile, profile
from ..workload.trace_table import Trace
from . import inputs
from .console import Console, json_text
from .export import Export
from .tables import count, number, table


def trace_command(args: Namespace, console: Console) -> int:
    """Read, profile, write, tell."""
    export = Export(args.out)
    found = inputs.trace(args.file, console)
    assert found is not None
    said = profile(found)
    data: dict[str, Any] = asdict(said)
    export.write(data, [data])
    console.put(json_text(data) if args.json else _text(found, said))
    return 0


def _text(trace: Trace, said: TraceProfile) -> str:
    loop = "closed loop" if trace.closed_loop else "open loop"
    ids = "no block ids" if trace.block_tokens is None else f"blocks of {trace.block_tokens} tokens"
    head = f"{trace.name}: {trace.format}, {loop}, {trace.duration_s:,.0f} s, {ids}"
    rows = [
        ["requests", count(said.requests)],
        ["input tokens", count(said.input_tokens)],
        ["output tokens", count(said.output_tokens)],
        ["mean hit", number(said.mean_hit, 4)],
        ["token-weighted hit", number(said.token_weighted_hit, 4)],
        ["share >= 95 %", number(said.share_ge_95, 4)],
    ]
    parts = [head, table(rows, "<>"), *_buckets(said), *_lru(said)]
    if said.buckets is None:
        parts.append("Without block ids nothing is known of prefixes.")
    return "\n\n".join(parts)


def _buckets(said: TraceProfile) -> list[str]:
    if said.buckets is None:
        return []
    names = [f"{100 * low:.0f}-{100 * high:.0f} %" for low, high in pairwise(HIT_EDGES)]
    shares = [number(share, 1, "%", 100) for share in said.buckets]
    return ["Hit rates with a cache without end:\n" + table([names, shares], ">")]


def _lru(said: TraceProfile) -> list[str]:
    if said.lru is None:
        return []
    rows = [["LRU cache", "mean hit", "share >= 95 %"]]
    rows += [
        [f"{hits.tokens / 1e6:g} M tokens", number(hits.mean_hit, 3), number(hits.share_ge_95, 3)]
        for hits in said.lru
    ]
    return [table(rows, ">")]
