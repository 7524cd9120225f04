"""A deployment that also prefills in B: drawn, explained, turned and broken in the browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import PHONE, WIDE
from .lab import slider

FAULTS = (Path(__file__).parent / "faults.js").read_text()
LAB = "/twin-lab?scenario=prfaas_selective"


@pytest.mark.parametrize(
    ("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"]
)
def test_both_prefill_pools_are_drawn_and_all_can_be_read(visit, size, scheme):
    page = visit(LAB, viewport=size, color_scheme=scheme)
    page.locator(".legend li:visible", has_text="prefilled in B").wait_for()
    page.wait_for_function(
        "!document.querySelector('.tile .figure-value, .big-value').textContent.includes('–')"
    )
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate(FAULTS) == []


def test_what_is_pointed_at_in_b_is_explained(visit):
    page = visit(LAB)
    page.locator(".legend li:visible", has_text="prefilled in B").wait_for()
    box = page.locator(".map-stage").bounding_box()
    # the beginning of the pool's title, in the upper left of datacenter B
    page.mouse.move(box["x"] + box["width"] * 0.66, box["y"] + 40)
    page.get_by_text("P in B, prefill beside main decode").first.wait_for()
    page.get_by_text("3 instances of 8 chips nvidia-h20-96g: 24 in all.").first.wait_for()


def test_a_higher_threshold_brings_more_requests_to_b(visit):
    page = visit(LAB)
    threshold = slider(page, "Prefill in A above")
    assert threshold.get_attribute("aria-valuetext") == "19,400 tokens"
    threshold.press("End")
    page.wait_for_function(
        "document.querySelector('[aria-label=\"Prefill in A above\"]').ariaValueText"
        " === '128,000 tokens'"
    )
    page.wait_for_url("**selective_threshold_tokens=128000*")
    page.get_by_role("tab", name="Break it").click()
    page.get_by_text("P in B", exact=True).first.wait_for()


def test_requests_come_at_a_rate_that_can_be_turned(visit):
    page = visit(LAB)
    rate = slider(page, "Requests")
    rate.wait_for()
    assert slider(page, "Clients").is_hidden()
    rate.press("ArrowRight")
    page.wait_for_url("**workload.rate_rps=*")
