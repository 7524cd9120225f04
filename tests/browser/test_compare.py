"""The comparison page in a browser: what is turned there moves its numbers the right way."""

from __future__ import annotations

from .lab import drag, slider
from .pages import answered, cell, new_answer, opened, press, study

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
    box = slider(page, "Clients").bounding_box()
    middle = (box["x"] + box["width"] * (170 - 20) / 380, box["y"] + box["height"] / 2)
    with new_answer(page):
        drag(page, middle, -box["width"] * 0.2, 0)
        page.locator('.study[data-slot="compare"][data-status="held"]').wait_for()
        assert page.url.endswith("/compare")
        page.mouse.up()
    page.wait_for_url("**/compare?clients=9*")
    assert cell(page, "ttft_p90", PDD) < before
    assert cell(page, "clients", PDD) < 100
    with new_answer(page):
        page.get_by_role("button", name="Undo").click()
    assert cell(page, "clients", PDD) == 170
    assert cell(page, "ttft_p90", PDD) == before


def test_equal_rate_gives_the_faster_one_fewer_clients(visit):
    page = opened(visit, "/compare")
    with new_answer(page):
        page.get_by_role("radio", name="rate").click()
    assert cell(page, "clients", PDD) < cell(page, "clients", 1)
    assert abs(cell(page, "throughput", PDD) / cell(page, "throughput", 1) - 1) < 0.04


def test_from_the_lab_with_its_settings(visit):
    page = visit("/twin-lab?line.bandwidth_gbps=25&workload.clients=120")
    page.wait_for_function("window.pddTwin.lastFrameEntry >= 2")
    page.get_by_role("button", name="Share and export").click()
    page.get_by_role("menuitem", name="Compare with the published").click()
    page.wait_for_url("**/compare?**")
    answered(page, "compare")
    names = page.locator(".sheet thead th")
    assert names.all_inner_texts()[1:] == ["same_dc_88a", "pdd_43a_32b 1", "pdd_43a_32b 2"]
    assert cell(page, "clients", PDD) == 120
    assert cell(page, "rld_tokens", PDD) < cell(page, "rld_tokens", PDD - 1)


def test_what_takes_long_can_be_cancelled_and_begun_again(visit):
    page = visit("/compare?seeds=6&clients=333", ready=False)
    bar = study(page, "compare")
    bar.get_by_role("button", name="Cancel").click()
    page.locator('.study[data-slot="compare"][data-status="stopped"]').wait_for()
    bar.get_by_role("button", name="Try again").click()
    page.locator('.study[data-slot="compare"][data-status="running"]').wait_for()
    page.wait_for_function("document.querySelector('.study .progress').ariaValueNow > 0")
    bar.get_by_role("button", name="Cancel").click()
    page.locator('.study[data-slot="compare"][data-status="stopped"]').wait_for()
