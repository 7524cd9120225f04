"""Examples in a page, commands and what they print; `python -m tests.twin.examples` renews it."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from twin.__main__ import main

from .command_line import ROOT

PAGE = ROOT / "docs" / "command-line.md"
BLOCK = re.compile(r"^```console\n\$ python -m twin ([^\n]*)\n(.*?)\n```$", re.M | re.S)


def examples(page: str) -> list[tuple[str, str]]:
    """Words and output of each example."""
    return BLOCK.findall(page)


def printed(words: str) -> str:
    """What the command prints now, in a folder where it may leave files."""
    said = io.StringIO()
    with _elsewhere(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        code = main([*words.split(), "--workers", "1"] if "--seeds" in words else words.split())
    assert code == 0, words
    return said.getvalue().rstrip()


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    """A folder to work in, from which the project's scenarios are found as from its root."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "scenarios").symlink_to(ROOT / "scenarios")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def shape(text: str) -> list[str]:
    """The form of an output: figures and digests stand for themselves, blanks do not count."""
    text = re.sub(r"\b[0-9a-f]{12}\b", "~", text)
    text = re.sub(r"[+-]?\d[\d,]*(\.\d+)?", "#", text)
    text = re.sub(r"# ± #", "#", text)  # no deviation is told where there is none
    return [" ".join(line.split()) for line in text.splitlines()]


def without_cpu(text: str) -> list[str]:
    """An output without the seconds that its computation took, which are the machine's."""
    return [re.sub(r"\d+\.\d+ s of CPU", "# s of CPU", line) for line in text.splitlines()]


def renewed(page: str) -> str:
    """The page with what its commands print now."""
    return BLOCK.sub(
        lambda found: f"```console\n$ python -m twin {found[1]}\n{printed(found[1])}\n```", page
    )


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text("utf-8")), "utf-8")
