"""The frozen piece that scenarios are made of: each field with its sentence and its bounds.

Unknown keys, NaN and Infinity are refused, and so is what only looks like the wanted kind: a text
or true for a number, 1 for true.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticCustomError

from .errors import Problem

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_. -]{0,63}$")]


def optional(
    default: Any, doc: str, *, live: bool = False, quiet: bool = False, **bounds: Any
) -> Any:
    """A field with a default; `doc` is its sentence, `live` lets it be turned in a run.

    A `quiet` field is written out only where it differs from its default, so that scenarios which
    do not use it keep their digest.
    """
    if quiet:
        bounds["exclude_if"] = lambda value: value == default
    return Field(default, description=doc, json_schema_extra={"live": live}, **bounds)


def required(doc: str, *, live: bool = False, **bounds: Any) -> Any:
    """A field that must be given; `doc` is its sentence, `live` lets it be turned in a run."""
    return Field(description=doc, json_schema_extra={"live": live}, **bounds)


class CrossProblems(ValueError):
    """Problems between fields, carried whole through pydantic's own error."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("; ".join(p.sentence() for p in problems))


@cache
def _kinds(annotation: Any) -> frozenset[Any]:
    """The plain types that an annotation takes; of a container, those of its items."""
    args = get_args(annotation)
    if get_origin(annotation) is Literal:
        return frozenset(type(choice) for choice in args)
    if get_origin(annotation) is Annotated:
        args = args[:1]
    if get_origin(annotation) is dict:
        args = args[1:]
    return frozenset().union(*map(_kinds, args)) if args else frozenset({annotation})


def _looks_alike(value: Any, kinds: frozenset[Any]) -> bool:
    """Whether a value only looks like what is wanted: "8" or true for a number, 1 for true."""
    if kinds == {bool}:
        return isinstance(value, int | float | str | bytes) and not isinstance(value, bool)
    wants_number = bool(kinds & {int, float}) and not kinds & {bool, str}
    return wants_number and isinstance(value, bool | str | bytes | bytearray)


class Part(BaseModel):
    """A frozen piece of a scenario; unknown keys, NaN, Infinity and look-alikes are refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, strict=False, validate_default=True
    )

    @field_validator("*", mode="before")
    @classmethod
    def _no_look_alikes(cls, value: Any, info: ValidationInfo) -> Any:
        kinds = _kinds(cls.model_fields[info.field_name or ""].annotation)
        items = value.values() if isinstance(value, dict) else value
        items = items if isinstance(value, dict | list | tuple) else (value,)
        if any(_looks_alike(item, kinds) for item in items):
            raise PydanticCustomError("look_alike", "only looks like what is wanted here")
        return value
