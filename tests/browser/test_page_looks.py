"""How the pages of studies look: nothing overflows, all can be read, in light and dark."""

from __future__ import annotations

import pytest

from .conftest import PHONE, WIDE
from .pages import opened
from .test_looks import FAULTS

PAGES = ("/compare",)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("path", PAGES)
def test_nothing_overflows_and_all_can_be_read(visit, path, size, scheme):
    page = opened(visit, path, viewport=size, color_scheme=scheme)
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate(FAULTS) == []
    texts = page.locator("text=/NaN|undefined|None/")
    assert texts.count() == 0


def test_the_menu_can_be_used_on_a_phone(visit):
    page = opened(visit, "/compare", viewport=PHONE)
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_role("link", name="Twin").click()
    page.wait_for_url("**/twin-lab")
    page.wait_for_function("window.pddTwin?.frames > 3")
