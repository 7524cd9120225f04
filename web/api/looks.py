"""What viewers are shown of a running twin, as bytes that are built once for all of them."""

from __future__ import annotations

from typing import Any

import orjson

from twin.engine.simulation import SAMPLE_EVERY_S
from twin.running import RunningTwin

TILES_EVERY_S = 0.5
"""Tiles go along with a frame this often (wall s)."""


class Looks:
    """Builds frames of one twin; remembers which samples and tiles have gone out already."""

    def __init__(self, name: str, twin: RunningTwin) -> None:
        self.name = name
        self.twin = twin
        self.told_s = self._sampled_s()
        self.tiles_at = float("-inf")

    def _sampled_s(self) -> float:
        """Simulated time of the last sample there can be."""
        return self.twin.now // SAMPLE_EVERY_S * SAMPLE_EVERY_S

    def frame(
        self, pace: float, paused: bool, real_pace: float, wall_s: float, with_tiles: bool
    ) -> tuple[bytes, bool]:
        """The frame of now, and whether it carries tiles or samples that later ones will not."""
        seen: dict[str, Any] = {
            "type": "frame",
            "twin": self.name,
            **self.twin.frame(),
            "pace": pace,
            "paused": paused,
            "real_pace": round(real_pace, 2),
        }
        tiles_due = with_tiles or wall_s - self.tiles_at >= TILES_EVERY_S
        if tiles_due:
            seen["tiles"] = self.twin.tiles()
            self.tiles_at = wall_s
        more = self._new_samples(seen)
        return orjson.dumps(seen), tiles_due or more

    def _new_samples(self, seen: dict[str, Any]) -> bool:
        sampled = self._sampled_s()
        if sampled <= self.told_s:
            return False
        seen["course"] = self.twin.courses(self.told_s)
        if self.twin.baseline is not None:
            seen["baseline_course"] = self.twin.courses(self.told_s, of_baseline=True)
        self.told_s = sampled
        return True

    def whole(self) -> dict[str, bytes]:
        """All that a new viewer needs, each part as JSON."""
        twin = self.twin
        other = twin.baseline
        parts = {
            "scenario": twin.sim.scenario.model_dump(mode="json"),
            "baseline": None if other is None else other.scenario.model_dump(mode="json"),
            "courses": twin.courses(),
            "baseline_courses": twin.courses(of_baseline=True),
            "tiles": twin.tiles(),
        }
        return {name: orjson.dumps(part) for name, part in parts.items()}
