"""What can be asked of the API: one model for each body and each message."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from fastapi import Path as PathParameter
from fastapi import Query
from pydantic import Field, TypeAdapter, model_validator

from .strict_body import LARGEST_SEED, MOST_TURNS, Body, Line, ScenarioAsked, Seed, Values

LONGEST_FORECAST_S = 7200.0
LONGEST_WARMING_S = 86_400.0

Path = Line
Title = Line
Pace = Annotated[float, Field(ge=0.1, le=600, description="Simulated seconds per wall second.")]
Moment = Annotated[float, Field(ge=0, le=1e9, description="Simulated time in seconds.")]
Horizon = Annotated[float, Field(ge=1, le=LONGEST_FORECAST_S)]

Named = Annotated[str, PathParameter(max_length=120, pattern=r"^[^\x00]+$")]
"""What an address names."""

Number = Annotated[int, Query(ge=0, le=2**31 - 1)]
"""A number in an address."""


class TwinWanted(Body):
    """A running twin to make."""

    scenario: ScenarioAsked
    baseline: ScenarioAsked | None = None
    seed: Seed = 0
    pace: Pace = 10.0
    warm_s: float = Field(0.0, ge=0, le=LONGEST_WARMING_S)
    set: Values = Field({})
    title: Title | None = None


class TwinChanged(Body):
    """What of a running twin is to be another way."""

    pace: Pace | None = None
    paused: bool | None = None
    title: Title | None = None


class Turn(Body):
    """A live setting and its new value."""

    setting: Path
    value: Any


class Happening(Body):
    """A failure or a repair."""

    what: Literal["line_cut", "line_back", "instance_lost", "instance_back"]
    pool: Literal["prefill", "relay_decode", "main_decode", "prefill_b"] | None = None
    instance: int = Field(0, ge=0, le=511)

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if self.what.startswith("instance") and self.pool is None:
            raise ValueError(f"{self.what} needs a pool")
        return self


class Rewind(Body):
    """Where to go back to."""

    to_s: Moment


class Fork(Body):
    """From when a copy is wanted, and what is other in it."""

    at_s: Moment | None = None
    set: Values = Field({})


class Forecast(Body):
    """How far to look ahead."""

    horizon_s: Horizon = 600.0


class ScenarioSaved(Body):
    """A scenario to save: as text in YAML, or with all its values."""

    yaml: str | None = None
    scenario: dict[str, Any] | None = None
    name: Line | None = None


class ScenarioText(Body):
    """A scenario as text in YAML."""

    yaml: str


class RunWanted(Body):
    """A run to carry out."""

    scenario: ScenarioAsked
    baseline: ScenarioAsked | None = None
    kind: Literal["run", "capacity", "compare"] = "run"
    seed: Seed = 0
    set: Values = Field({})
    trace: Line | None = None


# --- messages of the WebSocket


class Message(Body):
    """A message; its `id` comes back with the answer."""

    id: int | None = Field(None, ge=-LARGEST_SEED, le=LARGEST_SEED)


class DoTurn(Message, Turn):
    """Turn a setting."""

    do: Literal["turn"]


class DoSet(Message):
    """Turn several settings, all or none."""

    do: Literal["set"]
    values: Annotated[dict[Path, Any], Field(min_length=1, max_length=MOST_TURNS)]


class DoHappen(Message, Happening):
    """Let something happen."""

    do: Literal["happen"]


class DoPace(Message):
    """Run faster or slower."""

    do: Literal["pace"]
    value: Pace


class DoPlain(Message):
    """What needs no more words."""

    do: Literal["pause", "play", "reset"]


class DoRewind(Message, Rewind):
    """Go back."""

    do: Literal["rewind"]


class DoFork(Message, Fork):
    """Make a copy."""

    do: Literal["fork"]


class DoForecast(Message, Forecast):
    """Look ahead."""

    do: Literal["forecast"]


class DoAuth(Message):
    """Tell the token, so that what follows may change something."""

    do: Literal["auth"]
    token: str = Field(max_length=1000, repr=False)


Do = DoTurn | DoSet | DoHappen | DoPace | DoPlain | DoRewind | DoFork | DoForecast | DoAuth

MESSAGES: TypeAdapter[Do] = TypeAdapter(Annotated[Do, Field(discriminator="do")])
"""Reads a message."""
