"""The request microscope in a browser: a point opens a request, a wider line shortens its way."""

from __future__ import annotations

import pytest

from .conftest import PHONE, WIDE
from .pages import answered, figure, new_answer, opened, press
from .test_looks import FAULTS


def milliseconds(page, name):
    unit = page.locator(f'.number[data-name="{name}"] .number-unit').inner_text()
    return figure(page, name) * (1000 if unit == "s" else 1)


def relayed(page):
    words = page.locator(".legendtext", has_text="P-RLD-MD").text_content()
    return int(words.partition("(")[2].rstrip(")").replace(",", ""))


def test_a_wider_line_relays_fewer_requests(visit):
    page = opened(visit, "/requests", "run")
    before = relayed(page)
    press(page, "Bandwidth", "PageUp", 4, slot="run")
    page.wait_for_function(
        "(n) => ![...document.querySelectorAll('.legendtext')]"
        ".some((one) => one.textContent.startsWith(`P-RLD-MD (${n.toLocaleString('en')})`))",
        arg=before,
    )
    assert relayed(page) < before


def test_the_relay_brings_the_first_token_of_the_same_request_sooner(visit):
    page = opened(visit, "/requests?by=gap_s&beside=cross_dc_plain", "request")
    assert figure(page, "prompt") == figure(page, "prompt-1")
    assert milliseconds(page, "ttft") < milliseconds(page, "ttft-1")
    assert milliseconds(page, "gap") > milliseconds(page, "gap-1")


def test_a_press_on_a_point_opens_its_request(visit):
    page = opened(visit, "/requests", "request")
    points = page.locator(".scatterlayer .trace").first.locator(".point")
    points.first.wait_for()
    with new_answer(page, "request"):
        points.nth(40).click(force=True)
    page.wait_for_url("**request=*")
    number = int(page.url.partition("request=")[2].partition("&")[0])
    note = page.locator('.number[data-name="pipeline"] .number-note')
    assert note.inner_text().startswith(f"request {number},")


def test_a_press_on_one_of_the_worst_opens_it(visit):
    page = opened(visit, "/requests", "request")
    with new_answer(page, "request"):
        page.locator('tr[data-name="worst-3"] td').nth(2).click()
    number = page.locator('tr[data-name="worst-3"] button').inner_text()
    page.wait_for_url(f"**request={number}*")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_nothing_overflows_and_all_can_be_read(visit, size, scheme):
    page = opened(visit, "/requests", "request", viewport=size, color_scheme=scheme)
    answered(page, "run")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    faults = page.evaluate(FAULTS)
    assert not faults, "\n".join(faults)
    assert page.locator("text=/NaN|undefined|None/").count() == 0
