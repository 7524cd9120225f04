"""The claims page in a browser: a row explains itself, and is computed anew when one asks."""

from __future__ import annotations

import pytest

from .conftest import PHONE, WIDE
from .pages import cell
from .test_looks import FAULTS

OURS = 3


def opened(visit, path, **options):
    page = visit(path, ready=False, **options)
    page.locator(".sheet tr[data-name=C24]").wait_for()
    page.locator('.study[data-slot="claim"]').wait_for()
    return page


def test_one_seed_moves_the_figure_to_that_seed(visit):
    page = opened(visit, "/claims?seeds=1")
    stored, other = cell(page, "C01", OURS), cell(page, "C02", OURS)
    page.locator("tr[data-name=C01] td").nth(1).click()
    page.wait_for_url("**claim=C01*")
    page.get_by_role("button", name="Compute C01 now").click()
    page.locator("tr[data-name=C01] .cell-note", has_text="now, seed 0").wait_for()
    assert cell(page, "C01", OURS) < stored
    assert cell(page, "C02", OURS) == other
    page.get_by_role("button", name="C02").click()
    page.locator("tr[data-name=C01] .cell-note", has_text="±").wait_for()
    assert cell(page, "C01", OURS) == stored


def test_a_press_far_down_leads_to_the_explanation_on_a_phone(visit):
    page = opened(visit, "/claims", viewport=PHONE)
    page.locator("tr[data-name=C23]").get_by_role("button").click()
    title = page.get_by_role("heading", name="C23")
    title.wait_for()
    page.wait_for_function(
        "(el) => { const box = el.getBoundingClientRect(); return box.top >= 0 && box.top < 800 }",
        arg=title.element_handle(),
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_nothing_overflows_and_all_can_be_read(visit, size, scheme):
    page = opened(visit, "/claims?claim=C18", viewport=size, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    faults = page.evaluate(FAULTS)
    assert not faults, "\n".join(faults)
    assert page.locator("text=/NaN|undefined|None/").count() == 0
