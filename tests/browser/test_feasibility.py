"""The feasibility page in a browser: it follows the keys, and the published case is one press."""

from __future__ import annotations

from .lab import slider
from .pages import figure, number_of

CHANGED = "([place, before]) => document.querySelector(place).textContent !== before"


def place(name: str) -> str:
    return f'.number[data-name="{name}"] .number-value'


def turned(page, name: str, key: str, watched: str) -> float:
    """Press a key on a slider, and wait for a number to move; what it was before."""
    before = page.locator(place(watched)).inner_text()
    slider(page, name).press(key)
    page.wait_for_function(CHANGED, arg=[place(watched), before])
    return number_of(before)


def test_a_lower_hit_rate_needs_a_wider_line_and_a_wider_line_carries_it(visit):
    page = visit("/feasibility", ready=False)
    page.locator(place("total")).wait_for()
    before = turned(page, "Hit rate", "PageDown", "needed")
    assert figure(page, "needed") > before
    before = turned(page, "Bandwidth", "PageUp", "load")
    assert figure(page, "load") < before


def test_eighty_requests_in_one_second(visit):
    page = visit("/feasibility", ready=False)
    page.locator(place("total")).wait_for()
    before = page.locator(place("needed")).inner_text()
    page.get_by_role("button", name="80 requests in one second").click()
    page.wait_for_function(CHANGED, arg=[place("needed"), before])
    assert figure(page, "needed") == 184.1
    page.get_by_text("It does not carry it").first.wait_for()
    page.wait_for_url("**model=claim_c11*")
