"""One long run in a process of its own: how much memory it takes, and how much time."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in the unit of `ru_maxrss`."""


class Scale(NamedTuple):
    """A run of so many requests: CPU seconds, and resident bytes before it and at most."""

    requests: int
    cpu_s: float
    before_bytes: int
    peak_bytes: int


def resident_at_most() -> int:
    """The most memory that this process has had, in bytes.

    Linux counts into `ru_maxrss` what the parent had when it began this process, but not here.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (one for one in status.read_text().splitlines() if one.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * UNIT


def measured(requests: int) -> Scale:
    """The published PDD deployment with so many requests, recorder on, in a new process."""
    asked = [sys.executable, "-m", "tests.bench.scale", str(requests)]
    said = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return Scale(**json.loads(said))


def main(requests: int) -> None:
    """Run here, and print what `measured` reads."""
    from twin.engine.run import run
    from twin.scenario_file import load, shipped_folder, with_setting

    scenario = load(shipped_folder() / "pdd_43a_32b.yaml")
    before = resident_at_most()
    result = run(with_setting(scenario, "run.requests", requests))
    assert result.requests.finished == requests
    scale = Scale(requests, result.cpu_s or 0.0, before, resident_at_most())
    print(json.dumps(scale._asdict()))


if __name__ == "__main__":
    main(int(sys.argv[1]))
