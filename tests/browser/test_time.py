"""Pause, rewind, fork, links, other visitors: what a twin's time and address do."""

from __future__ import annotations

import re

from .lab import clock_s, seen, slider, value, wait_entry, wait_forecast
from .service import running_service


def test_the_first_turn_forks_and_another_visitor_sees_nothing_of_it(visit):
    mine, other = visit("/twin-lab"), visit("/twin-lab")
    slider(mine, "Bandwidth").press("ArrowLeft")
    wait_entry(mine, 1)
    assert mine.locator(".state-words").inner_text() == "live, yours"
    frames = seen(other, "frames")
    other.wait_for_function(f"window.pddTwin.frames > {frames + 3}")
    assert seen(other, "lastFrameEntry") == 0
    assert value(slider(other, "Bandwidth")) == 10
    assert other.locator(".state-words").inner_text() == "live, shared"
    assert "bandwidth" not in other.url


def test_pause_holds_the_clock_and_space_lets_it_go(visit):
    page = visit("/twin-lab")
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="Go on").wait_for()
    page.wait_for_function("document.querySelector('.state-words').textContent === 'paused'")
    held = clock_s(page)
    slider(page, "Clients").press("ArrowRight")  # a turn is taken, and shown, while it stands
    wait_entry(page, 1)
    assert clock_s(page) == held
    page.locator("body").press(" ")
    page.wait_for_function(
        f"document.querySelector('.clock').textContent.split(':')"
        f".reduce((all, part) => all * 60 + Number(part), 0) > {held}"
    )


def test_rewind_by_ten_minutes(visit):
    page = visit("/twin-lab")
    before = clock_s(page)
    page.get_by_role("button", name=re.compile("Rewind ten minutes")).click()
    page.wait_for_function(
        f"document.querySelector('.clock').textContent.split(':')"
        f".reduce((all, part) => all * 60 + Number(part), 0) < {before - 400}"
    )
    assert before - 700 < clock_s(page) < before - 400


def test_a_fork_stands_beside_it_and_only_one_is_turned(visit):
    page = visit("/twin-lab")
    page.get_by_role("button", name="Fork", exact=True).click()
    page.locator(".map").nth(1).wait_for()
    page.locator(".comparison").wait_for()
    page.wait_for_function("!document.querySelector('.comparison td').textContent.includes('–')")
    bandwidth = slider(page, "Bandwidth")
    bandwidth.focus()
    for _ in range(4):
        bandwidth.press("Shift+ArrowRight")
    page.wait_for_url("**beside.line.bandwidth_gbps=**")
    gbps = value(bandwidth)
    assert gbps > 25
    page.get_by_role("button", name="this", exact=True).click()
    page.wait_for_function(
        "document.querySelector('[aria-label=Bandwidth]').getAttribute('aria-valuenow') === '10'"
    )
    page.wait_for_function("document.querySelectorAll('.chart[data-drawn]').length >= 3")
    names = page.evaluate("document.querySelector('.chart-stage').data.map((trace) => trace.name)")
    assert {"batch this", "batch fork"} <= set(names)
    assert page.locator(".comparison .differences td").count() == 10
    page.get_by_role("button", name="Close the fork").click()
    page.locator(".tiles").wait_for()
    assert page.locator(".map").count() == 1


def test_a_link_opens_a_twin_of_its_own_with_the_same_settings(visit):
    page = visit("/twin-lab?line.bandwidth_gbps=5&policy.p_rld=on&workload.clients=150&pace=60")
    wait_entry(page, 3)
    assert value(slider(page, "Bandwidth")) == 5
    assert value(slider(page, "Clients")) == 150
    page.locator(".choice[aria-checked=true]", has_text="60×").wait_for()
    page.locator(".switch[aria-checked=true]", has_text="P-RLD allowed").wait_for()
    wait_forecast(page, 3)
    query = "?pace=60&workload.clients=150&line.bandwidth_gbps=5&policy.p_rld=on"
    page.wait_for_function(
        "(wanted) => new URLSearchParams(location.search).toString().split('&').sort().join() ==="
        " new URLSearchParams(wanted).toString().split('&').sort().join()",
        arg=query,
    )


def test_reloading_comes_back_to_the_same_twin(visit):
    page = visit("/twin-lab")
    slider(page, "Bandwidth").press("ArrowLeft")
    page.wait_for_function("JSON.parse(sessionStorage.getItem('pdd-lab') ?? '{}').twin")
    twin = page.evaluate("JSON.parse(sessionStorage.getItem('pdd-lab')).twin")
    page.reload()
    page.wait_for_function("window.pddTwin?.lastFrameEntry >= 1")
    assert page.evaluate("JSON.parse(sessionStorage.getItem('pdd-lab')).twin") == twin


def test_a_preset_that_needs_another_twin(visit):
    page = visit("/twin-lab")
    page.get_by_role("button", name="Singular flood").click()
    page.locator(".preset[data-name=singular_flood][aria-pressed=true]").wait_for()
    page.wait_for_url("**scenario=singular_flood**")
    page.get_by_role("button", name="Published").click()
    page.locator(".preset[data-name=pdd_43a_32b][aria-pressed=true]").wait_for()
    page.wait_for_function("document.querySelector('.state-words').textContent === 'live, shared'")


def test_a_lost_connection_is_told_and_comes_back(visit):
    sockets = []

    def keep(page):
        def through(socket):
            socket.connect_to_server()
            sockets.append(socket)

        page.route_web_socket(re.compile("/live$"), through)

    page = visit("/twin-lab", before=keep)
    sockets[-1].close()
    page.wait_for_function(
        "document.querySelector('.dot').dataset.state === 'reconnecting'"
        " || document.querySelector('.state-words').textContent.startsWith('live')"
    )
    frames = seen(page, "frames")
    page.wait_for_function(f"window.pddTwin.frames > {frames + 5}")
    page.wait_for_function("document.querySelector('.state-words').textContent === 'live, shared'")
    assert len(sockets) == 2


def test_the_last_preset_wins_over_one_that_is_still_being_prepared(visit):
    page = visit("/twin-lab")
    with page.expect_request(lambda asked: asked.method == "DELETE") as ended:
        page.get_by_role("button", name="Singular flood").click()
        page.locator(".banner[data-key=create]").wait_for()
        page.get_by_role("button", name="P-RLD collapse").click()
        page.locator(".preset[data-name=p_rld_collapse][aria-pressed=true]").wait_for()
        assert page.locator(".banner[data-key=create]").count() == 0
    assert "/twins/" in ended.value.url, "what came too late is not kept"
    frames = seen(page, "frames")
    page.wait_for_function(f"window.pddTwin.frames > {frames + 10}")
    assert page.locator(".preset[data-name=p_rld_collapse][aria-pressed=true]").count() == 1


def test_a_chosen_pace_stays_whatever_preset_comes(visit):
    page = visit("/twin-lab")
    page.get_by_role("radio", name="60×").click()
    page.wait_for_url("**pace=60**")
    for name in ("P-RLD collapse", "Singular flood", "Published"):
        page.get_by_role("button", name=name).click()
        page.locator(".preset[aria-pressed=true]", has_text=name).wait_for()
        page.locator(".choice[aria-checked=true]", has_text="60×").wait_for()
        page.wait_for_url("**pace=60**")


def test_only_the_page_itself_tells_of_a_server_that_is_gone(visit, tmp_path):
    with running_service(tmp_path) as address:
        page = visit(address + "/twin-lab")
    page.locator(".banner[data-key=connection-A]").wait_for()
    page.locator("[data-testid=stConnectionStatus]").wait_for(state="attached")
    for _ in range(8):
        page.wait_for_timeout(1000)
        assert not page.locator("[data-testid=stDialog]").is_visible()
    assert not page.locator("[data-testid=stConnectionStatus]").is_visible()
    page.context.close()
    visit.faults.clear()
