"""The handoff lab in a browser: formulas follow the keys, whole runs follow when it settles."""

from __future__ import annotations

from .lab import slider
from .pages import cell, figure, opened, press

CHANGED = "([place, before]) => document.querySelector(place).textContent !== before"


def test_more_ids_a_step_shorten_the_gap(visit):
    page = opened(visit, "/handoff?mode=one_shot")
    before = figure(page, "gap"), figure(page, "ids_mean"), cell(page, "one_shot", 3)
    press(page, "Ids per MD step", "PageUp")
    assert slider(page, "Ids per MD step").get_attribute("aria-valuenow") != "5"
    assert figure(page, "gap") < before[0]
    assert figure(page, "ids_mean") < before[1]
    assert cell(page, "one_shot", 3) < before[2]


def test_a_drawn_handoff_follows_at_once_without_a_run(visit):
    page = opened(visit, "/handoff?mode=one_shot&eager=100")
    answer = page.locator(".study").get_attribute("data-answer")
    place = '.number[data-name="gap"] .number-value'
    before = figure(page, "gap")
    slider(page, "Tokens already streamed").press("ArrowRight")
    page.wait_for_function(CHANGED, arg=[place, page.locator(place).inner_text()])
    assert figure(page, "gap") > before
    assert page.locator(".study").get_attribute("data-answer") == answer
