"""How the component's files look: small, said at once what they are for, without markup of data."""

from __future__ import annotations

import re

import pytest

from web.ui.components.live import ASSETS, _data

LONGEST = 300
FILES = sorted(path for path in ASSETS.rglob("*") if path.suffix in (".js", ".css"))
MODULES = [path for path in FILES if path.suffix == ".js"]


def name(path):
    return path.relative_to(ASSETS).as_posix()


def test_a_file_is_small_and_begins_with_what_it_is_for():
    assert len(FILES) > 30
    for path in FILES:
        text = path.read_text()
        assert text.count("\n") <= LONGEST, path
        assert re.match(r"/\*\*? .{15,}\*/\n", text), path


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_data_never_become_markup(path):
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", path.read_text()
    )


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_imports_lead_to_what_is_exported(path):
    for names, target in re.findall(
        r'^import \{([^}]+)\} from "(\.[^"]+)";', path.read_text(), re.M
    ):
        source = (path.parent / target).resolve()
        exported = re.findall(
            r"^export (?:async )?(?:function\*?|class|const|let) (\w+)", source.read_text(), re.M
        )
        several = re.findall(r"^export const \[([^\]]+)\]", source.read_text(), re.M)
        exported += [one.strip() for group in several for one in group.split(",")]
        for wanted in names.split(","):
            assert wanted.strip() in exported, f"{wanted.strip()} of {target}"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_what_is_imported_is_used(path):
    text = path.read_text()
    for names, _ in re.findall(r'^import \{([^}]+)\} from "(\.[^"]+)";', text, re.M):
        for wanted in names.split(","):
            assert len(re.findall(rf"\b{wanted.strip()}\b", text)) > 1, wanted


def test_the_page_tells_the_browser_of_every_file():
    own = [path for path in map(name, FILES) if not path.startswith("widgets")]
    assert _data("lab")["files"] == sorted(own)
    assert {"start", "lab"} == {_data(page)["page"] for page in ("start", "lab")}


def test_the_shares_to_start_from_are_seven_that_sum_to_one():
    rates = _data("lab")["hit_rates"]
    assert {"published", "low", "even"} <= {rate["name"] for rate in rates}
    for rate in rates:
        assert len(rate["shares"]) == 7
        assert sum(rate["shares"]) == pytest.approx(1, abs=0.005)
