"""What older engines called the families, and which of them they had not: for provoked renames."""

from __future__ import annotations

from dataclasses import dataclass, field

from twin.errors import Problem, RunError, shown


@dataclass(frozen=True)
class Names:
    """Families under other names, and families left out (names of 0.33 without prefix)."""

    renamed: dict[str, str] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()

    def of(self, name: str) -> str | None:
        """The name it has there; None when it is not there."""
        return None if name in self.absent else self.renamed.get(name, name)


NEW_SINCE_0_16 = frozenset({
    "num_requests_waiting_by_reason", "num_requests_kv_fetch_by_stage",
    "prompt_tokens_cached_by_source",
})  # fmt: skip
NEW_SINCE_0_13 = NEW_SINCE_0_16 | {"prompt_tokens_by_source", "prompt_tokens_cached"}
CONNECTOR = frozenset({
    "nixl_xfer_time_seconds", "nixl_post_time_seconds", "nixl_bytes_transferred",
    "nixl_num_descriptors", "nixl_num_failed_transfers", "nixl_num_failed_notifications",
    "nixl_num_kv_expired_reqs", "external_prefix_cache_queries", "external_prefix_cache_hits",
})  # fmt: skip
NEW_SINCE_0_10 = NEW_SINCE_0_13 | CONNECTOR | {
    "request_time_per_output_token_seconds", "request_prefill_kv_computed_tokens",
}  # fmt: skip

ITL_BEFORE_0_11 = {"inter_token_latency_seconds": "time_per_output_token_seconds"}
GPU_BEFORE_0_10 = {
    "kv_cache_usage_perc": "gpu_cache_usage_perc",
    "prefix_cache_queries": "gpu_prefix_cache_queries",
    "prefix_cache_hits": "gpu_prefix_cache_hits",
}

VERSIONS: dict[str, Names] = {
    "0.33": Names(),
    "0.16": Names(absent=NEW_SINCE_0_16),
    "0.13": Names(absent=NEW_SINCE_0_13),
    "0.10": Names(ITL_BEFORE_0_11, NEW_SINCE_0_10),
    "0.8": Names(ITL_BEFORE_0_11 | GPU_BEFORE_0_10, NEW_SINCE_0_10),
}
"""Versions of vLLM whose names differ, newest first."""


def names_of(version: str) -> Names:
    """The names of a version; RunError when it is not known."""
    found = VERSIONS.get(version)
    if found is None:
        remedy = f"known versions of vLLM's names are {', '.join(VERSIONS)}"
        raise RunError(Problem("version", shown(version), remedy))
    return found
