"""The start page: requests move without a click, four numbers, three ways on."""

from __future__ import annotations

import re

from .lab import seen
from .service import running_service

MOTION = "document.querySelector('.map-motion').toDataURL()"


def test_requests_move_without_a_click(visit):
    page = visit("/")
    page.wait_for_function("window.pddTwin.particles > 10")
    before, frames = page.evaluate(MOTION), seen(page, "frames")
    page.wait_for_function(f"window.pddTwin.frames > {frames + 5}")
    assert page.evaluate(MOTION) != before
    assert page.locator("h1").inner_text() == "One model, two datacenters, a thin line between"


def test_it_says_how_the_published_deployment_does_at_once(visit, tmp_path):
    """On a service of its own: the shared twin of another has gone on meanwhile."""
    with running_service(tmp_path) as address:
        page = visit(address)
        look_at_the_numbers(page)
        page.context.close()  # before its service ends, which it would complain of


def look_at_the_numbers(page):
    page.wait_for_function("document.querySelector('.big-value').textContent.length > 2")
    numbers = [float(text) for text in page.locator(".big-value").all_inner_texts()]
    ttft, goodput, relayed, bcr = numbers
    assert 3.0 <= ttft <= 5.5, "seconds, from a checkpoint warmed by two simulated hours"
    assert 2.0 < goodput < 3.5
    assert 3.0 < relayed < 12.0
    assert bcr > 1.0


def test_a_card_leads_into_the_lab_without_loading_the_page_anew(visit):
    page = visit("/")
    page.evaluate("window.stillHere = true")
    page.get_by_role("link", name=re.compile("Price my case")).click()
    page.wait_for_url("**/twin-lab?focus=prices")
    page.get_by_role("tab", name="Prices", selected=True).wait_for()
    assert page.evaluate("window.stillHere")
    page.wait_for_function("window.pddTwin.frames > 3")


def test_break_it_allows_the_shortcut(visit):
    page = visit("/")
    page.get_by_role("link", name=re.compile("Break it")).click()
    page.locator(".preset[data-name=p_rld_collapse][aria-pressed=true]").wait_for()
    page.locator(".switch[aria-checked=true]", has_text="P-RLD allowed").wait_for()
    page.wait_for_url("**policy.p_rld=on**")
