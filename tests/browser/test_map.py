"""The map in a browser: a price moves every cell, and a click looks at another one."""

from __future__ import annotations

from .lab import slider
from .pages import answered, figure, opened


def until_other(page, name, before):
    page.wait_for_function(
        "([name, before]) => parseFloat(document.querySelector("
        "`.number[data-name='${name}'] .number-value`).textContent) !== before",
        arg=[name, before],
    )


def test_a_dearer_chip_lowers_bcr_and_a_click_chooses_a_cell(visit):
    page = opened(visit, "/map?requests=1000", slot="coarse")
    before, cost = figure(page, "bcr"), figure(page, "cost")
    slider(page, "Chip B").press("PageUp")
    until_other(page, "bcr", before)
    assert figure(page, "bcr") < before
    assert figure(page, "cost") > cost
    capacity = figure(page, "capacity")
    box = page.locator(".js-plotly-plot .xy").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 6, box["y"] + box["height"] / 6)
    until_other(page, "capacity", capacity)
    page.wait_for_url("**gbps=2.5*")
    assert page.get_by_role("heading", name="2.5 Gbps, hit rate 96%").is_visible()
    assert figure(page, "bcr") < 1


def test_a_sla_that_nothing_keeps_leaves_no_capacity(visit):
    page = opened(visit, "/map?requests=1000", slot="coarse")
    assert figure(page, "capacity") > 1
    answer = page.locator('.study[data-slot="coarse"]').get_attribute("data-answer")
    slider(page, "SLA, last token within").press("Home")
    answered(page, "coarse", answer)
    shown = page.locator('.number[data-name="capacity"] .number-value')
    assert shown.inner_text() == "–"
    page.get_by_text("SLA kept at no load").wait_for()
