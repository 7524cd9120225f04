"""Named conversions: inside the twin are seconds, bytes, tokens and FLOP; K = 1000 everywhere."""

from __future__ import annotations

KILO = 1e3
MEGA = 1e6
GIGA = 1e9
TERA = 1e12
BITS_PER_BYTE = 8.0


def gbps_to_bytes_per_s(gbps: float) -> float:
    """Gigabits per second (decimal) to bytes per second."""
    return gbps * GIGA / BITS_PER_BYTE


def bytes_per_s_to_gbps(bytes_per_s: float) -> float:
    """Bytes per second to gigabits per second (decimal)."""
    return bytes_per_s * BITS_PER_BYTE / GIGA


def ms_to_s(ms: float) -> float:
    """Milliseconds to seconds."""
    return ms / KILO
