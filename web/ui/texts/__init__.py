"""Every word of the pages, by place; the live component gets its own with its data.

`{name}` in a text takes a value. What a setting means is not told here: that stands in the
settings table and comes from the API.
"""

from __future__ import annotations

from typing import Any

from . import controls, numbers, pages, tools
from . import map as map_words

PAGES, SECTIONS = pages.PAGES, pages.SECTIONS

TEXTS: dict[str, Any] = {
    name.lower(): value
    for part in (pages, numbers, map_words, controls, tools)
    for name, value in vars(part).items()
    if name.isupper() and name not in ("PAGES", "SECTIONS")
} | {
    "dialog": {"close": "Close"},
    "units": {"tokens": "tokens", "chips_a": "× chip A", "per_second": "/s"},
}
"""All texts of the component, each group by its name."""
