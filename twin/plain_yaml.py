"""YAML text to plain data that knows the line of every key, and back.

Only what a settings file needs is taken: mappings, lists, texts, finite numbers, true, false and
null. Anchors, aliases, tags, merge keys, a second document, a key given twice, more than 256 KB
and more than 32 levels are refused. Everything wrong is collected, not only the first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import yaml

from .errors import Problem, shown

MAX_BYTES = 256_000
MAX_DEPTH = 32
MAX_DIGITS = 40

_TAG = "tag:yaml.org,2002:"
_SCALARS = (
    (f"{_TAG}null", re.compile(r"(?:~|null|Null|NULL|)\Z")),
    (f"{_TAG}bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z")),
    (f"{_TAG}int", re.compile(r"[-+]?[0-9][0-9_]*\Z")),
    (
        f"{_TAG}float",
        re.compile(r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z"),
    ),
    (f"{_TAG}float", re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")),
)
"""What an unquoted word means; anything else is a text (`yes`, `on` and `12:30` too)."""


@dataclass
class Document:
    """Plain data with the place of every key by its path, and what was wrong in the text.

    Paths are dotted, `events[0].at_s`; places are `file:line`. `told` holds paths whose value was
    dropped because of a problem that is told already, `whole` those that replace what they are
    laid over instead of joining it. An `orphan` extends a file that cannot be used.
    """

    place: str
    data: Any = None
    where: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    orphan: bool = False

    def at(self, path: str) -> str:
        """The place and path of a setting, or of the nearest group above that has a place."""
        above = path
        while above and above not in self.where:
            above = above[: max(above.rfind("."), above.rfind("["), 0)]
        return f"{self.where.get(above, self.place)} {path}".strip()

    def wrong(self, path: str, found: str, remedy: str) -> None:
        """Note a problem at a path."""
        self.problems.append(Problem(self.at(path), found, remedy))


def read(text: str, place: str) -> Document:
    """The document in a text; `place` names the text in sentences. Never raises."""
    document = Document(place)
    try:
        if len(text.encode()) > MAX_BYTES:
            document.wrong("", "too large", f"take at most {MAX_BYTES // 1000} KB")
            return document
        _Builder(document).build(yaml.parse(text, Loader=_loader()))
    except (yaml.YAMLError, UnicodeError) as error:
        document.data = None
        document.problems.append(_unreadable(error, place))
    return document


def read_file(path: Path) -> Document:
    """The document in a file, of which no more than the allowed size is read. Never raises."""
    document = Document(str(path))
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) <= MAX_BYTES:
            return read(raw.decode("utf-8-sig"), str(path))
        document.wrong("", "too large", f"take at most {MAX_BYTES // 1000} KB")
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        document.wrong("", "", f"cannot be read: {reason}")
    except UnicodeDecodeError as error:
        document.wrong("", "no UTF-8 text", f"save it as UTF-8 (byte {error.start} is not)")
    return document


def write(data: Any) -> str:
    """Plain data as YAML text that `read` gives back unchanged."""
    return yaml.dump(data, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=96)


def _loader() -> Any:
    """The fast parser in C where there is one."""
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Writer(yaml.SafeDumper):
    """Quotes a text exactly when `read` would take it for something else."""

    yaml_implicit_resolvers: ClassVar[Any] = {None: list(_SCALARS)}  # pyright: ignore

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out, even what stands in two places."""
        return True

    def represent_str(self, data: str) -> yaml.ScalarNode:
        """Texts with rare line breaks in double quotes, where they are kept as they are."""
        style = '"' if re.search("[\r\x85\u2028\u2029\ufeff]", data) else None
        return self.represent_scalar(f"{_TAG}str", data, style=style)


_Writer.add_representer(str, _Writer.represent_str)


def _unreadable(error: Exception, place: str) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    place = f"{place}:{mark.line + 1}" if mark is not None else place
    reason = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    hint = "" if mark is None else "; look at colons, quotes and indents here"
    return Problem(place, "", f"cannot be read as YAML: {reason}{hint}")


@dataclass
class _Frame:
    """A mapping or list that is being filled; `key` waits for its value."""

    box: dict[str, Any] | list[Any]
    path: str
    key: str | None = None

    def slot(self) -> str:
        """Path of the value that comes next."""
        if isinstance(self.box, list):
            return f"{self.path}[{len(self.box)}]"
        return f"{self.path}.{self.key}" if self.path else str(self.key)


class _Builder:
    """Fills a document from the parser's events, one after the other, without recursion."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.stack: list[_Frame] = []
        self.documents = 0
        self.line = 0

    def build(self, events: Iterable[Any]) -> None:
        """Take all events; stops early where going on makes no sense."""
        for event in events:
            self.line = event.start_mark.line + 1
            if not self._take(event):
                return

    def _take(self, event: Any) -> bool:
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            return self.documents == 1 or self._stop("a second document begins here: keep one")
        if isinstance(event, yaml.NodeEvent):
            self._refuse_marks(event)
        if isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._put(self.stack.pop().box, placed=True)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            return self._open({} if isinstance(event, yaml.MappingStartEvent) else [])
        elif isinstance(event, yaml.AliasEvent):
            if self._awaits_key() is not None:
                return self._stop("a key must be a plain word")
            self._put(None, told=True)
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        return True

    def _stop(self, sentence: str) -> bool:
        self._wrong("", sentence)
        self.document.data = None
        return False

    def _wrong(self, found: str, remedy: str, path: str = "") -> None:
        here = f"{self.document.place}:{self.line} {path}".strip()
        self.document.problems.append(Problem(here, found, remedy))

    def _awaits_key(self) -> _Frame | None:
        """The open mapping when it waits for a key."""
        frame = self.stack[-1] if self.stack else None
        waits = frame is not None and isinstance(frame.box, dict) and frame.key is None
        return frame if waits else None

    def _refuse_marks(self, event: Any) -> None:
        """Anchors, aliases and tags: told, and the value is read without them."""
        if event.anchor is not None:
            sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
            self._wrong(
                f"{sign}{event.anchor}", "anchors and aliases are not taken; write the value out"
            )
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            self._wrong(shown(tag), "tags are not taken; write the plain value")

    def _open(self, box: dict[str, Any] | list[Any]) -> bool:
        if self._awaits_key() is not None:
            return self._stop("a key must be a plain word")
        if len(self.stack) >= MAX_DEPTH:
            return self._stop(f"nests deeper than {MAX_DEPTH} levels; write it flatter")
        path = self.stack[-1].slot() if self.stack else ""
        if path:
            self.document.where.setdefault(path, f"{self.document.place}:{self.line}")
        self.stack.append(_Frame(box, path))
        return True

    def _scalar(self, event: Any) -> None:
        frame = self._awaits_key()
        if frame is not None:
            self._key(frame, event.value)
            return
        if event.tag not in (None, "!"):
            self._put(None, told=True)
        elif event.style not in (None, "") or event.tag == "!":
            self._put(event.value)
        else:
            self._word(event.value)

    def _word(self, word: str) -> None:
        try:
            self._put(_meaning(word))
        except ValueError as error:
            path = self.stack[-1].slot() if self.stack else ""
            self._put(None, told=True)
            self._wrong(
                word if len(word) <= MAX_DIGITS else f"{word[:MAX_DIGITS]}…", str(error), path
            )

    def _key(self, frame: _Frame, word: str) -> None:
        frame.key = word
        path = frame.slot()
        if word == "<<":
            self._wrong("a merge key", "merging is not taken; write the keys out", path)
        if word in frame.box:
            first = self.document.where[path].rpartition(":")[2]
            self._wrong("given twice", f"keep one; the first stands in line {first}", path)
        self.document.where.setdefault(path, f"{self.document.place}:{self.line}")

    def _put(self, value: Any, *, told: bool = False, placed: bool = False) -> None:
        """Give a finished value to the mapping or list it belongs to."""
        if not self.stack:
            self.document.data = value
            return
        frame = self.stack[-1]
        path = frame.slot()
        if not placed:
            self.document.where.setdefault(path, f"{self.document.place}:{self.line}")
        if told:
            self.document.told.add(path)
        if isinstance(frame.box, list):
            frame.box.append(value)
        elif frame.key is not None:
            frame.box[frame.key] = value
            frame.key = None


def _meaning(word: str) -> Any:
    """What an unquoted word stands for; raises ValueError for a number that is none."""
    tag = next((tag for tag, pattern in _SCALARS if pattern.match(word)), "")
    kind = tag.removeprefix(_TAG)
    if kind == "null":
        return None
    if kind == "bool":
        return word.lower() == "true"
    if kind not in ("int", "float"):
        return word
    if len(word) > MAX_DIGITS:
        raise ValueError(f"give a number of at most {MAX_DIGITS} characters")
    if kind == "int":
        return int(word)
    number = float(word.lower().replace("_", "").replace(".inf", "inf").replace(".nan", "nan"))
    if not math.isfinite(number):
        raise ValueError("give a finite number")
    return number
