"""How each engine says each quantity: the profiles beside this file, read and checked.

An alternative names the metrics that a quantity can be read from; the first whose metrics are
there counts, for a page may print the old name beside the new one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from ..errors import Problem, TwinError
from .quantities import QUANTITIES
from .series import SeriesId

PROFILES = Path(__file__).parent / "profiles"

How = Literal["gauge", "rate", "histogram", "ratio", "part", "last_batch"]
HOWS: tuple[How, ...] = ("gauge", "rate", "histogram", "ratio", "part", "last_batch")

SUFFIXES = ("_bucket", "_sum", "_count", "_total", "_created")


@dataclass(frozen=True)
class Alternative:
    """One way to read a quantity. `names` are sample names, of a histogram its base name.

    `ratio`: increase of the first over that of the second. `part`: the part of one counter that
    `where` picks, over what `of` picks, or over itself plus the counter `plus`. `last_batch`: a
    gauge that only knows the last batch. Values above `most` and sentinels are none. With `needs`
    it says something only where such a series of its counter has ever counted.
    """

    engine: str
    how: How
    names: tuple[str, ...]
    where: Mapping[str, str] = field(default_factory=dict)
    below: Mapping[str, str] = field(default_factory=dict)
    of: Mapping[str, str] | None = None
    plus: str | None = None
    scale: float = 1.0
    most: float | None = None
    device: bool = False
    needs: Mapping[str, str] = field(default_factory=dict)

    def wanted(self) -> Iterator[str]:
        """Every sample name that it reads."""
        for name in self.names:
            if self.how == "histogram":
                yield from (f"{name}_bucket", f"{name}_sum", f"{name}_count")
            else:
                yield name
        if self.plus is not None:
            yield self.plus


@dataclass(frozen=True)
class Profile:
    """One engine: how its names begin, and its quantities."""

    engine: str
    prefixes: tuple[str, ...]
    quantities: Mapping[str, tuple[Alternative, ...]]


@cache
def profiles() -> tuple[Profile, ...]:
    """All profiles by name of their files; TwinError when one is wrong."""
    import yaml

    found = []
    for path in sorted(PROFILES.glob("*.yaml")):
        data = yaml.safe_load(path.read_text("utf-8"))
        found.append(_profile(data, path.name))
    return tuple(found)


def _profile(data: Mapping[str, Any], place: str) -> Profile:
    unknown = [name for name in data["quantities"] if name not in QUANTITIES]
    if unknown:
        raise TwinError(Problem(f"{place} quantities", unknown[0], "is no canonical quantity"))
    return Profile(
        data["engine"], tuple(data["prefixes"]),
        {
            name: tuple(_alternative(one, data["engine"], f"{place} {name}") for one in several)
            for name, several in data["quantities"].items()
        },
    )  # fmt: skip


def _alternative(said: Mapping[str, Any], engine: str, place: str) -> Alternative:
    hows: list[How] = [how for how in HOWS if how in said]
    if len(hows) != 1:
        raise TwinError(Problem(place, f"{sorted(said)}", f"give one of {', '.join(HOWS)}"))
    names = said[hows[0]]
    more = {key: value for key, value in said.items() if key != hows[0]}
    if "above" in more:
        more["where"] = more.pop("above")
    listed = (names,) if isinstance(names, str) else tuple(names)
    return Alternative(engine, hows[0], listed, **more)


def alternatives(quantity: str) -> tuple[Alternative, ...]:
    """All ways to read a quantity, engine by engine."""
    return tuple(one for p in profiles() for one in p.quantities.get(quantity, ()))


@cache
def known_names() -> frozenset[str]:
    """Every sample name that some profile reads."""
    return frozenset(
        name
        for profile in profiles()
        for several in profile.quantities.values()
        for one in several
        for name in one.wanted()
    )


def selectors(most: int = 40) -> tuple[str, ...]:
    """Series selectors for all known names and `up`, each short enough for one query."""
    names = [*sorted(known_names()), "up"]
    parts = [names[i : i + most] for i in range(0, len(names), most)]
    return tuple(f'{{__name__=~"{"|".join(part)}"}}' for part in parts)


def engines_of(names: Iterable[str]) -> tuple[str, ...]:
    """Engines whose names are among these, by how they begin."""
    seen = tuple(names)
    return tuple(p.engine for p in profiles() if any(name.startswith(p.prefixes) for name in seen))


def unmapped(names: Iterable[str]) -> tuple[str, ...]:
    """Families of the known engines that no quantity is read from: listed, never lost."""
    known = {_family(name) for name in known_names()}
    starts = tuple(prefix for profile in profiles() for prefix in profile.prefixes)
    found = {_family(name) for name in names if name.startswith(starts)}
    return tuple(sorted(found - known))


def _family(name: str) -> str:
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


def fits(series: SeriesId, where: Mapping[str, str]) -> bool:
    """Whether labels fit: a value, `~` a regular expression, `!~` one that must not fit.

    An absent label is an empty text, as in PromQL.
    """
    return all(_fits(series.label(name) or "", wanted) for name, wanted in where.items())


def _fits(value: str, wanted: str) -> bool:
    if wanted.startswith("!~"):
        return re.fullmatch(wanted[2:], value) is None
    if wanted.startswith("~"):
        return re.fullmatch(wanted[1:], value) is not None
    return value == wanted
