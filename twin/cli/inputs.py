"""From the words of a command line to scenarios and traces; all that is wrong, told at once."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import Problem, ScenarioError
from ..scenario import Scenario
from ..scenario_file import load, parse_setting, shipped_folder, with_settings
from ..settings import parent_path
from ..workload.trace_table import Trace
from ..workload.traces import read_trace
from .console import Console, InputError

Changes = dict[str, Any]


def scenario_path(word: str) -> Path:
    """The file that a word names: a path, or the name of a shipped scenario."""
    path = Path(word)
    if path.exists() or path.name != word or path.suffix in (".yaml", ".yml"):
        return path
    shipped = {file.stem: file for file in sorted(shipped_folder().glob("*.yaml"))}
    if word in shipped:
        return shipped[word]
    near = difflib.get_close_matches(word, shipped, n=1)
    hint = f"did you mean {near[0]}?" if near else f"shipped are {', '.join(shipped)}"
    raise InputError(Problem(repr(word), "", f"neither a file nor a shipped scenario; {hint}"))


def changes_of(words: Sequence[str]) -> Changes:
    """Settings and values of all `--set`; ScenarioError with everything wrong in them."""
    changes: Changes = {}
    wrong: list[Problem] = []
    for word in words:
        try:
            path, value = parse_setting(word)
            changes[path] = value
        except ScenarioError as error:
            wrong += error.problems
    if wrong:
        raise ScenarioError(Problem(f"--set {p.place}", p.found, p.remedy) for p in wrong)
    return changes


def scenarios(words: Sequence[str], sets: Sequence[str]) -> list[Scenario]:
    """The scenarios that the words name, each with those settings changed that it can have.

    A setting of a part that one deployment lacks (its line, its relay) is left out there; it is
    an error when none of them has it.
    """
    changes = changes_of(sets)
    found, wrong = _loaded(words)
    if wrong:
        raise InputError(wrong, "" if len(wrong) == 1 else f"{len(wrong)} problems:")
    nowhere = [path for path in changes if not any(_has(s, path) for s in found)]
    fitting = [
        {path: v for path, v in changes.items() if path in nowhere or _has(scenario, path)}
        for scenario in found
    ]
    return [_changed(s, mine) if mine else s for s, mine in zip(found, fitting, strict=True)]


def _loaded(words: Sequence[str]) -> tuple[list[Scenario], list[Problem]]:
    found: list[Scenario] = []
    wrong: list[Problem] = []
    for word in words:
        try:
            found.append(load(scenario_path(word)))
        except (ScenarioError, InputError) as error:
            wrong += error.problems
    return found, wrong


def _changed(scenario: Scenario, changes: Changes) -> Scenario:
    try:
        return with_settings(scenario, changes)
    except ScenarioError as error:
        told = [Problem(f"--set {p.place}", p.found, p.remedy) for p in error.problems]
        raise ScenarioError(told, error.headline) from None


def _has(scenario: Scenario, path: str) -> bool:
    """Whether the group that holds a setting is there."""
    group: Any = scenario
    above = parent_path(path)
    for step in above.split(".") if above else ():
        group = group.get(step) if isinstance(group, dict) else getattr(group, step, None)
    return group is not None


def trace(name: str | None, console: Console) -> Trace | None:
    """The trace in a file, with progress and its notes told; None without a name."""
    if name is None:
        return None
    with console.progress("reading the trace") as progress:
        found = read_trace(Path(name), progress=progress)
    for note in found.notes:
        console.note(f"note: {found.name}: {note}")
    return found
