"""The wide-area line: rate of a flow, its latency tail, and the router's estimate of a transfer."""

from __future__ import annotations

from math import inf, log2

UNLIMITED_BYTES_PER_S = 1e18
"""Stands for a line without a limit: a finite rate keeps every time finite."""


def line_rates(
    bandwidth_gbps: float | None, goodput_share: float, per_flow_cap_gbps: float | None
) -> tuple[float, float]:
    """C_line and f in bytes/s; f is payload and is not multiplied by the goodput share."""
    line = UNLIMITED_BYTES_PER_S if bandwidth_gbps is None else bandwidth_gbps * 1e9 / 8
    flow = inf if per_flow_cap_gbps is None else per_flow_cap_gbps * 1e9 / 8
    return line * goodput_share, flow


def flow_rate(line_bytes_per_s: float, flow_cap_bytes_per_s: float, flows: int) -> float:
    """Rate of each of `flows` equal flows: min(f, C_line / n), in bytes/s."""
    share = line_bytes_per_s / flows
    return flow_cap_bytes_per_s if flow_cap_bytes_per_s < share else share


def slow_start_seconds(
    nbytes: float, flow_cap_bytes_per_s: float, rtt_s: float, window_bytes: float
) -> float:
    """Time TCP's slow start adds: max(0, RTT log2(1 + x/IW) - x/f), x = min(bytes, f RTT)."""
    ramp = min(nbytes, flow_cap_bytes_per_s * rtt_s) if rtt_s > 0 else 0.0
    return max(0.0, rtt_s * log2(1 + ramp / window_bytes) - ramp / flow_cap_bytes_per_s)


def estimate_seconds(
    nbytes: float, line_bytes_per_s: float, flow_cap_bytes_per_s: float, flows: int, rtt_s: float
) -> float:
    """The router's T_est for one more flow beside `flows`: bytes / min(f, C_line/(n+1)) + RTT."""
    if line_bytes_per_s <= 0:
        return inf
    return nbytes / flow_rate(line_bytes_per_s, flow_cap_bytes_per_s, flows + 1) + rtt_s
