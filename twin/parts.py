"""The shelf of parts that scenarios name: chips, served models, lines and hit rates.

Each part brings its values and where they come from. A part that lacks a figure for which there
is no source stays on the shelf as incomplete; whoever names it must give that figure.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import plain_yaml
from .errors import Problem, shown
from .plain_yaml import Document

KINDS = ("chips", "models", "lines", "hit_rates")
"""Files of parts, `chips.yaml` and so on."""

PART_PLACES = {
    "model": "models",
    "prefill.chip": "chips",
    "relay_decode.chip": "chips",
    "main_decode.chip": "chips",
    "prefill_b.chip": "chips",
    "line": "lines",
    "workload.hit_shares": "hit_rates",
}
"""Where a scenario may name a part, and of which kind."""

NAMED = ("chips", "models")
"""Kinds whose parts carry their name as a value too."""


@dataclass(frozen=True)
class NamedPart:
    """One part: its values and their sources by setting, what it lacks, and further facts."""

    name: str
    about: str
    values: dict[str, Any]
    sources: dict[str, str]
    lacks: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)


class Shelf:
    """The parts in a folder; a file is read when something of its kind is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kinds: dict[str, tuple[dict[str, NamedPart], list[Problem]]] = {}

    def parts(self, kind: str) -> dict[str, NamedPart]:
        """All parts of a kind by name, complete ones first."""
        return self._read(kind)[0]

    def problems(self, kind: str) -> list[Problem]:
        """What is wrong with the file of a kind."""
        return self._read(kind)[1]

    def _read(self, kind: str) -> tuple[dict[str, NamedPart], list[Problem]]:
        if kind not in self._kinds:
            document = plain_yaml.read_file(self.folder / f"{kind}.yaml")
            parts = {part.name: part for part in _parts_in(document)}
            self._kinds[kind] = parts, document.problems
        return self._kinds[kind]

    def expand(self, draft: Document) -> None:
        """Put the values and sources of a part wherever a draft of a scenario names one."""
        for path, kind in PART_PLACES.items():
            above, _, key = path.rpartition(".")
            holder = draft.data.get(above) if above else draft.data
            given = holder.get(key) if isinstance(holder, dict) else None
            changes: dict[str, Any] = {"part": given}
            if isinstance(given, dict) and kind != "hit_rates":
                changes = given
            if isinstance(holder, dict) and isinstance(changes.get("part"), str):
                part = self._find(draft, path, kind, changes)
                draft.whole.add(path)
                if part is not None:
                    holder[key] = _values(part, kind, changes)
                    _bring_along(draft, path, kind, part, changes)

    def _find(
        self, draft: Document, path: str, kind: str, changes: dict[str, Any]
    ) -> NamedPart | None:
        """The part named at a path, or None with the reason noted in the draft."""
        name, parts = changes["part"], self.parts(kind)
        remedy = ""
        if self.problems(kind):
            remedy = f"names a part, but {kind}.yaml cannot be used: "
            remedy += "; ".join(problem.sentence() for problem in self.problems(kind))
        elif name not in parts:
            remedy = f"{kind}.yaml has no such part; {_offered(name, list(parts))}"
        elif lacks := {key: why for key, why in parts[name].lacks.items() if key not in changes}:
            remedy = (
                f"{_missing(lacks)}; give this yourself: {{part: {name}, {next(iter(lacks))}: ...}}"
            )
        if remedy:
            draft.wrong(path, shown(name), remedy)
            draft.told.add(path)
            return None
        return parts[name]


def _offered(name: str, names: list[str], most: int = 12) -> str:
    """The nearest name, or the first of all names."""
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f"did you mean {near[0]}?"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"there are {', '.join(names[:most])}{more}"


def _missing(lacks: dict[str, str]) -> str:
    """What a part lacks, the figures with the same reason together."""
    reasons = dict.fromkeys(lacks.values())
    told = (
        f"{', '.join(key for key, why in lacks.items() if why == reason)} ({reason})"
        for reason in reasons
    )
    return f"without a source for {'; '.join(told)}"


def _values(part: NamedPart, kind: str, changes: dict[str, Any]) -> Any:
    if kind == "hit_rates":
        return part.values["hit_shares"]
    named = {"name": part.name} if kind in NAMED else {}
    return named | part.values | {key: v for key, v in changes.items() if key != "part"}


def _bring_along(
    draft: Document, path: str, kind: str, part: NamedPart, changes: dict[str, Any]
) -> None:
    """Sources and places of a part's values, mapped to where the part is used."""
    sources = draft.data.setdefault("sources", {})
    for key in part.values:
        at = path if kind == "hit_rates" else f"{path}.{key}"
        if key not in changes:
            draft.where[at] = part.where.get(key, draft.place)
            if isinstance(sources, dict) and key in part.sources:
                sources.setdefault(at, part.sources[key])


def _parts_in(document: Document) -> list[NamedPart]:
    """All parts of a file; what does not have the form of a part is noted in the document."""
    data = document.data if isinstance(document.data, dict) else {}
    references = data.get("references") if isinstance(data.get("references"), dict) else {}
    found = []
    for section in ("parts", "incomplete"):
        entries = data.get(section) or {}
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            path = f"{section}.{name}"
            if _has_form(entry):
                found.append(_part_of(document, path, name, entry, references or {}))
            else:
                document.wrong(path, "no part", "a part has values: {...} and sources: {...}")
    if not found and not document.problems:
        document.wrong("parts", "absent", "name parts with their values and sources here")
    return found


def _has_form(entry: Any) -> bool:
    return isinstance(entry, dict) and all(
        isinstance(entry.get(key, {}), dict) for key in ("values", "sources", "lacks", "facts")
    )


def _part_of(
    document: Document, path: str, name: str, entry: dict[str, Any], references: dict[str, Any]
) -> NamedPart:
    values = entry.get("values", {})
    sources = entry.get("sources", {})
    return NamedPart(
        name=name,
        about=str(entry.get("about", "")),
        values=values,
        sources={key: with_references(str(text), references) for key, text in sources.items()},
        lacks={key: str(why) for key, why in entry.get("lacks", {}).items()},
        facts=_with_sources(entry.get("facts", {}), references),
        where={key: document.where.get(f"{path}.values.{key}", document.place) for key in values},
    )


def _with_sources(facts: Any, references: dict[str, Any]) -> Any:
    """Facts with the short references in each `source` written out."""
    if isinstance(facts, list):
        return [_with_sources(fact, references) for fact in facts]
    if not isinstance(facts, dict):
        return facts
    return {
        key: with_references(fact, references)
        if key == "source" and isinstance(fact, str)
        else _with_sources(fact, references)
        for key, fact in facts.items()
    }


def with_references(text: str, references: dict[str, Any]) -> str:
    """A source with its short references in brackets replaced by what they stand for."""

    def written_out(match: re.Match[str]) -> str:
        return ", ".join(str(references.get(word, word)) for word in match[1].split())

    return re.sub(r"\[([\w .-]+)\]", written_out, text)
