"""The comparison page in a browser: what is turned there moves its numbers the right way."""

from __future__ import annotations

from .lab import drag, slider
from .pages import STUDY, answered, cell, opened, press

PDD = 3
"""Its column in the table of figures."""


def test_a_wider_line_brings_the_first_token_sooner(visit):
    page = opened(visit, "/compare?d3.line.bandwidth_gbps=8")
    before = {name: cell(page, name, PDD) for name in ("ttft_p50", "rld_tokens")}
    baseline = cell(page, "ttft_p50", 1)
    press(page, "Bandwidth", "PageUp", 4, nth=1)
    page.wait_for_url("**d3.line.bandwidth_gbps=8*")
    assert slider(page, "Bandwidth").nth(1).get_attribute("aria-valuenow") > "80"
    assert cell(page, "ttft_p50", PDD) < before["ttft_p50"]
    assert cell(page, "rld_tokens", PDD) < before["rld_tokens"]
    assert cell(page, "ttft_p50", 1) == baseline


def test_a_drag_is_followed_and_computed_when_it_ends(visit):
    page = opened(visit, "/compare")
    before = cell(page, "ttft_p90", PDD)
    answer = page.locator(STUDY).get_attribute("data-answer")
    track = slider(page, "Clients")
    box = track.bounding_box()
    middle = (box["x"] + box["width"] * (170 - 20) / 380, box["y"] + box["height"] / 2)
    drag(page, middle, -box["width"] * 0.2, 0)
    page.locator(f'{STUDY}[data-status="held"]').wait_for()
    page.mouse.up()
    answered(page, before=answer)
    assert cell(page, "ttft_p90", PDD) < before
    assert cell(page, "load", PDD) < 100
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function(
        "document.querySelector('[data-name=load] td span').textContent === '170'"
    )
    assert cell(page, "ttft_p90", PDD) == before


def test_equal_rate_gives_the_faster_one_fewer_clients(visit):
    page = opened(visit, "/compare")
    answer = page.locator(STUDY).get_attribute("data-answer")
    page.get_by_role("radio", name="rate").click()
    answered(page, before=answer)
    assert cell(page, "load", PDD) < cell(page, "load", 1)
    assert abs(cell(page, "throughput", PDD) / cell(page, "throughput", 1) - 1) < 0.04
