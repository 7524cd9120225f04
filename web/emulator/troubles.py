"""Provoked troubles of the pages: which of them do not answer, and which have older names."""

from __future__ import annotations

from collections.abc import Iterable

from .versions import Names, names_of

Place = tuple[str, int]
"""Role and instance."""


class Troubles:
    """What was provoked, by target."""

    def __init__(self) -> None:
        self.missing_until: dict[Place, float] = {}
        self.names: dict[Place, Names] = {}

    def miss(self, role: str, instance: int, until_s: float) -> None:
        """A target does not answer before `until_s` (clock)."""
        before = self.missing_until.get((role, instance), until_s)
        self.missing_until[role, instance] = max(before, until_s)

    def misses(self, role: str, instance: int, now_s: float) -> bool:
        """Whether a target does not answer at `now_s` (clock)."""
        return now_s < self.missing_until.get((role, instance), now_s)

    def rename(self, version: str, places: Iterable[Place]) -> None:
        """Engines print the names of a version; RunError when it is not known."""
        names = names_of(version)
        self.names |= dict.fromkeys(places, names)

    def names_of(self, role: str, instance: int) -> Names:
        """The names that an engine prints."""
        return self.names.get((role, instance), Names())
