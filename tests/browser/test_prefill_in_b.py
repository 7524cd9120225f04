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


def test_requests_are_seen_in_both_prefill_pools(visit):
    """By number of place: 1 is prefill in A, 10 prefill in B; nobody prefills nowhere."""
    page = visit(LAB)
    page.wait_for_function("pddTwin.places[1] > 0 && pddTwin.places[10] > 0 && pddTwin.places[8]")
    told = page.locator(".chart", has_text="Prefill backlog").locator(".series")
    assert [one.split("\n")[0] for one in told.all_inner_texts()[:2]] == ["seconds of work", "in B"]


def test_without_prefill_in_b_nothing_is_said_of_it(visit):
    page = visit("/twin-lab")
    page.locator(".legend li:visible", has_text="P-RLD-MD").wait_for()
    page.wait_for_function("pddTwin.places[1] > 0 && pddTwin.places[8] > 0")
    assert not set(page.evaluate("Object.keys(pddTwin.places)")) & {"9", "10", "11"}
    for part in (".chip-row", ".bar", ".series", ".legend li"):
        assert page.locator(f"{part}:visible", has_text="in B").count() == 0, part
    assert page.locator(".histogram").is_visible()


def test_what_binds_can_be_prefill_in_b(visit):
    page = visit(f"{LAB}&policy.selective_threshold_tokens=128000&workload.rate_rps=0.5")
    page.locator(".tile-binds .figure-value", has_text="P in B").wait_for()
    assert page.locator(".bar:visible .bar-name").all_inner_texts() == [
        "P", "P in B", "MD", "Line",
    ]  # fmt: skip


def test_an_instance_in_b_is_lost_and_comes_back(visit):
    page = visit(LAB)
    page.get_by_role("tab", name="Break it").click()
    page.get_by_role("button", name="Lose P in B 2").click()
    page.get_by_role("button", name="Bring P in B 2 back").click()
    page.get_by_role("button", name="Lose P in B 2").wait_for()
    slider(page, "The past").hover()
    page.get_by_text("P in B 2 was lost").wait_for()
    page.get_by_text("P in B 2 came back").wait_for()


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
