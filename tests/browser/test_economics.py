"""The economics page in a browser: a price that is dragged moves what hangs on it."""

from __future__ import annotations

from .lab import drag, slider
from .pages import figure, number_of, opened


def text(page, name):
    return page.locator(f'.number[data-name="{name}"] .number-value').inner_text()


def blended(page):
    """USD per million tokens with the deployment, at the lower price of B."""
    row = page.locator('.sheet tr[data-name="43 A + 32 B + line"] > *')
    return number_of(row.nth(6).locator("span").first.inner_text().split("–")[0])


SHOWN = "document.querySelector(`.number[data-name='${name}'] .number-value`)?.textContent"
"""What a figure says; nothing while its row is being drawn anew."""


def until_other(page, name, before):
    page.wait_for_function(
        f"([name, before]) => ![undefined, before].includes({SHOWN})", arg=[name, before]
    )


def until(page, name, wanted):
    page.wait_for_function(f"([name, wanted]) => {SHOWN} === wanted", arg=[name, wanted])


def test_dearer_chips_b_cost_more_and_the_line_may_cost_less(visit):
    page = opened(visit, "/economics", slot="capacity")
    before = {name: text(page, name) for name in ("cost_after", "bcr", "line_even")}
    token = blended(page)
    track = slider(page, "Chip B, lower price")
    box = track.bounding_box()
    at = (box["x"] + box["width"] * (1.2 - 0.1) / 2.9, box["y"] + box["height"] / 2)
    drag(page, at, box["width"] * 0.2, 0)
    until_other(page, "cost_after", before["cost_after"])
    page.mouse.up()
    page.wait_for_url("**b_low=*")
    ends = {name: text(page, name).replace(",", "").split("–") for name in before}
    assert float(ends["cost_after"][-1]) > float(before["cost_after"].split("–")[-1])
    assert float(ends["bcr"][0]) < float(before["bcr"].split("–")[0])
    assert blended(page) > token
    page.get_by_role("button", name="Reset").click()
    until(page, "bcr", before["bcr"])


def test_a_published_fee_is_taken_for_the_line(visit):
    page = visit("/economics", ready=False)
    page.locator('.sheet tr[data-name="dedicated_10g-0"] button').wait_for()
    before, even = text(page, "saving"), text(page, "line_even")
    page.locator('.sheet tr[data-name="dedicated_10g-0"] button').click()
    until_other(page, "saving", before)
    assert float(slider(page, "The line").get_attribute("aria-valuenow")) > 2
    assert number_of(text(page, "saving")) < number_of(before)
    assert text(page, "line_even") == even


def test_dearer_cached_tokens_lift_the_bathtub(visit):
    page = visit("/economics", ready=False)
    page.locator('.number[data-name="tub_end"]').wait_for()
    before = text(page, "tub_end")
    slider(page, "Cached input").press("PageUp")
    until_other(page, "tub_end", before)
    assert figure(page, "tub_end") > float(before)
