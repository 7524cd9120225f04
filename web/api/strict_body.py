"""What a body holds, field by field: nothing unknown, no look-alikes, nothing without a bound."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

MOST_TURNS = 50
"""Settings that can be turned at once."""

LARGEST_SEED = 2**53 - 1
"""Beyond that a browser does not tell two seeds apart."""

Line = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[^\x00]+$")]
"""A short text without the one character that not every database keeps."""

Seed = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
Values = Annotated[dict[Line, Any], Field(max_length=MOST_TURNS)]
ScenarioAsked = Annotated[
    Line | dict[str, Any], Field(description="A scenario by its name, or with all its values.")
]


class Body(BaseModel):
    """What a body or a message holds; nothing unknown, no NaN, no Infinity, no look-alikes."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
