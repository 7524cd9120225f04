"""What a deployment is built of: chips, the served model, pools, sites, the line, the caches."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from .errors import Problem, shown
from .frozen import CrossProblems, Name, Part, optional, required
from .profiles import KvPoint, PoolProfile, rising


class Chip(Part):
    """A kind of accelerator and how well the served model uses it."""

    name: Name = required("Short name; prices are given by it.")
    peak_tflops: float = required("Dense peak compute in TFLOP/s.", gt=0, le=1e5)
    memory_gb: float = required("Memory of one chip in GB (decimal).", gt=0, le=1e4)
    memory_tbytes_per_s: float = required("Memory bandwidth of one chip in TB/s.", gt=0, le=1e3)
    prefill_mfu: float = optional(0.262, "Share of peak compute that prefill reaches.", gt=0, le=1)
    decode_bandwidth_share: float = optional(
        0.43, "Share of memory bandwidth that a decode step reaches.", gt=0, le=1
    )
    decode_compute_share: float = optional(
        0.45, "Share of peak compute that a decode step reaches.", gt=0, le=1
    )
    prefill_overhead_ms: float = optional(40.0, "Fixed time of one prefill in ms.", ge=0, le=1e5)
    step_overhead_ms: float = optional(5.0, "Fixed time of one decode step in ms.", ge=0, le=1e4)
    interconnect_gbytes_per_s: float | None = optional(
        None, "What one chip can send to the others of its instance, one way, in GB/s.",
        gt=0, le=1e6,
    )  # fmt: skip
    prefill_chunk_tokens: int | None = optional(
        None, "Most tokens of a prefill chunk; each pays the fixed time. None means whole prompts.",
        ge=16, le=10**7,
    )  # fmt: skip


class ServedModel(Part):
    """The served model as the twin needs it: sizes, FLOP and KV bytes."""

    name: Name = required("Short name of the served model.")
    total_params_b: float = required("All parameters, in 1e9.", gt=0, le=1e5)
    active_params_b: float = required("Parameters active for one token, in 1e9.", gt=0, le=1e5)
    experts: int = optional(1, "Routed experts per layer; 1 for a dense model.", ge=1, le=65536)
    experts_per_token: int = optional(1, "Routed experts one token uses.", ge=1, le=65536)
    weights_gb: float = required("Bytes of all weights in memory, in GB.", gt=0, le=1e5)
    dense_weights_gb: float = required(
        "Part of the weights that every step reads, in GB.", ge=0, le=1e5
    )
    kv_bytes_per_token: float = required(
        "KV cache of one token over all layers, in bytes.", ge=0, le=1e8
    )
    fixed_state_mb: float = optional(
        0.0, "State of a request that does not grow, in MB.", ge=0, le=1e6
    )
    kv_profile: tuple[KvPoint, ...] = optional(
        (), "Measured KV bytes by length, in place of the two figures above for what is sent.",
        quiet=True, max_length=1000,
    )  # fmt: skip
    kv_read_share: float = optional(
        0.25, "Share of the held KV cache that one decode step reads.", ge=0, le=1
    )
    prefill_extra_gflop_per_token: float = optional(
        0.0, "FLOP a prefill token needs beyond 2 x active parameters, in GFLOP.", ge=0, le=1e6
    )
    prefill_attention_mflop_per_pair: float = optional(
        0.0, "Attention FLOP of a new token for one token before it, in MFLOP.", ge=0, le=1e6
    )
    decode_attention_gflop_per_token: float = optional(
        0.0, "Attention FLOP of one decoded token, in GFLOP.", ge=0, le=1e6
    )
    tokens_per_step: float = optional(
        1.0, "Tokens a request gains in one decode step (multi-token prediction).", ge=1, le=16
    )
    all_to_all_us_per_token: float = optional(
        0.0, "Exchange between experts, in microseconds per token of the batch.", ge=0, le=1e6
    )
    all_to_all_kb_per_token: float = optional(
        0.0, "Exchange between experts, in KB per token, sent over the chips' interconnect.",
        ge=0, le=1e7,
    )  # fmt: skip

    @model_validator(mode="after")
    def _consistent(self) -> ServedModel:
        wrong = []
        if self.active_params_b > self.total_params_b:
            wrong.append(
                Problem(
                    "active_params_b",
                    shown(self.active_params_b),
                    f"must not exceed total_params_b ({self.total_params_b})",
                )
            )
        if self.dense_weights_gb > self.weights_gb:
            wrong.append(
                Problem(
                    "dense_weights_gb",
                    shown(self.dense_weights_gb),
                    f"must not exceed weights_gb ({self.weights_gb})",
                )
            )
        if self.experts_per_token > self.experts:
            wrong.append(
                Problem(
                    "experts_per_token",
                    shown(self.experts_per_token),
                    f"must not exceed experts ({self.experts})",
                )
            )
        wrong += rising("kv_profile", self.kv_profile, "tokens", "kv_bytes")
        if wrong:
            raise CrossProblems(wrong)
        return self


class Pool(Part):
    """Equal instances of one chip that do one job."""

    chip: Chip = required("The chip every instance of the pool is made of.")
    instances: int = required("Number of instances.", live=True, ge=1, le=512)
    chips_per_instance: int = required("Chips in one instance; any number.", ge=1, le=4096)
    profile: PoolProfile | None = optional(
        None, "What was measured of one instance, in place of the roofline of its chip.",
        quiet=True,
    )  # fmt: skip

    @property
    def chips(self) -> int:
        """Chips in the whole pool."""
        return self.instances * self.chips_per_instance


class Datacenter(Part):
    """A site and the RDMA network inside it."""

    name: Name = required("Name of the site.")
    rdma_gbytes_per_s: float = optional(
        50.0, "Rate of a KV transfer by RDMA inside the site, in GB/s.", gt=0, le=1e6
    )
    rdma_setup_ms: float = optional(20.0, "Fixed time of an RDMA transfer in ms.", ge=0, le=1e5)


class Line(Part):
    """The wide-area line from datacenter A to datacenter B."""

    bandwidth_gbps: float | None = required(
        "Raw bandwidth in Gbps; none means unlimited.", live=True, gt=0, le=1e6
    )
    goodput_share: float = optional(
        0.87, "Share of the raw bandwidth that carries KV.", live=True, gt=0, le=1
    )
    per_flow_cap_gbps: float | None = optional(
        10.0, "Most that one transfer gets, in Gbps of payload; none means no cap.",
        live=True, gt=0, le=1e6,
    )  # fmt: skip
    rtt_ms: float = optional(21.0, "Round-trip time in ms.", live=True, ge=0, le=5e3)
    slow_start: bool = optional(True, "Each transfer starts slowly, as TCP does.", live=True)
    initial_window_kb: float = optional(14.6, "TCP's initial window in KB.", gt=0, le=1e6)
    jitter_share: float = optional(
        0.3, "Largest extra delay of a transfer, as a share of the RTT (uniform).",
        live=True, ge=0, le=10,
    )  # fmt: skip
    timeout_share: float = optional(
        0.0, "Share of transfers that meet a retransmission timeout (assumed).",
        live=True, ge=0, le=1,
    )  # fmt: skip
    timeout_s: float = optional(
        0.32, "Delay of a retransmission timeout in seconds (assumed).", live=True, ge=0, le=60
    )
    discipline: Literal["sharing", "fifo"] = optional(
        "sharing", "Transfers share the line equally, or go one after the other."
    )


class Caches(Part):
    """The prefix caches of prefill and of main decode, and the memory behind decode slots."""

    prefill_tb: float | None = optional(
        None, "Size of prefill's prefix cache in TB; none means unlimited.", live=True, ge=0, le=1e6
    )
    drc_enabled: bool = optional(
        True, "Main decode keeps history KV (DRC); a hit there is not sent again.", live=True
    )
    drc_tb: float | None = optional(
        8.0, "Size of the decode-side cache in TB; none means unlimited.", live=True, ge=0, le=1e6
    )
    memory_usable_share: float = optional(
        0.92, "Share of chip memory for weights and KV.", gt=0, le=1
    )
    slot_context_tokens: int = optional(
        70_000, "Context that one memory slot of a decode pool provides for.", ge=1, le=10**8
    )


def decode_slots(pool: Pool, model: ServedModel, caches: Caches) -> int:
    """Memory slots of one decode instance: (usable share x memory - weights) / KV of a slot.

    A profile of the pool may give them instead.
    """
    if pool.profile is not None and pool.profile.slots is not None:
        return pool.profile.slots
    usable = caches.memory_usable_share * pool.chips_per_instance * pool.chip.memory_gb * 1e9
    slot = model.kv_bytes_per_token * caches.slot_context_tokens + model.fixed_state_mb * 1e6
    left = usable - model.weights_gb * 1e9
    if left <= 0:
        return 0
    return int(left / slot) if slot > 0 else 10**6
