"""What a run says: quantiles, stages, shares, bytes, goodput, cost; None where it cannot say."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


def unless_absent() -> Any:
    """A figure that only some deployments have; the others do not write it at all."""
    return Field(None, exclude_if=lambda value: value is None)


class Said(BaseModel):
    """A frozen part of a result."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Quantiles(Said):
    """Mean and quantiles of a time, in seconds; None without a single value."""

    mean: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    max: float | None = None


class Stages(Said):
    """Mean seconds of each stage. The first six sum to TTFT, all nine to the total."""

    queue_p: float | None = None
    prefill: float | None = None
    transfer: float | None = None
    queue_slot: float | None = None
    first_step: float | None = None
    output_overhead: float | None = None
    relay: float | None = None
    handoff: float | None = None
    main: float | None = None


class Requests(Said):
    """Requests of the whole run; arrived = finished + refused + in_flight."""

    arrived: int
    finished: int
    refused: int
    in_flight: int


class Window(Said):
    """The measured part of a run: arrivals from `from_s` to `to_s`."""

    from_s: float
    to_s: float
    requests: int
    unfinished: int


class Pipelines(Said):
    """Requests of the window by pipeline."""

    p_md: int
    p_rld_md: int
    p_rld: int
    filtered: int
    p_d: int
    pb_md: int | None = unless_absent()


class Utilisation(Said):
    """Use of each resource in the window, 0 to 1 (demand over capacity for prefill and line)."""

    prefill: float | None = None
    relay_slots: float | None = None
    main_slots: float | None = None
    line: float | None = None
    drc: float | None = None
    prefill_b: float | None = unless_absent()


class Series(Said):
    """Courses over time, all of equal length (at most 600 points)."""

    time_s: list[float]
    values: dict[str, list[float | None]]


class Result(Said):
    """One run. Times in seconds, rates in requests/s or Gbps, shares from 0 to 1.

    `cpu_s` is the only field that depends on the machine; all else is a function of scenario,
    requests, seed and program version.
    """

    scenario: str
    digest: str
    workload: str
    seed: int
    version: str
    ttft_s: Quantiles
    itl_s: Quantiles
    tpot_s: Quantiles
    total_s: Quantiles
    largest_gap_s: Quantiles
    handoff_gap_s: Quantiles
    transfer_s: Quantiles
    relayed_transfer_s: Quantiles
    high_hit_transfer_s: Quantiles
    stages_s: Stages
    throughput_rps: float | None
    sla_ok_share: float | None
    goodput_rps: float | None
    rld_token_share: float | None
    relay_request_share: float | None
    local_request_share: float | None
    beside_request_share: float | None = unless_absent()
    p_hit: float | None
    md_hit: float | None
    line_gbps: float | None
    line_bytes: float | None
    kv_bytes: float | None
    pipelines: Pipelines
    utilisation: Utilisation
    saturated: bool
    backlog_growth_rps: float | None
    cost_units: float
    cost_units_high: float | None
    window: Window
    requests: Requests
    series: Series | None
    troubles: list[str]
    events: int
    cpu_s: float | None
