"""How the tests call the command line: in this process, or as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from twin.__main__ import main

ROOT = Path(__file__).parents[2]

SMALL = ("bench_4p4d", "--set", "run.requests=1500")
"""A scenario that is done in the fortieth of a second."""

SMALL_PDD = ("pdd_43a_32b", "--set", "run.requests=600")


class Said(NamedTuple):
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Standard output as strict JSON: no NaN, no Infinity."""
        assert self.code == 0, self.err
        return json.loads(self.out, parse_constant=_refuse)


def _refuse(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


def called(capsys: Any, *words: str) -> Said:
    """The command carried out in this process."""
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return Said(code, out, err)


def environment(**more: str) -> dict[str, str]:
    """The environment of a process that is to find the project."""
    return os.environ | {"PYTHONPATH": str(ROOT)} | more


def started(*words: str, **more: Any) -> subprocess.Popen[str]:
    """The command as a process of its own, with a group of its own, that hears Ctrl-C.

    A shell lets what it begins in the background ignore that, and so would all that it begins.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "twin", *words],
            env=environment(),
            text=True,
            start_new_session=True,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more},
        )
    finally:
        signal.signal(signal.SIGINT, before)


def without_cpu(data: Any) -> Any:
    """The results without what depends on the machine."""
    if isinstance(data, dict):
        return {key: without_cpu(value) for key, value in data.items() if key != "cpu_s"}
    return [without_cpu(item) for item in data] if isinstance(data, list) else data
