"""What one takes along: a link, courses, the scenario, a picture of a chart."""

from __future__ import annotations

from pathlib import Path

from .lab import slider, wait_entry


def downloaded(page, press) -> tuple[str, bytes]:
    """Name and content of the file that a press brings."""
    with page.expect_download() as told:
        press()
    file = told.value
    return file.suggested_filename, Path(file.path()).read_bytes()


def test_courses_scenario_and_link(visit):
    page = visit("/twin-lab", permissions=["clipboard-read", "clipboard-write"])
    slider(page, "Clients").press("ArrowLeft")
    wait_entry(page, 1)
    page.wait_for_url("**workload.clients=**")

    def item(name):
        page.get_by_role("button", name="Share and export").click()
        page.get_by_role("menuitem", name=name).click()

    name, table = downloaded(page, lambda: item("Courses as CSV"))
    assert name.endswith(".csv")
    lines = table.decode().splitlines()
    assert lines[0].startswith("time_s,")
    assert "baseline_throughput_rps" in lines[0]
    assert len(lines) > 300
    name, text = downloaded(page, lambda: item("Scenario as YAML"))
    assert name.endswith(".yaml")
    clients = slider(page, "Clients").get_attribute("aria-valuenow")
    assert f"clients: {clients}" in text.decode()
    item("Copy link to this state")
    page.locator(".banner", has_text="The link is copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_a_chart_as_a_picture(visit):
    page = visit("/twin-lab")
    chart = page.locator(".chart[data-drawn]").first
    chart.wait_for()
    chart.hover()
    name, picture = downloaded(page, chart.get_by_role("button").click)
    assert name == "pdd_43a_32b-relay.png"
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000


def test_zoom_holds_while_the_twin_goes_on_until_one_follows_again(visit):
    page = visit("/twin-lab?pace=60")
    chart = page.locator(".chart[data-drawn]").first
    chart.wait_for()
    box = page.locator(".chart-stage").first.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 80, y)
    page.mouse.down()
    page.mouse.move(box["x"] + 180, y, steps=6)
    page.mouse.up()
    follow = page.get_by_role("button", name="Follow the present")
    follow.wait_for()
    shown = "document.querySelector('.chart-stage').layout.xaxis.range"
    before = page.evaluate(shown)
    drawn = int(chart.get_attribute("data-drawn"))
    page.wait_for_function(f"Number(document.querySelector('.chart').dataset.drawn) > {drawn + 2}")
    assert page.evaluate(shown) == before
    follow.click()
    page.wait_for_function(f"{shown}[1] > {before[1]} + 300")


def test_a_link_says_what_it_opens_and_what_it_leaves_out(visit):
    page = visit("/twin-lab", permissions=["clipboard-read", "clipboard-write"])

    told = page.locator(".banner[data-key=share]")

    def copied():
        told.wait_for(state="detached")
        page.get_by_role("button", name="Share and export").click()
        page.get_by_role("menuitem", name="Copy link to this state").click()
        told.wait_for()
        return told.inner_text()

    page.locator(".preset[data-name=pdd_43a_32b][aria-pressed=true]").wait_for()
    assert "the twin that everybody sees first" in copied()
    page.get_by_role("tab", name="Break it").click()
    page.get_by_role("button", name="Lose MD 2").click()
    page.locator(".preset[data-name=pdd_43a_32b][aria-pressed=false]").wait_for()
    assert "a lost instance, is not in it" in copied()
    page.get_by_role("button", name="Bring MD 2 back").click()
    page.locator(".preset[data-name=pdd_43a_32b][aria-pressed=true]").wait_for()
    assert "not in it" not in copied()
