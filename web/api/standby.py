"""The newest state of a running twin, kept at hand for the moment in which its worker dies.

With what the twin remembers beside it, the next worker replays minutes and not half an hour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from twin.running import REMEMBERS_S


@dataclass(frozen=True)
class Standby:
    """A state at `t` (simulated s) after the entry of this number, and its memory."""

    t: float
    entry: int
    state: bytes
    memory: bytes

    def made_from(self, log: Sequence[dict[str, Any]], at_s: float) -> dict[str, Any] | None:
        """What makes the twin as it was at `at_s`; None when the replay is no shorter, or wrong.

        It would be wrong from a state that holds an entry which the log has not.
        """
        numbers = [entry["number"] for entry in log]
        if not self.t <= at_s < self.t + REMEMBERS_S or self.entry not in (0, *numbers):
            return None
        later = [entry for entry in log if self.entry < entry["number"] and entry["at_s"] <= at_s]
        return {"checkpoint": self.state, "memory": self.memory, "log": later, "until": at_s}
