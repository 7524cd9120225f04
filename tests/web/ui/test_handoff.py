"""The handoff lab without a browser: its figures are those of the model, and all are explained."""

from __future__ import annotations

import pytest

from twin.handoff_lab import microbenchmark
from web.ui.handoff import choices


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(choices, "REQUESTS", 3_000)


def figures(page):
    return {n["name"]: n for part in page.drawn("numbers") for n in part["numbers"]}


def rows(page):
    return {row["name"]: row["cells"] for row in page.drawn("table")[0]["rows"]}


def test_the_microbenchmark_stands_beside_what_is_published(open_page):
    told = figures(open_page("handoff"))
    found = microbenchmark(choices.plain(), range(6), timeout_share=0.003)
    assert float(told["kv_mean"]["text"]) == pytest.approx(found.kv.mean_s * 1e3, abs=0.6)
    assert float(told["ids_max"]["text"]) == pytest.approx(found.ids.max_s * 1e3, abs=0.6)
    assert 170 < float(told["kv_mean"]["text"]) < 200
    assert told["kv_max"]["note"] == "published 512.6 ms"
    assert told["ids_sd"]["note"] == "published 4.8 ms"
    assert told["kv_mean"]["badge"]["kind"] == "fit"
    assert told["bytes"]["text"] == "3,099"


def test_with_other_controls_nothing_is_called_published(open_page):
    near, usual = figures(open_page("handoff", rtt="2")), figures(open_page("handoff"))
    assert near["kv_mean"]["badge"] is None and near["kv_mean"]["note"] == ""
    assert float(near["kv_mean"]["text"]) < float(usual["kv_mean"]["text"]) / 2
    assert near["gap"]["text"] < usual["gap"]["text"]


def test_one_shot_lets_the_user_wait_and_catch_up_keeps_the_relay(open_page):
    once = figures(open_page("handoff", mode="one_shot"))
    many = figures(open_page("handoff"))
    assert once["relay"]["text"] == "0"
    assert float(once["gap"]["text"]) > 10 * float(many["gap"]["text"])
    assert float(many["relay"]["text"]) > 500
    wide = figures(open_page("handoff", ids="60"))
    assert float(wide["step"]["text"]) > float(many["step"]["text"])


def test_the_modes_in_traffic_are_as_claim_c16_says(open_page):
    page = open_page("handoff").answered("handoff")
    told = rows(page)
    names = [column["name"] for column in page.drawn("table")[0]["columns"]]
    p99 = {mode: float(cells[names.index("Gap P99")]["text"].replace(",", ""))
           for mode, cells in told.items()}  # fmt: skip
    assert p99["catch_up"] < 0.1 * p99["one_shot"]
    assert p99["catch_up"] < p99["auto"] < p99["one_shot"]


def test_every_figure_is_explained(open_page):
    page = open_page("handoff").answered("handoff")
    assert all(len(one["lines"]) >= 2 for one in figures(page).values())
    assert all(cell["lines"] for cells in rows(page).values() for cell in cells)
    assert all(one["source"] for one in page.drawn("slider"))
