"""What one engine of the cluster has counted since it started, as vLLM would count it."""

from __future__ import annotations

from dataclasses import dataclass

from twin.engine.journey import Journey

from .families import VLLM, bounds
from .histogram import Counters

BOUNDS = bounds(VLLM)
DESCRIPTORS_EACH_BYTES = 2**20
"""Bytes that one descriptor of a transfer stands for (assumed)."""


@dataclass
class Stay:
    """A request in a decode batch: when its first token here is due, its prompt here in tokens."""

    joined_s: float
    first_s: float
    asked_s: float
    prompt: float
    computed: float
    """Prompt tokens that this engine's own cache did not hold."""


class EngineCounts:
    """Counters of one engine; all start at 0 with it."""

    def __init__(self, started_s: float) -> None:
        self.started_s = started_s
        self.counters = Counters(BOUNDS)
        self.owed = 0.0
        """Tokens of the batch that are no inter-token observations: first ones, broken ones."""
        self.shown_tokens = 0.0
        self.stays: dict[int, Stay] = {}

    # --- prompts

    def prompt(self, computed: float, cached: float, fetched: float) -> None:
        """A prompt is ready: tokens computed here, held here, and fetched from elsewhere."""
        c, missed = self.counters, computed + fetched
        for source, tokens in (
            ("local_compute", computed), ("local_cache_hit", cached),
            ("external_kv_transfer", fetched),
        ):  # fmt: skip
            c.add("prompt_tokens_by_source", tokens, source)
        c.add("prompt_tokens", missed + cached)
        c.add("prompt_tokens_cached", cached + fetched)
        c.add("prompt_tokens_cached_by_source", cached, "device")
        c.add("prompt_tokens_cached_by_source", fetched, "p2p")
        c.add("prefix_cache_queries", missed + cached)
        c.add("prefix_cache_hits", cached)
        c.add("external_prefix_cache_queries", missed)
        c.add("external_prefix_cache_hits", fetched)

    def transfer(self, nbytes: float, seconds: float) -> None:
        """A KV transfer to this engine; nothing to send is no transfer."""
        if nbytes <= 0:
            return
        c = self.counters
        c.observe("nixl_xfer_time_seconds", seconds)
        c.observe("nixl_post_time_seconds", 0.001)
        c.observe("nixl_bytes_transferred", nbytes)
        c.observe("nixl_num_descriptors", max(1.0, nbytes // DESCRIPTORS_EACH_BYTES))

    def prefill_done(self, j: Journey, new: float, cached: float) -> None:
        """A prefill instance has computed a prompt and made the one token it is asked for."""
        c = self.counters
        self.prompt(new, cached, 0.0)
        c.add("generation_tokens", 1)
        c.add("request_success", 1, "length")
        c.observe("iteration_tokens_total", new + 1)
        c.observe("time_to_first_token_seconds", j.prefill_end - j.arrival)
        c.observe("request_time_per_output_token_seconds", 0.0)
        c.observe("request_decode_time_seconds", 0.0)
        self._lengths(new + cached, 1, new)
        c.observe("request_params_max_tokens", 1)
        self._times(j.arrival, j.prefill_start, j.prefill_end, j.prefill_end)

    def _lengths(self, prompt: float, made: int, computed: float) -> None:
        self.counters.observe("request_prompt_tokens", prompt)
        self.counters.observe("request_generation_tokens", made)
        self.counters.observe("request_prefill_kv_computed_tokens", computed)

    def _times(self, asked: float, began: float, first: float, end: float) -> None:
        c = self.counters
        c.observe("e2e_request_latency_seconds", end - asked)
        c.observe("request_queue_time_seconds", began - asked)
        c.observe("request_inference_time_seconds", end - began)
        c.observe("request_prefill_time_seconds", first - began)

    # --- decoding

    def decoded(self, batch: int, each: float, itl_s: float, tokens_per_step: float) -> float:
        """A stretch of decoding; returns how many of its tokens are inter-token observations."""
        c, tokens = self.counters, batch * each
        c.observe("iteration_tokens_total", batch * tokens_per_step, each / tokens_per_step)
        weight = tokens - self.owed
        if weight < 0:
            self.owed = -weight
            return 0.0
        self.owed = 0.0
        c.observe("inter_token_latency_seconds", itl_s, weight)
        return weight

    def joined(self, j: Journey, stay: Stay) -> None:
        """A request joins the batch: its first token here follows no other."""
        self.owed += 1
        self.stays[j.number] = stay

    def first_token(self, stay: Stay) -> None:
        """The first token made here is out."""
        self.counters.observe("time_to_first_token_seconds", stay.first_s - stay.asked_s)

    def left(self, j: Journey, made: int, virtual: float, at_s: float, why: str) -> None:
        """A request leaves the batch with `made` whole tokens; a broken one is dropped."""
        c = self.counters
        self.owed += virtual - made
        c.add("generation_tokens", made)
        c.add("request_success", 1, why)
        stay = self.stays.pop(j.number, None)
        if stay is None:
            return  # it came before the page did
        if made and stay.first_s > at_s:  # it was over within its first step
            stay.first_s = at_s
            self.first_token(stay)
        first = min(stay.first_s, at_s)
        decoding = at_s - first
        self._lengths(stay.prompt, made, stay.computed)
        c.observe("request_params_max_tokens", j.out)
        c.observe("request_decode_time_seconds", decoding)
        if made > 1:
            c.observe("request_time_per_output_token_seconds", decoding / (made - 1))
        self._times(stay.asked_s, stay.joined_s, first, at_s)

    def never_joined(self) -> None:
        """A request whose KV came is over without a token made here."""
        self.counters.add("request_success", 1, "abort")
