"""Efficiencies of chips fitted to public measurements, and how well they predict."""

from __future__ import annotations

from typing import Any

from twin.hardware.calibration import calibrate_hardware
from twin.hardware.plain_data import as_data

from ..study import Arguments, Progress, Study


class HardwareFit(Arguments):
    """Nothing is asked: the measurements are those that come with the twin."""


def work(_: HardwareFit, progress: Progress) -> dict[str, Any]:
    """Fit them."""
    progress(0.05)
    return as_data(calibrate_hardware())


STUDY = Study("hardware_fit", "Efficiencies fitted to public measurements.", HardwareFit, work)
