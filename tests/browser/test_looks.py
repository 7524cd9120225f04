"""How it looks: nothing overflows, nothing is clipped, all can be read, in light and dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import PHONE, WIDE

FAULTS = (Path(__file__).parent / "faults.js").read_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("path", ["/", "/twin-lab"], ids=["start", "lab"])
def test_nothing_overflows_and_all_can_be_read(visit, path, size, scheme):
    page = visit(path, viewport=size, color_scheme=scheme)
    page.wait_for_function(
        "!document.querySelector('.tile .figure-value, .big-value').textContent.includes('–')"
    )
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate(FAULTS) == []
    if path == "/twin-lab":
        for tab in ("Break it", "Prices"):
            page.get_by_role("tab", name=tab).click()
            assert page.evaluate(FAULTS) == []


@pytest.mark.parametrize(
    ("style", "fault"),
    [
        (".label { color: #999 !important }", "contrast"),
        (".clock { min-width: 0; width: 20px; overflow: hidden }", "clipped"),
        (".figure { transform: translateX(300px) }", "leaves its card"),
        (".map { width: 3000px }", "outside"),
    ],
)
def test_such_a_fault_would_be_seen(visit, style, fault):
    page = visit("/twin-lab")
    page.add_style_tag(content=f".pdd {style}")
    assert any(fault in found for found in page.evaluate(FAULTS))


def test_the_essential_needs_no_scrolling(visit):
    page = visit("/twin-lab")
    page.locator(".chart[data-drawn]").first.wait_for()
    bottoms = page.evaluate(
        "[...document.querySelectorAll('.tiles, .map, .panel, .chart:nth-child(-n+3)')]"
        ".map((el) => el.getBoundingClientRect().bottom)"
    )
    assert len(bottoms) == 6
    assert max(bottoms) <= WIDE["height"]


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_two_panes_fit_as_well(visit, size):
    page = visit("/twin-lab?beside=1&beside.line.bandwidth_gbps=25", viewport=size)
    page.locator(".comparison").wait_for()
    page.wait_for_function("!document.querySelector('.comparison td').textContent.includes('–')")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate(FAULTS) == []


@pytest.mark.parametrize("width", [390, 1000, 1280, 1440])
def test_numbers_of_before_a_change_and_all_of_a_legend_can_be_read(visit, width):
    page = visit("/twin-lab", viewport={"width": width, "height": 900})
    page.wait_for_function("!document.querySelector('.figure-value').textContent.includes('–')")
    found = page.evaluate(
        "() => { document.querySelectorAll('.tile-before').forEach((el) => { el.hidden = false });"
        f" return ({FAULTS.strip().rstrip(';')})(); }}"
    )
    assert found == []
    outside = page.evaluate(
        "[...document.querySelectorAll('.chart .series:not([hidden])')].filter((el) => {"
        "  const box = (one) => one.getBoundingClientRect();"
        "  const [a, b] = [box(el), box(el.closest('.chart-head'))];"
        "  return a.bottom > b.bottom + 1 || a.right > b.right + 1 || a.left < b.left - 1;"
        "}).map((el) => el.textContent)"
    )
    assert outside == []


def test_a_chart_is_saved_with_a_finger(visit):
    page = visit("/twin-lab", viewport=PHONE, has_touch=True, is_mobile=True)
    box = page.locator(".chart .icon-button").first.bounding_box()
    assert min(box["width"], box["height"]) >= 32


def test_with_less_motion_there_are_numbers_instead_of_particles(visit):
    page = visit("/", reduced_motion="reduce")
    blank = """(() => {
      const canvas = document.querySelector('.map-motion');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.every((value) => value === 0);
    })()"""
    page.wait_for_function("window.pddTwin.frames > 10")
    assert page.evaluate("window.pddTwin.particles") == 0
    assert page.evaluate(blank)
    page = visit("/")
    page.wait_for_function("window.pddTwin.particles > 10")
    assert not page.evaluate(blank)


def test_what_is_pointed_at_is_explained(visit):
    page = visit("/twin-lab")
    page.locator(".tile-bcr").hover()
    tip = page.get_by_role("tooltip")
    tip.wait_for()
    assert "Benefit per cost" in tip.inner_text()
    page.locator(".panel-line .label").first.hover()
    page.wait_for_function(
        "document.querySelector('.tip').textContent.includes('line.bandwidth_gbps')"
    )
    page.mouse.move(5, 5)
    page.get_by_role("button", name="Pause", exact=True).click()
    page.wait_for_function("document.querySelector('.state-words').textContent === 'paused'")
    box = page.locator(".map-stage").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.46, box["y"] + box["height"] * 0.42)
    page.wait_for_function("!document.querySelector('.tip').hidden")
    assert tip.locator(".tip-title").inner_text().startswith(("The line", "Request"))


def test_help_opens_by_its_key(visit):
    page = visit("/twin-lab")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys and reading aid").wait_for()
    page.keyboard.press("Escape")
    page.locator("dialog[open]").wait_for(state="detached")
