"""All claims as they were last computed: a file beside this one, and whether it still holds."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ..claims import CLAIMS
from ..errors import Problem, RunError
from ..version import VERSION
from .compute import SEEDS, deployments
from .recipes import RECIPES
from .results import ClaimResult

FILE = Path(__file__).with_name("measured.json")


class Measured(BaseModel):
    """All claims, computed by one version of the program."""

    model_config = ConfigDict(frozen=True)

    version: str
    seeds: tuple[int, ...]
    claims: tuple[ClaimResult, ...]


def measured(path: Path = FILE) -> Measured:
    """What is stored; RunError when the file is absent or no such file."""
    try:
        return Measured.model_validate(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        raise RunError(Problem(path.name, "absent", "write it: make claims")) from None
    except (ValidationError, ValueError) as error:
        found = f"{error}".splitlines()[0]
        raise RunError(Problem(path.name, found, "write it anew: make claims")) from None


def as_text(results: list[ClaimResult]) -> str:
    """The file's text for the results of all claims; CPU seconds are told whole."""
    rounded = tuple(one.model_copy(update={"cpu_s": float(round(one.cpu_s))}) for one in results)
    stored = Measured(version=VERSION, seeds=tuple(SEEDS), claims=rounded)
    return f"{stored.model_dump_json(indent=1)}\n"


def stale(stored: Measured) -> list[str]:
    """Why the stored figures are not those of this program, as sentences; empty when they are."""
    told = []
    if stored.version != VERSION:
        told.append(f"computed by version {stored.version}, this is {VERSION}")
    if stored.seeds != tuple(SEEDS):
        told.append(f"of the seeds {stored.seeds}, the bands speak of {tuple(SEEDS)}")
    if [one.claim for one in stored.claims] != [known.id for known in CLAIMS]:
        told.append("other claims than there are")
        return told
    for known, one in zip(CLAIMS, stored.claims, strict=True):
        now = deployments(RECIPES[known.id].cases)
        told += [
            f"{known.id}: {case.case} is now {case.digest[:12]}"
            for case in now
            if case not in one.deployments
        ]
        bands = [(band.low, band.high, band.unit) for band in known.bands]
        if bands != [(f.low, f.high, f.unit) for f in one.figures]:
            told.append(f"{known.id}: other bands")
        if (known.about, known.public, known.kind) != (one.about, one.public, one.kind):
            told.append(f"{known.id}: told in other words")
    return told
