"""How source files look: a first sentence, a length, a name, and no word about one machine."""

from __future__ import annotations

import ast
import re

import pytest

from .tree import PRODUCT, ROOT, python_files, texts

SHAPELESS = {"utils", "util", "core", "common", "helpers", "helper", "base", "manager"}
LONGEST = 450


def first_sentence_missing(source: str) -> bool:
    """Whether a file does not begin, in its first line, with a docstring that says something."""
    first = source.partition("\n")[0]
    return not (first.startswith('"""') and len(first.strip('"').strip()) > 3 and _parsed(source))


def _parsed(source: str) -> str | None:
    return ast.get_docstring(ast.parse(source))


def own_imports(source: str, package: str) -> list[int]:
    """Lines at which a file imports its own package by name instead of from where it stands."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        if any(name.split(".")[0] == package for name in names):
            lines.append(node.lineno)
    return lines


def sources(*rooms: str) -> dict[str, str]:
    """The text of each Python file of these rooms, by its path."""
    return {name: (ROOT / name).read_text("utf-8") for name in python_files(*rooms)}


def test_first_line_says_what_the_file_is_for():
    assert [name for name, text in sources(*PRODUCT).items() if first_sentence_missing(text)] == []


def test_no_file_is_too_long():
    lengths = {name: text.count("\n") for name, text in sources().items()}
    too_long = {name: lines for name, lines in lengths.items() if lines > LONGEST}
    assert too_long == {}, "two rooms may share a wall there"


def test_no_file_has_a_shapeless_name():
    parts = {part for name in python_files() for part in name.removesuffix(".py").split("/")}
    assert parts & SHAPELESS == set()


def test_nobody_inside_imports_the_package_by_its_own_name():
    found = {
        name: lines
        for name, text in sources(*PRODUCT).items()
        if (lines := own_imports(text, name.split("/")[0]))
    }
    assert found == {}


# Spelled in halves, so that this file passes its own tests.
HOSTS = re.compile(
    "|".join(
        re.escape(first + second)
        for first, second in (
            ("py", "pi.org"),
            ("python", "hosted.org"),
            ("npm", "js.org"),
            ("npm", "js.com"),
            ("deb.", "debian.org"),
            ("docker", ".io"),
            ("gh", "cr.io"),
            ("qu", "ay.io"),
            ("ana", "conda.org"),
            ("proxy.", "golang.org"),
        )
    ),
    re.IGNORECASE,
)
OWN = "|".join(("work", "farm", "root", "tmp"))
MACHINE = re.compile(rf"(?<![\w.*~/])/(?:{OWN})/")


def places(pattern: re.Pattern[str], found: dict[str, str]) -> list[str]:
    """Where a pattern stands, as file:line: text."""
    return [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in found.items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_names_a_registry():
    assert places(HOSTS, texts()) == []


def test_no_file_names_a_path_of_one_machine():
    assert places(MACHINE, texts()) == []


@pytest.mark.parametrize(
    "source", ["import os\n", '"""\nLate.\n"""\n', '""" """\n', "# Why.\n", ""]
)
def test_a_missing_first_sentence_is_seen(source):
    assert first_sentence_missing(source)
    assert not first_sentence_missing('"""What it is for."""\n' + source)


def test_an_import_by_the_own_name_is_seen():
    source = "from twin.units import KILO\nimport twin\nfrom .units import KILO\nimport db"
    assert own_imports(source, "twin") == [1, 2]
    assert own_imports(source, "db") == [4]


def test_a_forbidden_word_is_seen():
    path = "/".join(("", "tmp", "x"))
    found = {"a": f"fine: a{path}/b\nsee {path}\nfiles.{'python'}hosted.org"}
    assert [place[:4] for place in places(MACHINE, found)] == ["a:2:"]
    assert [place[:4] for place in places(HOSTS, found)] == ["a:3:"]
