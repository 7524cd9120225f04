"""The figures of Prefill-as-a-Service as last computed: a file beside this one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import Problem, RunError
from ..prefill_service import DEPLOYMENTS, Figure, deployment
from ..version import VERSION

FILE = Path(__file__).with_name("prefill_service.json")

SEEDS = range(3)

SOURCE = "arXiv 2604.15039"


class StoredFigures(BaseModel):
    """All figures, computed by one version of the program from these scenarios (name: digest)."""

    model_config = ConfigDict(frozen=True)

    version: str
    seeds: tuple[int, ...]
    digests: dict[str, str]
    figures: tuple[Figure, ...]


def stored(path: Path = FILE) -> StoredFigures:
    """What is stored; RunError when the file is absent or no such file."""
    try:
        return StoredFigures.model_validate(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        raise RunError(Problem(path.name, "absent", "write it: make claims")) from None
    except (ValidationError, ValueError) as error:
        found = f"{error}".splitlines()[0]
        raise RunError(Problem(path.name, found, "write it anew: make claims")) from None


def as_stored(figures: Sequence[Figure], seeds: Sequence[int]) -> StoredFigures:
    """Figures with what they stand on."""
    return StoredFigures(
        version=VERSION, seeds=tuple(seeds), digests=_digests(), figures=tuple(figures)
    )


def as_text(told: StoredFigures) -> str:
    """The file's text."""
    return f"{told.model_dump_json(indent=1)}\n"


def stale(told: StoredFigures) -> list[str]:
    """Why the stored figures are not those of this program, as sentences; empty when they are."""
    found = []
    if told.version != VERSION:
        found.append(f"computed by version {told.version}, this is {VERSION}")
    if told.seeds != tuple(SEEDS):
        found.append(f"of the seeds {told.seeds}, not {tuple(SEEDS)}")
    found += [
        f"{name} is now {digest[:12]}"
        for name, digest in _digests().items()
        if told.digests.get(name) != digest
    ]
    return found


def _digests() -> dict[str, str]:
    return {name: deployment(name).digest() for name in DEPLOYMENTS}
