"""Writes the generated pages and blocks anew, or with --check tells which are out of date.

A generated block stands in a page, between `<!-- generated: NAME -->` and its closing counterpart;
a generated page is a file of its own. Both are functions of the tree alone and are listed below.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable

from .tree import ROOT


def words() -> str:
    """The words of the Makefile, each with its line of help."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    helped = re.findall(r"^([a-z-]+):.*## (.*)$", makefile, re.M)
    rows = [f"| `make {word}` | {line} |" for word, line in helped]
    return "\n".join(["| word | what it does |", "| --- | --- |", *rows])


def floors() -> str:
    """The layers of each package with a plan, as the import contracts have them."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    plans = [
        [f"{contract['containers'][0]}/", *(f"    {layer}" for layer in contract["layers"])]
        for contract in stated["tool"]["importlinter"]["contracts"]
        if contract.get("exhaustive")
    ]
    return "\n".join(["```", *(line for plan in plans for line in plan), "```"])


def settings() -> str:
    """Every setting, shipped scenario and part."""
    from twin.reference import reference

    return reference()


def claims_block() -> str:
    """The published claims, as last computed, in one table."""
    from twin.cli.claims_table import readme_block
    from twin.reproduction.stored import measured

    return readme_block(measured())


def claims_page() -> str:
    """The published claims with all their figures, and what these stand on."""
    from twin.cli.claims_table import claims_page
    from twin.cli.prefill_service_command import page_block
    from twin.reproduction.stored import measured

    return f"{claims_page(measured())}\n{page_block()}"


def hardware() -> str:
    """KV bytes of every model in every layout."""
    from twin.hardware.kv_table import kv_page

    return kv_page()


BLOCKS: dict[tuple[str, str], Callable[[], str]] = {
    ("CONTRIBUTING.md", "words"): words,
    ("ARCHITECTURE.md", "floors"): floors,
    ("README.md", "claims"): claims_block,
}
"""The text of each block, by the page it stands in and its name."""

PAGES: dict[str, Callable[[], str]] = {
    "scenarios/README.md": settings,
    "docs/claims.md": claims_page,
    "docs/hardware.md": hardware,
}
"""The text of each whole page that is generated, by its path."""


def with_block(page: str, name: str, text: str) -> str:
    """The page with that block's text in place of the old one."""
    opening, closing = f"<!-- generated: {name} -->", f"<!-- /generated: {name} -->"
    before, found, rest = page.partition(opening)
    _, closed, after = rest.partition(closing)
    if not (found and closed):
        raise ValueError(f"the page has no block {opening} ... {closing}")
    return f"{before}{opening}\n{text}\n{closing}{after}"


def expected() -> dict[str, str]:
    """What each page with something generated in it should hold now."""
    pages = {path: write() for path, write in PAGES.items()}
    for (path, name), write in BLOCKS.items():
        page = pages.get(path) or (ROOT / path).read_text("utf-8")
        pages[path] = with_block(page, name, write())
    return pages


def out_of_date() -> dict[str, str]:
    """The pages that do not hold what they should, with what they should hold."""
    return {
        path: text
        for path, text in expected().items()
        if not (ROOT / path).exists() or (ROOT / path).read_text("utf-8") != text
    }


def main(arguments: list[str]) -> int:
    """Write what is out of date; with --check write nothing and return 1 if there is any."""
    stale = out_of_date()
    if "--check" in arguments:
        for path in stale:
            print(f"{path} is out of date: make docs", file=sys.stderr)
        return 1 if stale else 0
    for path, text in stale.items():
        (ROOT / path).write_text(text, "utf-8")
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
