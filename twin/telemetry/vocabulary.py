"""How each engine says each quantity: the profiles beside this file, read and checked.

An alternative names the metrics that a quantity can be read from; the first whose metrics are
there counts, for a page may print the old name beside the new one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from ..errors import Problem, TwinError
from .quantities import QUANTITIES
from .series import Family, SeriesId, family_of

PROFILES = Path(__file__).parent / "profiles"

How = Literal["gauge", "gauge_ratio", "rate", "histogram", "ratio", "part", "moved", "unreliable"]
HOWS: tuple[How, ...] = (
    "gauge", "gauge_ratio", "rate", "histogram", "ratio", "part", "moved", "unreliable",
)  # fmt: skip

Layer = Literal["engine", "frontend", "cache", "machine"]
LAYERS: tuple[Layer, ...] = ("engine", "frontend", "cache", "machine")
"""Who says it; a role is read from the first layer that does, never from two at once."""

SUFFIXES = ("_bucket", "_sum", "_count", "_total", "_created")


@dataclass(frozen=True)
class Alternative:
    """One way to read a quantity. `names` are sample names, of a histogram its base name.

    `gauge`: as it stands. `gauge_ratio`: mean of the first over the second. `rate`: increase per
    second. `ratio`: increase of the first over that of the second. `part`: the part of one counter
    that `where` picks, over what `of` picks, or over itself plus the counter `plus`. `moved`: what
    is left of one when the first (bytes after `scale`) is divided by the second (tokens) times the
    model's KV bytes per token. `unreliable`: it is there and says nothing, `mark` tells why.

    `where` picks series by label, `below` those of the second name. Values above `most` and
    sentinels are none. With `needs` it says something only where such a series of its counter has
    ever counted. With `device` the role's network device is picked. `mark` is told with a value.
    An `alias` has the names of another one with another beginning.
    """

    engine: str
    layer: Layer
    how: How
    names: tuple[str, ...]
    where: Mapping[str, str] = field(default_factory=dict)
    below: Mapping[str, str] = field(default_factory=dict)
    of: Mapping[str, str] | None = None
    plus: str | None = None
    scale: float = 1.0
    most: float | None = None
    device: bool = False
    needs: Mapping[str, str] | None = None
    mark: str = ""
    alias: bool = False

    def wanted(self) -> Iterator[str]:
        """Every sample name that it reads."""
        for name in self.names:
            if self.how == "histogram":
                yield from (f"{name}_bucket", f"{name}_sum", f"{name}_count")
            else:
                yield name
        if self.plus is not None:
            yield self.plus

    def named(self, old: str, new: str) -> Alternative:
        """The same with names that begin in another way."""
        names = tuple(new + name.removeprefix(old) for name in self.names)
        plus = None if self.plus is None else new + self.plus.removeprefix(old)
        return replace(self, names=names, plus=plus, alias=True)


@dataclass(frozen=True)
class Profile:
    """One engine: how its names begin, and its quantities."""

    engine: str
    layer: Layer
    prefixes: tuple[str, ...]
    quantities: Mapping[str, tuple[Alternative, ...]]


@cache
def profiles() -> tuple[Profile, ...]:
    """All profiles, layer by layer and then by name of their files; TwinError when one is wrong."""
    import yaml

    found = [
        _profile(yaml.safe_load(path.read_text("utf-8")), path.name)
        for path in sorted(PROFILES.glob("*.yaml"))
    ]
    return tuple(sorted(found, key=lambda one: LAYERS.index(one.layer)))


def _profile(data: Mapping[str, Any], place: str) -> Profile:
    unknown = [name for name in data["quantities"] if name not in QUANTITIES]
    if unknown:
        raise TwinError(Problem(f"{place} quantities", unknown[0], "is no canonical quantity"))
    if data["layer"] not in LAYERS:
        raise TwinError(Problem(f"{place} layer", data["layer"], f"give one of {LAYERS}"))
    aliases: Mapping[str, str] = data.get("aliases", {})
    found = {
        name: tuple(
            way
            for said in several
            for way in _with_aliases(_alternative(said, data, f"{place} {name}"), aliases)
        )
        for name, several in data["quantities"].items()
    }
    return Profile(data["engine"], data["layer"], (*data["prefixes"], *aliases), found)


def _alternative(said: Mapping[str, Any], data: Mapping[str, Any], place: str) -> Alternative:
    hows: list[How] = [how for how in HOWS if how in said]
    if len(hows) != 1:
        raise TwinError(Problem(place, f"{sorted(said)}", f"give one of {', '.join(HOWS)}"))
    names = said[hows[0]]
    more = {key: value for key, value in said.items() if key != hows[0]}
    everywhere: Mapping[str, str] = data.get("where", {})
    more["where"] = {**everywhere, **more.get("where", {})}
    more["below"] = {**everywhere, **more.get("below", {})}
    if "of" in more:
        more["of"] = {**everywhere, **more["of"]}
    listed = (names,) if isinstance(names, str) else tuple(names)
    try:
        return Alternative(data["engine"], data["layer"], hows[0], listed, **more)
    except TypeError as error:
        raise TwinError(Problem(place, str(error), "see Alternative")) from None


def _with_aliases(way: Alternative, aliases: Mapping[str, str]) -> Iterator[Alternative]:
    yield way
    for alias, prefix in aliases.items():
        if all(name.startswith(prefix) for name in way.wanted()):
            yield way.named(prefix, alias)


@cache
def alternatives(quantity: str) -> tuple[Alternative, ...]:
    """All ways to read a quantity, layer by layer and engine by engine."""
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


def unmapped(names: Iterable[str], families: Mapping[str, Family] | None = None) -> tuple[str, ...]:
    """Families of these samples that no quantity is read from: listed, never lost.

    With `families` a sample belongs to what was announced; else, or when nothing was, the ending
    of its name is taken off.
    """
    known = known_names()
    read = {_family(name) for name in known}
    found = set()
    for name in set(names):
        announced = family_of(name, families or {})
        family = announced.name if announced else _family(name)
        if name not in known and family not in known and _family(name) not in read:
            found.add(family)
    return tuple(sorted(found - {"up"}))


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
