"""What the twin says of one claim: figures beside their bands, and what they were computed from."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from ..claims import Kind
from ..verdicts import Verdict

State = Literal["in", "out", "refused", "given", "unknown"]

STATES: dict[State, str] = {
    "in": "every figure lies in its band",
    "out": "a figure has left its band",
    "refused": "it does not follow from the rest, as the arithmetic shows",
    "given": "it is put in, and nothing is left to judge",
    "unknown": "the runs cannot say",
}


class Deployment(BaseModel):
    """A scenario behind a claim: the shipped one, what is changed in it, and the digest of both.

    `traffic` tells of requests that are given one by one; empty for the scenario's own workload.
    """

    model_config = ConfigDict(frozen=True)

    case: str
    shipped: str
    digest: str
    changes: dict[str, Any]
    traffic: str


class ClaimResult(BaseModel):
    """One claim with all its figures.

    `seeds` is empty where no random number is in it. `sla` and `load` tell what the figures stand
    on. `cpu_s` is the only field that depends on the machine.
    """

    model_config = ConfigDict(frozen=True)

    claim: str
    about: str
    public: str
    kind: Kind
    fitted_by: tuple[str, ...]
    note: str
    state: State
    figures: tuple[Verdict, ...]
    deployments: tuple[Deployment, ...]
    seeds: tuple[int, ...]
    sla: str
    load: str
    version: str
    cpu_s: float


def state_of(kind: Kind, figures: tuple[Verdict, ...]) -> State:
    """What all figures of a claim come to; those that are only told do not count."""
    judged = [f for f in figures if f.low is not None or f.high is not None]
    if not judged:
        return "given"
    if any(figure.inside is False for figure in judged):
        return "out"
    if any(figure.inside is None for figure in judged):
        return "unknown"
    return "refused" if kind == "refuse" else "in"
