"""How the sources stand: what `/health` and the pages tell of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Status = Literal["starting", "ok", "catching up", "failing", "waiting"]


@dataclass
class TargetState:
    """One page that is scraped, or one target that a server tells of."""

    up: bool | None = None
    at_ms: int | None = None
    reason: str = ""
    troubles: tuple[str, ...] = ()
    series: int = 0


@dataclass
class SourceState:
    """One source: `since_ms` is when it came to its status."""

    name: str
    kind: str
    address: str
    status: Status = "starting"
    since_ms: int | None = None
    reason: str = ""
    newest_ms: int | None = None
    warnings: list[str] = field(default_factory=list)
    targets: dict[str, TargetState] = field(default_factory=dict)

    def become(self, status: Status, now_ms: int, reason: str = "") -> None:
        """Take a status; the time is that of the last change."""
        if status != self.status or self.since_ms is None:
            self.since_ms = now_ms
        self.status, self.reason = status, reason

    def told(self, now_ms: int) -> dict[str, Any]:
        """As plain data, with the lag in seconds."""
        lag = None if self.newest_ms is None else max(0, now_ms - self.newest_ms) / 1000
        return asdict(self) | {"lag_s": lag}


def health(states: Mapping[str, SourceState], now_ms: int, problem: str = "") -> dict[str, Any]:
    """The whole ingester in words and in data; it is healthy as long as it can store."""
    failing = [name for name, one in states.items() if one.status == "failing"]
    words = "no source is configured" if not states else f"{len(states)} sources"
    if failing:
        words += f", failing: {', '.join(failing)}"
    return {
        "status": "faulty" if problem else "idle" if not states else "running",
        "words": problem or words,
        "sources": [one.told(now_ms) for one in states.values()],
    }
