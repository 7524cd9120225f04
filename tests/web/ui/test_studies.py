"""A study on a page: cancelled, failed, behind a token, known already, and waited for by two."""

from __future__ import annotations

import time

import pytest

from web.ui.compare import choices

TOKEN = "a-token-of-sixteen-and-more"


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(choices, "REQUESTS", 900)
    monkeypatch.setitem(choices.DEFAULTS, "clients", 20)


def until(true):
    """Wait for what another process does."""
    for _ in range(600):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it never came true")


def test_what_is_known_is_there_at_once_for_the_next_visitor(open_page):
    open_page("compare", clients="21").answered("compare")
    other = open_page("compare", clients="21")
    assert other.study("compare")["status"] == "done"
    assert other.drawn("table")


def test_a_run_that_nobody_waits_for_any_more_is_cancelled(open_page, client, monkeypatch):
    monkeypatch.setattr(choices, "REQUESTS", 100_000)
    one, other = open_page("compare", seeds="3"), open_page("compare", seeds="3")
    run = one.study("compare")["run"]
    assert other.study("compare")["run"] == run
    one.app.number_input[0].set_value(4)
    one.run()
    assert client.run(run)["status"] in ("queued", "running")
    second = one.study("compare")["run"]
    other.app.number_input[0].set_value(1)
    other.run()
    until(lambda: client.run(run)["status"] == "cancelled")
    for left in (second, other.study("compare")["run"]):
        client.cancel_run(left)


def test_cancelled_elsewhere_it_is_offered_again(open_page, client, monkeypatch):
    monkeypatch.setattr(choices, "REQUESTS", 99_000)
    page = open_page("compare", seeds="2")
    client.cancel_run(page.study("compare")["run"])
    page.run()
    bar = page.study("compare")
    assert (bar["status"], bar["button"]) == ("stopped", "Try again")
    assert page.run().study("compare")["status"] == "stopped"  # not begun by itself


def test_what_fails_is_told_in_a_sentence(open_page, server, monkeypatch):
    monkeypatch.setattr(choices, "REQUESTS", 98_000)
    monkeypatch.setattr(server.house.jobs, "_limit_s", 0.2)
    page = open_page("compare", seeds="2").answered("compare")
    bar = page.study("compare")
    assert (bar["status"], bar["button"]) == ("failed", "Try again")
    assert "takes longer than 0.2 s: make it smaller" in bar["words"]


def test_behind_a_token_it_is_asked_for(serve, open_page, monkeypatch):
    guarded = serve(token=TOKEN, spares=1)
    with guarded.client(TOKEN) as client:
        page = open_page("compare", server_=guarded)
        assert page.study("compare")["status"] == "locked"
        page.app.text_input[0].set_value("wrong")
        page.run()
        assert page.study("compare")["status"] == "locked"
        page.app.text_input[0].set_value(TOKEN)
        page.run()
        assert page.study("compare")["status"] in ("running", "done")
        page.answered("compare")
        assert client.runs()[0]["study"] == "compare"
    assert TOKEN not in str(page.app.query_params)
