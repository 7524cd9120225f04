"""The files of the project, as the tests of the house read them."""

from __future__ import annotations

import contextlib
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

PRODUCT = ("twin", "db", "web")
"""The rooms that are the product itself."""


@cache
def files() -> tuple[str, ...]:
    """Paths of all files that are, or could be, in version control, relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return tuple(sorted(name for name in listed.split("\0") if name and (ROOT / name).is_file()))


def python_files(*rooms: str) -> list[str]:
    """The Python files of these rooms; of the whole project when none is named."""
    return [
        name
        for name in files()
        if name.endswith(".py") and (not rooms or name.split("/")[0] in rooms)
    ]


def texts() -> dict[str, str]:
    """Every file that is text, by its path."""
    found = {}
    for name in files():
        with contextlib.suppress(UnicodeDecodeError):
            found[name] = (ROOT / name).read_text("utf-8")
    return found
