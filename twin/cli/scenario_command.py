"""`scenario check`: everything that is wrong in scenario files, each with its line."""

from __future__ import annotations

from argparse import Namespace

from ..errors import Problem
from ..scenario_file import check, load
from .console import Console, InputError, json_text
from .inputs import scenario_path

FOUND_WRONG = 2
"""Exit code when a file has a problem: it is bad input."""


def scenario_command(args: Namespace, console: Console) -> int:
    """Check each file (the only action so far); the sentences are the results here."""
    checked = [(word, _problems(word)) for word in args.files]
    if args.json:
        console.put(json_text([_data(word, problems) for word, problems in checked]))
    else:
        console.put("\n".join(_text(word, problems) for word, problems in checked))
    return FOUND_WRONG if any(problems for _, problems in checked) else 0


def _problems(word: str) -> list[Problem]:
    try:
        return check(scenario_path(word))
    except InputError as error:
        return list(error.problems)


def _digest(word: str, problems: list[Problem]) -> str | None:
    return None if problems else load(scenario_path(word)).digest()


def _data(word: str, problems: list[Problem]) -> dict[str, object]:
    return {
        "file": word,
        "ok": not problems,
        "digest": _digest(word, problems),
        "problems": [
            {"place": p.place, "found": p.found, "remedy": p.remedy, "sentence": p.sentence()}
            for p in problems
        ],
    }


def _text(word: str, problems: list[Problem]) -> str:
    if not problems:
        return f"{word}: ok, digest {str(_digest(word, problems))[:12]}"
    head = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    return "\n".join([f"{word}: {head}", *(f"  {p.sentence()}" for p in problems)])
