"""The page of chips and models in a browser: a better chip serves faster."""

from __future__ import annotations

import pytest

from .conftest import PHONE, WIDE
from .lab import slider
from .pages import cell, figure, study
from .test_looks import FAULTS


def opened(visit, path, **options):
    page = visit(path, ready=False, **options)
    study(page, "hardware_fit").locator("xpath=self::*[@data-status='done']").wait_for()
    page.locator('.number[data-name="error_in_sample"]').wait_for()
    page.locator('tr[data-name="yours"]').wait_for()
    return page


def changed(page, name, before):
    page.wait_for_function(
        "([place, before]) => document.querySelector(place).textContent !== before",
        arg=[f'.number[data-name="{name}"] .number-value', before],
    )
    return figure(page, name)


def text(page, name):
    return page.locator(f'.number[data-name="{name}"] .number-value').inner_text()


def test_twice_the_bandwidth_shortens_the_step_and_more_memory_gives_slots(visit):
    page = opened(visit, "/hardware?chip=nvidia-h200")
    step, slots = text(page, "step"), text(page, "slots")
    field = page.get_by_role("spinbutton", name="Memory bandwidth (TB/s)")
    field.fill("9.6")
    field.press("Enter")
    assert changed(page, "step", step) < float(step)
    assert text(page, "slots") == slots
    assert cell(page, "yours", 2) < cell(page, "nvidia-h200", 2)
    memory = page.get_by_role("spinbutton", name="Memory (GB)")
    memory.fill("282")
    memory.press("Enter")
    assert changed(page, "slots", slots) > float(slots)
    page.wait_for_url("**memory_tbytes_per_s=9.6*")


def test_a_longer_prompt_takes_longer_while_it_is_dragged(visit):
    page = opened(visit, "/hardware")
    before = text(page, "prefill")
    slider(page, "Prompt").press("PageUp")
    assert changed(page, "prefill", before) > float(before)


def test_a_chip_of_the_table_is_started_from(visit):
    page = opened(visit, "/hardware")
    slots = text(page, "slots")
    page.locator('tr[data-name="nvidia-h200"] td').nth(1).click()
    assert changed(page, "slots", slots) == cell(page, "nvidia-h200", 4)
    assert page.get_by_role("spinbutton", name="Memory (GB)").input_value() == "141"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_nothing_overflows_and_all_can_be_read(visit, size, scheme):
    page = opened(visit, "/hardware", viewport=size, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    faults = page.evaluate(FAULTS)
    assert not faults, "\n".join(faults)
    assert page.locator("text=/NaN|undefined|None/").count() == 0
