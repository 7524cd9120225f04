"""The oscillation page in a browser: a button brings it back, and a drag moves the gain."""

from __future__ import annotations

from .lab import slider
from .pages import answered, figure, new_answer, opened


def test_one_button_brings_the_swing_back(visit):
    page = opened(visit, "/oscillation", "oscillation")
    answered(page, "ways")
    before = figure(page, "sla")
    assert page.get_by_text("Swinging", exact=True).first.is_visible()
    with new_answer(page, "oscillation"):
        page.locator('tr[data-name="published"]').get_by_role("button", name="Apply").click()
    page.wait_for_url("**p_rld=off*")
    assert figure(page, "sla") > before + 20
    assert figure(page, "lag") < 1


def test_a_greater_threshold_lowers_the_share_that_is_local_at_once(visit):
    page = opened(visit, "/oscillation?gate=off", "oscillation")
    before = figure(page, "gain_formula")
    for _ in range(2):
        slider(page, "P-RLD above").press("PageUp")
    page.wait_for_function(
        """([place, before]) => document.querySelector(place).textContent !== before""",
        arg=['.number[data-name="gain_formula"] .number-value', f"{before:.2f}"],
    )
    assert figure(page, "gain_formula") != before
    assert figure(page, "gain_formula") <= 0.95
