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
