"""The page of the line's sending end, as node_exporter prints a network device."""

from __future__ import annotations

from twin.engine.pipeline import Pipeline
from twin.units import gbps_to_bytes_per_s

from .writing import PageWriter, go_number

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
DEVICE = "wan0"

UNKNOWN_SPEED = -125_000.0
"""What node_exporter says of a device whose speed the system does not know."""


def line_page(p: Pipeline, sent_before: float) -> str:
    """Bytes sent since `sent_before` (bytes) and the speed of the device; nothing comes back."""
    line, settings = p.line, p.scenario.line
    assert line is not None and settings is not None
    sent, _ = line.totals(p.clock.now)
    speed = settings.bandwidth_gbps
    page, device = PageWriter("", {}, go_number), (("device", DEVICE),)
    for name, kind, text, value in (
        ("node_network_receive_bytes_total", "counter", "Bytes received.", 0.0),
        ("node_network_speed_bytes", "gauge", "Speed in bytes per second.",
         UNKNOWN_SPEED if speed is None else gbps_to_bytes_per_s(speed)),
        ("node_network_transmit_bytes_total", "counter", "Bytes sent.",
         float(round(max(0.0, sent - sent_before)))),
        ("node_network_up", "gauge", "1 when the device is up.", 0.0 if line.cut else 1.0),
    ):  # fmt: skip
        page.bare(name, kind, text, [(device, value)])
    return page.text()
