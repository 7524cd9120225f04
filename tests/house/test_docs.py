"""The pages tell the truth: links lead somewhere, commands exist, laws have their tests."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from . import generated
from .test_makefile import phony
from .tree import ROOT, files

PAGES = [name for name in files() if name.endswith(".md")]


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def links(page: str) -> list[str]:
    """The targets of a page's links and pictures."""
    return re.findall(r"\]\(([^)\s]+)\)", page)


def anchors(page: str) -> set[str]:
    """The names under which a page's headings can be linked to."""
    heads = re.findall(r"^#+ +(.+)$", page, re.M)
    return {re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-") for head in heads}


def _headings(target: Path, path: str, page: str) -> set[str]:
    return anchors(target.read_text("utf-8") if path else page)


def dead_links(name: str, page: str) -> list[str]:
    """Links of a page to files or headings that are not there."""
    dead = []
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, heading = link.partition("#")
        target = ROOT / (PurePosixPath(name).parent / path if path else name)
        there = target.exists() and (not heading or heading in _headings(target, path, page))
        if not there:
            dead.append(link)
    return dead


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    assert dead_links(name, text(name)) == []


def test_dead_links_are_seen():
    page = "# A b\n[x](README.md) [y](#a-b) [z](absent.md) [u](#b) [v](LICENSE#x) [w](https://a.b)"
    assert dead_links("CONTRIBUTING.md", page) == ["absent.md", "#b", "LICENSE#x"]


def code(page: str) -> str:
    """What stands in a page as code, fenced or in a line, one piece a line."""
    fenced = re.findall(r"^```\w*\n(.*?)^```", page, re.M | re.S)
    return "\n".join([*fenced, *re.findall(r"(?<!`)`([^`\n]+)`(?!`)", page)])


@pytest.mark.parametrize("name", PAGES)
def test_words_of_make_exist(name):
    said = re.findall(r"^make ([a-z]+)", code(text(name)), re.M)
    assert set(said) <= phony()


COMMANDS = re.findall(r"^(python -m twin .*)$", code(text("README.md")), re.M)


@pytest.mark.parametrize("command", sorted({" ".join(one.split()[3:5]) for one in COMMANDS}))
def test_the_command_line_knows_what_the_readme_says(command):
    words = [word for word in command.split() if re.fullmatch("[a-z]+", word)]
    asked = [sys.executable, "-m", "twin", *words, "--help"]
    subprocess.run(asked, cwd=ROOT, check=True, capture_output=True)


def test_the_scenarios_the_readme_names_are_there():
    named = set(re.findall(r"scenarios/\S+\.yaml", "\n".join(COMMANDS)))
    assert named
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_the_readme_has_a_picture_and_the_two_commands():
    readme = text("README.md")
    assert any(link.endswith((".svg", ".png")) for link in links(readme))
    assert re.search(r"```sh\nmake run .*\nmake test .*\n```", readme)


def test_generated_pages_are_as_generated():
    assert sorted(generated.out_of_date()) == []


def test_a_stale_block_is_seen(monkeypatch):
    monkeypatch.setattr(generated, "BLOCKS", {("CONTRIBUTING.md", "words"): lambda: "other"})
    assert "\nother\n" in generated.out_of_date()["CONTRIBUTING.md"]
    assert generated.main(["--check"]) == 1
    with pytest.raises(ValueError, match="no block"):
        generated.with_block("a page", "words", "text")


LAWS = ROOT / "tests" / "laws"


def law_rows() -> dict[str, str]:
    """Number of each law in ARCHITECTURE.md and the pattern of the file that holds it."""
    return dict(re.findall(r"^\| L(\d+) \|.*\| `(\S+)` \|$", text("ARCHITECTURE.md"), re.M))


def test_every_law_is_told_with_its_test():
    rows = law_rows()
    assert list(rows) == [str(number) for number in range(1, 23)]
    assert all(rows[n] == f"tests/laws/test_l{int(n):02d}_*.py" for n in rows)


def test_the_list_of_laws_without_a_test_is_true():
    told = re.search(r"^Without a test so far: (.*)\.$", text("ARCHITECTURE.md"), re.M)
    without = re.findall(r"L(\d+)", told[1]) if told else []
    assert without == [number for number, path in law_rows().items() if not list(ROOT.glob(path))]


def test_every_law_test_is_told():
    named = {path.split("*")[0] for path in law_rows().values()}
    for file in LAWS.glob("test_*.py"):
        assert any(f"tests/laws/{file.name}".startswith(start) for start in named), file.name
