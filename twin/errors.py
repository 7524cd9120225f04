"""The errors a person can cause; each names the place, the value, and what would be right.

TwinError
├── ScenarioError   a scenario or its file is wrong (carries every problem at once)
├── TraceError      a trace has bad lines (carries every problem found, up to a cap)
├── TurnError       a setting of a running twin cannot be turned, or not to that value
└── RunError        a run cannot be carried out as asked
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where, what was found there, and what would be right."""

    place: str
    found: str
    remedy: str

    def sentence(self) -> str:
        """The problem as one line of text for a person."""
        seen = f" is {self.found}" if self.found else ""
        return f"{self.place}{seen}: {self.remedy}"


def shown(value: Any, limit: int = 80) -> str:
    """A value as it may stand in a sentence: short, one line, never markup."""
    text = repr(value) if isinstance(value, str) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


class TwinError(Exception):
    """Base of every error that is explained to a person; holds its problems in order."""

    def __init__(self, problems: Problem | Iterable[Problem], headline: str = "") -> None:
        self.problems: tuple[Problem, ...] = (
            (problems,) if isinstance(problems, Problem) else tuple(problems)
        )
        self.headline = headline
        super().__init__(self.text())

    def text(self) -> str:
        """Headline and all problems, one a line."""
        lines = [p.sentence() for p in self.problems]
        return "\n".join([self.headline, *lines] if self.headline else lines)


class ScenarioError(TwinError):
    """A scenario is not valid."""


class TraceError(TwinError):
    """A trace cannot be read; nothing of it was kept."""


class TurnError(TwinError):
    """A setting cannot be turned in a running twin; the twin goes on unchanged."""


class RunError(TwinError):
    """A run cannot be carried out as asked."""
