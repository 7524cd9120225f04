"""The pages as Streamlit runs them: each mounts its live area once, and nothing fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "web" / "ui" / "page.py"


@pytest.fixture
def app():
    from streamlit.testing.v1 import AppTest

    return AppTest.from_file(str(PAGE), default_timeout=30)


def test_the_start_page_mounts_its_live_area(app):
    app.run()
    assert not app.exception
    (area,) = app.get("bidi_component")
    assert json.loads(area.proto.json)["page"] == "start"


def test_a_rerun_changes_nothing(app):
    app.run()
    before = app.get("bidi_component")[0].proto.SerializeToString()
    app.run()
    assert app.get("bidi_component")[0].proto.SerializeToString() == before


def test_the_script_does_nothing_in_a_worker_that_executes_it_again():
    import runpy

    assert "main" not in runpy.run_path(str(PAGE), run_name="__mp_main__")


@pytest.mark.parametrize(
    ("page", "address"),
    [
        ("feasibility", {"within": "0"}), ("feasibility", {"model": "nonsense"}),
        ("economics", {"chunk": "0"}), ("handoff", {"mode": "zzz"}),
        ("handoff", {"ids": "0"}), ("hardware", {"chips": "0"}), ("compare", {"load": "zzz"}),
    ],
)  # fmt: skip
def test_what_a_page_cannot_take_is_told_and_one_can_start_afresh(open_page, page, address):
    there = open_page(page, **address)
    broken = [one for one in there.app.button if one.label == "Start afresh"]
    if broken:
        assert "cannot show what its address" in there.app.error[0].value
        broken[0].click()
        there.run()
    assert not [one for one in there.app.button if one.label == "Start afresh"]


def test_a_number_beyond_all_measure_is_not_taken(open_page):
    there = open_page("handoff", batch="1e9")
    assert [one.value for one in there.app.warning] == [
        "The link has names that mean nothing here: batch."
    ]
