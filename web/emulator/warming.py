"""The warmed state a cluster starts from, made anew or kept in a file."""

from __future__ import annotations

import zlib
from pathlib import Path

from twin.engine import checkpoint
from twin.errors import Problem, RunError
from twin.running import RunningTwin
from twin.scenario import Scenario

WARM_S = 7200.0
"""The engine has run so long (simulated s) before the first page; counters start after it."""


def warmed(scenario: Scenario, seed: int = 0, warm_s: float = WARM_S) -> bytes:
    """A checkpoint of the scenario that has run for `warm_s`: clusters can start from it."""
    twin = RunningTwin(scenario, seed=seed)
    twin.advance(warm_s)
    return twin.checkpoint()


def kept(path: Path, scenario: Scenario, seed: int = 0, warm_s: float = WARM_S) -> bytes:
    """The checkpoint in a file, made first when there is none.

    RunError when it cannot be read or written, or is that of another scenario or seed.
    """
    try:
        if not path.exists():
            packed = warmed(scenario, seed, warm_s)
            path.write_bytes(packed)
            return packed
        packed = path.read_bytes()
    except OSError as error:
        raise RunError(Problem(str(path), "", f"cannot be used ({error.strerror})")) from None
    _check_same(path, packed, scenario, seed)
    return packed


def _check_same(path: Path, packed: bytes, scenario: Scenario, seed: int) -> None:
    try:
        state = checkpoint.unpack(packed)["twin"]
        same = Scenario.model_validate(state["scenario"]).digest() == scenario.digest()
        same = same and state["seed"] == seed and state["format"] == checkpoint.FORMAT
    except (zlib.error, ValueError, KeyError, TypeError):
        same = False
    if not same:
        remedy = "it is no warmed state of this scenario and seed; delete it or name another file"
        raise RunError(Problem(str(path), "", remedy))
