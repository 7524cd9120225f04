"""Settings act while they are dragged, by mouse, touch and keys, and the forecast follows."""

from __future__ import annotations

import json
import re

import pytest

from .conftest import PHONE
from .lab import (
    bars,
    center,
    drag,
    seen,
    slider,
    touch_drag,
    value,
    wait_entry,
    wait_forecast,
)


def test_the_bandwidth_acts_while_the_mouse_is_down(visit):
    page = visit("/twin-lab")
    bandwidth = slider(page, "Bandwidth")
    assert value(bandwidth) == 10
    drag(page, center(page, "[aria-label=Bandwidth] .slider-thumb"), -30, 0)
    wait_entry(page, 1)
    wait_forecast(page, 1)
    page.mouse.up()
    assert 1 < value(bandwidth) < 10
    page.wait_for_url("**line.bandwidth_gbps=**")
    assert page.locator(".state-words").inner_text() == "live, yours"
    assert len(seen(page, "latencies.frame_ms")) >= 1
    assert len(seen(page, "latencies.forecast_ms")) >= 1


def test_a_bar_moves_the_others_and_all_are_one(visit):
    page = visit("/twin-lab")
    before = bars(page)
    x, _ = center(page, ".hbar-handle")
    drag(page, (x, page.locator(".hbar-fill").first.bounding_box()["y"] + 2), 0, -40)
    wait_entry(page, 1)
    page.mouse.up()
    after = bars(page)
    assert after[0] > before[0] + 5
    assert all(now < then for now, then in zip(after[1:], before[1:], strict=True))
    assert sum(after) == pytest.approx(100, abs=0.4), "seven numbers with one decimal"
    wait_forecast(page, 1)
    page.wait_for_url("**workload.hit_shares=**")


def test_the_chip_mix_by_mouse_changes_the_cost(visit):
    page = visit("/twin-lab")
    assert "81.75 chips A" in page.locator(".cost-words").inner_text()
    drag(page, center(page, ".of-md .chip-blocks", 0.38), 60, 0)
    wait_entry(page, 1)
    page.mouse.up()
    count = value(slider(page, "Instances of MD"))
    assert count > 4
    assert page.locator(".of-md .chip-detail").inner_text() == f"{count:.0f} × 8 B"
    assert "81.75 chips A" not in page.locator(".cost-words").inner_text()
    page.wait_for_url(f"**main_decode.instances={count:.0f}**")


SHOWS_CLIENTS = (
    "clients => clients === "
    "Number(document.querySelector('[aria-label=Clients]').getAttribute('aria-valuenow'))"
)


def test_keys_turn_a_control_and_undo_takes_it_back(visit):
    page = visit("/twin-lab")
    clients = slider(page, "Clients")
    clients.focus()
    clients.press("Shift+ArrowRight")
    wait_entry(page, 1)
    turned = value(clients)
    assert turned > 170
    page.keyboard.press("Control+z")
    wait_entry(page, 2)
    page.wait_for_function(SHOWS_CLIENTS, arg=170)
    page.keyboard.press("Control+Shift+Z")
    wait_entry(page, 3)
    page.wait_for_function(SHOWS_CLIENTS, arg=turned)


def test_keys_on_a_bar(visit):
    page = visit("/twin-lab")
    bar = slider(page, re.compile("hit rate of >99 %"))
    before = value(bar)
    bar.focus()
    bar.press("Shift+ArrowUp")
    wait_entry(page, 1)
    assert value(bar) == pytest.approx(before + 5, abs=0.11)
    bar.press("End")
    wait_entry(page, 2)
    assert bars(page) == [0, 0, 0, 0, 0, 0, 100]
    bar.press("Home")
    wait_entry(page, 3)
    assert bars(page)[6] == 0
    assert sum(bars(page)) == pytest.approx(100, abs=0.4)


def test_a_finger_drags_and_the_page_does_not_scroll(visit):
    page = visit("/twin-lab", viewport=PHONE, has_touch=True, is_mobile=True)
    page.locator(".hbar-handle").first.scroll_into_view_if_needed()
    before, top = bars(page), page.locator(".bars-stage").bounding_box()["y"]
    x, y = center(page, ".hbar-handle")
    touch_drag(page, (x, y), 0, -40)
    wait_entry(page, 1)
    assert bars(page)[0] > before[0]
    assert page.locator(".bars-stage").bounding_box()["y"] == pytest.approx(top, abs=2)
    page.locator(".of-p:visible .chip-track").scroll_into_view_if_needed()
    touch_drag(page, center(page, ".of-p:visible .chip-blocks", 0.48), 50, 0)
    page.wait_for_url("**prefill.instances=**")
    assert value(slider(page, "Instances of P")) > 5


def test_a_refused_turn_goes_back_and_says_why(visit):
    """The page cannot ask for nonsense by itself, so one message is spoilt on its way."""

    def spoil(page):
        def through(socket):
            server = socket.connect_to_server()

            def forward(text):
                message = json.loads(text)
                if message.get("setting") == "line.bandwidth_gbps":
                    message["value"] = -5
                server.send(json.dumps(message))

            socket.on_message(forward)

        page.route_web_socket(re.compile("/live$"), through)

    page = visit("/twin-lab", before=spoil)
    bandwidth = slider(page, "Bandwidth")
    bandwidth.focus()
    bandwidth.press("ArrowRight")
    alert = page.locator(".panel-line .refused:visible")
    alert.wait_for()
    assert "line.bandwidth_gbps" in alert.inner_text()
    assert "-5" in alert.inner_text()
    assert value(bandwidth) == 10
    rtt = slider(page, "Round trip")
    rtt.focus()
    rtt.press("ArrowRight")
    wait_entry(page, 1)


def test_a_switch_and_a_failure(visit):
    page = visit("/twin-lab")
    page.get_by_role("switch", name="Singular filter").click()
    wait_entry(page, 1)
    page.wait_for_url("**policy.singular_filter=on**")
    page.get_by_role("tab", name="Break it").click()
    page.get_by_role("button", name="Cut the line").click()
    page.get_by_role("button", name="Bring it back").wait_for()
    page.get_by_role("button", name="Lose MD 2").click()
    page.get_by_role("button", name="Bring MD 2 back").click()
    page.get_by_role("button", name="Lose MD 2").wait_for()
    page.get_by_role("button", name="Bring it back").click()
    page.get_by_role("button", name="Cut the line").wait_for()
    wait_entry(page, 5)
