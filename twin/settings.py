"""Every setting of a scenario as one table, read from the model itself.

Documentation, command line, sliders and tests all read this table, so a default, a bound or a
sentence stands in one place only: under the field in `scenario.py`.
"""

from __future__ import annotations

import difflib
import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from .errors import Problem, ScenarioError
from .scenario import Part, Scenario, ScriptedEvent

Kind = Literal[
    "number", "whole", "switch", "name", "text", "choice", "numbers", "prices", "events", "points",
    "map", "any",
]  # fmt: skip

UNITS = (
    ("_gbytes_per_s", "GB/s"),
    ("_tbytes_per_s", "TB/s"),
    ("_gflop_per_token", "GFLOP/token"),
    ("_mflop_per_pair", "MFLOP/pair"),
    ("_us_per_token", "µs/token"),
    ("_kb_per_token", "KB/token"),
    ("bytes_per_token", "B/token"),
    ("tokens_per_step", "tokens"),
    ("ids_per_step", "ids"),
    ("turns_per_session", "turns"),
    ("chips_per_instance", "chips"),
    ("_tflops", "TFLOP/s"),
    ("_params_b", "1e9"),
    ("_gbps", "Gbps"),
    ("_rps", "requests/s"),
    ("_ms", "ms"),
    ("_s", "s"),
    ("_seconds", "s"),
    ("_kv_bytes", "B"),
    ("_batch", "requests"),
    ("_slots", "slots"),
    ("_kb", "KB"),
    ("_mb", "MB"),
    ("_gb", "GB"),
    ("_tb", "TB"),
    ("_tokens", "tokens"),
    ("_tokens_mean", "tokens"),
    ("_tokens_min", "tokens"),
    ("_tokens_max", "tokens"),
    ("_share", "share"),
    ("_shares", "share"),
    ("_hit_max", "share"),
    ("_mfu", "share"),
)
"""Unit of a setting by the end of its name; the first that fits counts."""

UNITS_OF_PATHS = {
    "caches.slot_context_tokens": "tokens",
    "policy.handoff_load_high": "share",
    "policy.handoff_load_low": "share",
    "policy.load_gate_high": "slots",
    "policy.load_gate_low": "slots",
    "policy.relay_scaling.threshold": "share",
    "policy.relay_scaling.least": "instances",
    "policy.relay_scaling.most": "instances",
    "slo.share": "share",
    "workload.singular.share": "share",
    "workload.singular.hit_max": "share",
    "workload.clients": "clients",
    "run.requests": "requests",
    "prices.chips": "chips A",
    "prices.chips_high": "chips A",
    "prices.line": "chips A",
}
"""Units that a name alone does not tell."""

PRICE_TABLES = ("prices.chips", "prices.chips_high")
"""Settings that hold a number for each chip; `prices.chips.B` is a setting of its own."""

WORDS: dict[Kind, str] = {
    "number": "a number",
    "whole": "a whole number",
    "switch": "true or false",
    "name": "a name of 1 to 64 letters, digits, blanks or _ . - that begins with a letter or digit",
    "text": "a text",
    "numbers": "seven shares that sum to 1, such as [0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.3]",
    "prices": "a price for each chip by name, such as {A: 1.0}",
    "events": "a list of events, such as [{at_s: 60, what: line_cut}]",
    "points": "a list of points",
    "map": "a source for each setting by its path",
    "any": "any value that the setting takes",
}
"""What each kind of setting takes, as the end of a sentence that begins with "give"."""


@dataclass(frozen=True)
class Setting:
    """One setting: where it stands, what it takes, and the sentence that documents it.

    `low` and `high` bound a number; an open bound is not itself allowed. `default` is None for
    a required setting too: ask `required`.
    """

    path: str
    kind: Kind
    doc: str
    unit: str = ""
    default: Any = None
    required: bool = False
    nullable: bool = False
    live: bool = False
    low: float | None = None
    low_open: bool = False
    high: float | None = None
    high_open: bool = False
    choices: tuple[str, ...] = ()

    def bounds(self) -> str:
        """The bounds as words, such as "above 0, at most 100"; empty without bounds."""
        words = []
        if self.low is not None:
            words.append(f"{'above' if self.low_open else 'at least'} {number_text(self.low)}")
        if self.high is not None:
            words.append(f"{'below' if self.high_open else 'at most'} {number_text(self.high)}")
        return ", ".join(words)

    def expects(self) -> str:
        """What would be right here, as the end of a sentence that begins with "give"."""
        words = f"one of {', '.join(self.choices)}" if self.choices else WORDS[self.kind]
        if self.kind == "points":
            columns = ", ".join(map(_last, children(f"{self.path}[]")))
            words = f"{words} with {columns} each, or the name of a CSV file with these columns"
        if self.kind == "text" and self.high is not None:
            words = f"{words} of at most {number_text(self.high)} characters"
        elif self.kind in ("number", "whole") and self.bounds():
            words = f"{words} {self.bounds()}"
        if self.kind == "number" and self.unit not in ("", "share"):
            words = f"{words}, in {self.unit}"
        return f"{words}, or null" if self.nullable else words


def number_text(number: float) -> str:
    """A number as a person writes it: 1,000,000 and 0.5."""
    return f"{int(number):,}" if float(number).is_integer() else f"{number:g}"


@cache
def settings() -> tuple[Setting, ...]:
    """All settings in the order of the model; a list's items stand as `events[].at_s`."""
    return tuple(_walk(Scenario, ""))


@cache
def groups() -> dict[str, bool]:
    """Paths that hold settings, such as `line` and `prefill.chip` -> whether it may be null."""
    return dict(_walk_groups(Scenario, ""))


def find(path: str) -> Setting | None:
    """The setting at a path, if there is one; `prices.chips.B` is found under `prices.chips`."""
    for table in PRICE_TABLES:
        if path.startswith(f"{table}.") and len(path) > len(table) + 1:
            price = {"kind": "number", "default": None, "low": 0.0, "high": 1e6}
            return replace(_by_path()[table], path=path, low_open=True, high_open=True, **price)
    return _by_path().get(normal_path(path))


def setting_at(path: str) -> Setting:
    """The setting at a path; raises ScenarioError with the nearest name when there is none."""
    found = find(path)
    if found is None:
        raise ScenarioError(unknown(path))
    return found


def unknown(path: str) -> Problem:
    """The sentence for a path that is no setting: what was probably meant, or what there is."""
    if path in groups():
        return Problem(path, "a group", f"name one of its settings, such as {children(path)[0]}")
    parent = normal_path(parent_path(path))
    meant = _meant(path, parent)
    if meant:
        return Problem(path, "unknown", f"did you mean {' or '.join(meant)}?")
    offered = children(parent) or children("")
    return Problem(path, "unknown", f"known here are {', '.join(map(_last, offered))}")


def children(path: str) -> list[str]:
    """Paths of settings and groups right under a group; of the whole scenario for ""."""
    named = _names() if path else [known for known in _names() if known != "events[]"]
    return [known for known in named if known != path and parent_path(known) == path]


def parent_path(path: str) -> str:
    """The path of the group that holds a setting; "" for the whole scenario."""
    return path.rpartition(".")[0]


def normal_path(path: str) -> str:
    """A path with the places in lists left out: events[3].at_s -> events[].at_s."""
    head, *rest = path.split("[")
    return "".join([head, *(f"[]{piece.partition(']')[2]}" for piece in rest)])


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _meant(path: str, parent: str) -> list[str]:
    """The nearest known paths: among the siblings, else of that name or nearly so anywhere."""
    name = _last(path)
    siblings = {_last(child): child for child in children(parent)}
    near = difflib.get_close_matches(name, siblings, n=1, cutoff=0.65)
    if near:
        return [siblings[near[0]]]
    names = [name] if name in map(_last, _names()) else []
    names = names or difflib.get_close_matches(name, map(_last, _names()), n=1, cutoff=0.8)
    return [known for known in _names() if _last(known) in names]


@cache
def _by_path() -> dict[str, Setting]:
    return {known.path: known for known in settings()}


@cache
def _names() -> tuple[str, ...]:
    return (*groups(), *_by_path())


def _walk(part: type[Part], prefix: str, defaults: Part | None = None) -> Iterator[Setting]:
    for name, field in part.model_fields.items():
        path = f"{prefix}{name}"
        default = getattr(defaults, name) if defaults is not None else field.default
        below, kind = _part_in(field.annotation)
        if below is not None and kind == "list":
            yield _setting(path, field, default)
            yield from _walk(below, f"{path}[].")
        elif below is not None:
            given = default if isinstance(default, Part) else None
            yield from _walk(below, f"{path}.", given)
        else:
            yield _setting(path, field, default)


def _walk_groups(part: type[Part], prefix: str) -> Iterator[tuple[str, bool]]:
    for name, field in part.model_fields.items():
        below, kind = _part_in(field.annotation)
        if below is not None:
            path = f"{prefix}{name}{'[]' if kind == 'list' else ''}"
            yield path, type(None) in get_args(field.annotation)
            yield from _walk_groups(below, f"{path}.")


def _part_in(annotation: Any) -> tuple[type[Part] | None, str]:
    """The Part that a field holds, and whether one or a list of them."""
    holds = "list" if get_origin(annotation) is tuple else "one"
    for choice in (annotation, *get_args(annotation)):
        if isinstance(choice, type) and issubclass(choice, Part):
            return choice, holds
    return None, holds


def _setting(path: str, field: FieldInfo, default: Any) -> Setting:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    bare, nullable = _without_none(field.annotation)
    required = field.is_required() and default is PydanticUndefined
    patterned = any(getattr(rule, "pattern", None) for rule in field.metadata)
    kind = "name" if patterned else _kind(bare)
    return Setting(
        path=path,
        kind=kind,
        doc=field.description or "",
        unit=_unit(path) if kind in ("number", "whole", "numbers", "prices") else "",
        default=None if default is PydanticUndefined else default,
        required=required,
        nullable=nullable,
        live=bool(extra.get("live")),
        choices=get_args(bare) if kind == "choice" else (),
        **_bounds(field, kind),
    )


def _without_none(annotation: Any) -> tuple[Any, bool]:
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation, False
    choices = [choice for choice in get_args(annotation) if choice is not type(None)]
    return choices[0], True


def _kind(bare: Any) -> Kind:
    origin = get_origin(bare)
    if origin is Literal:
        return "choice"
    if origin is tuple:
        items = get_args(bare)
        return "numbers" if float in items else "events" if ScriptedEvent in items else "points"
    if origin is dict:
        return "prices" if float in get_args(bare) else "map"
    plain: dict[Any, Kind] = {bool: "switch", int: "whole", float: "number", Any: "any"}
    return plain.get(bare, "text")


def _unit(path: str) -> str:
    if path in UNITS_OF_PATHS:
        return UNITS_OF_PATHS[path]
    name = _last(path)
    return next((unit for end, unit in UNITS if f"_{name}".endswith(end)), "")


def _bounds(field: FieldInfo, kind: Kind) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for rule in field.metadata:
        for name, key, is_open in (
            ("ge", "low", False),
            ("gt", "low", True),
            ("le", "high", False),
            ("lt", "high", True),
            ("max_length", "high", False),
        ):
            counts = name != "max_length" or kind in ("text", "events", "points")
            if counts and getattr(rule, name, None) is not None:
                found |= {key: getattr(rule, name), f"{key}_open": is_open}
    return found
