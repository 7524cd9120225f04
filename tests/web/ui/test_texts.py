"""Every text that the component asks for is there, and none is there for nothing."""

from __future__ import annotations

import re
from typing import Any

from web.ui.components.live import ASSETS
from web.ui.texts import TEXTS

SOURCES = {path.name: path.read_text() for path in ASSETS.rglob("*.js")}
PLAIN = re.compile(r"""\bt\((?:[^()"`]*\? )?"([a-z_.A-Z0-9]+)"(?: : "([a-z_.A-Z0-9]+)")?""")
BUILT = re.compile(r"`([a-z_]+)\.[^`]*\$\{")


def leaves(texts: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """All texts by their place."""
    found = {}
    for name, value in texts.items():
        if isinstance(value, dict):
            found |= leaves(value, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = value
    return found


def named() -> set[str]:
    """Places that the modules name in full."""
    return {
        place
        for source in SOURCES.values()
        for match in PLAIN.finditer(source)
        for place in match.groups()
        if place
    }


def built() -> set[str]:
    """Groups out of which the modules pick a text by a name they put together."""
    return {match[1] for source in SOURCES.values() for match in BUILT.finditer(source)}


def test_every_text_that_is_named_is_there():
    assert len(named()) > 100
    assert named() - set(leaves(TEXTS)) == set()


def test_no_text_is_there_for_nothing():
    used = {place for place in leaves(TEXTS) if place in named() or place.split(".")[0] in built()}
    assert set(leaves(TEXTS)) - used == set()


def test_no_text_is_empty_or_markup():
    assert [place for place, text in leaves(TEXTS).items() if not text.strip() or "<" in text] == []


def test_each_setting_on_the_panel_is_live_and_has_a_name():
    from twin.settings import find

    panel = SOURCES["panel.js"]
    paths = re.findall(r'"((?:workload|line|policy|slo|prices|caches)\.[a-z_]+)"', panel)
    assert len(set(paths)) >= 14
    for path in set(paths) - set(leaves(TEXTS)):
        setting = find(path)
        assert setting is not None
        assert setting.live, path
        assert path.replace(".", "_") in TEXTS["settings"]
