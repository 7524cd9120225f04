"""The request microscope without a browser: what is shown is what the twin says of a request."""

from __future__ import annotations

import pytest

from twin.microscope import gantt
from twin.scenario_file import load, shipped_folder, with_settings
from web.ui.microscope import chosen

FEW = 600


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(chosen, "REQUESTS", FEW)


def scenario(name="pdd_43a_32b", **settings):
    found = load(shipped_folder() / f"{name}.yaml")
    return with_settings(found, {"run.requests": FEW, "run.duration_s": None, **settings})


def opened(open_page, **address):
    return open_page("requests", **address).answered("run").answered("request")


def figures(page):
    return {
        one["name"]: one["text"] for row in page.drawn("numbers") for one in row["numbers"]
    }  # fmt: skip


def drawn(page, label):
    return next(one for one in page.drawn("table") if one["label"] == label)


def test_figures_and_intervals_are_those_of_the_request(open_page):
    page = opened(open_page, request="300")
    one = gantt(scenario(), 300)
    told = figures(page)
    assert told["pipeline"] == one.pipeline
    assert told["prompt"] == f"{one.prompt_tokens:,.0f}"
    assert float(told["ttft"]) == pytest.approx(one.ttft_s, abs=0.06)
    rows = drawn(page, "The same in numbers")["rows"]
    assert [
        (cells[0]["text"], cells[1]["text"], float(cells[4]["text"]))
        for cells in (row["cells"] for row in rows)
    ] == [(i.lane, i.what, pytest.approx(i.seconds, abs=0.0006)) for i in one.intervals]


def test_without_a_number_the_worst_is_shown_and_by_what_can_be_chosen(open_page):
    shown = {}
    for by in ("ttft_s", "gap_s", "total_s"):
        page = opened(open_page, by=by)
        rows = drawn(page, "The worst")["rows"]
        assert [row["chosen"] for row in rows] == [True] + [False] * 9
        column = {"ttft_s": 3, "gap_s": 4, "total_s": 5}[by]
        values = [float(row["cells"][column]["text"]) for row in rows]
        assert values == sorted(values, reverse=True)
        shown[by] = rows[0]["cells"][0]["text"]
    assert shown["gap_s"] != shown["ttft_s"]


def test_the_same_request_elsewhere_has_the_same_prompt_and_answer(open_page):
    page = opened(open_page, request="300", beside="cross_dc_plain")
    told = figures(page)
    for name in ("prompt", "output"):
        assert told[name] == told[f"{name}-1"]
    assert told["pipeline-1"] == "P-MD"


def test_a_deployment_without_a_line_has_no_bandwidth_to_turn(open_page):
    page = opened(open_page, deployment="same_dc_88a", line__bandwidth_gbps="50")
    assert page.drawn("slider") == []
    assert figures(page)["pipeline"] == "P-D"
    assert page.study("run")["status"] == "done"


def test_a_request_that_the_run_does_not_have_is_told(open_page, monkeypatch):
    monkeypatch.setattr(chosen, "REQUESTS", 400)
    page = open_page("requests", request="399").answered("run").answered("request")
    assert page.study("request")["status"] == "done"
    monkeypatch.setattr(chosen, "REQUESTS", 300)
    page = open_page("requests", request="399").answered("run").answered("request")
    assert page.study("request")["status"] == "failed"
    assert "requests 0 to 299" in page.study("request")["words"]


def test_every_figure_is_explained(open_page):
    page = opened(open_page, request="300")
    for row in page.drawn("numbers"):
        assert all(len(one["lines"]) >= 2 for one in row["numbers"])
    for cells in (row["cells"] for row in drawn(page, "The same in numbers")["rows"]):
        assert all(cell["lines"] for cell in cells)
