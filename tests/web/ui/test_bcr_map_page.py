"""The map page without a browser: cells at the prices shown, what cannot be, and the way on."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from web.ui import service
from web.ui.heatmap import cells

SCRIPT = "from web.ui.views.map import show\nshow()\n"
GRID = {"bandwidths_gbps": [4.0, 40.0], "mean_hits": [0.85, 0.93]}


@pytest.fixture
def opened(server, monkeypatch):
    from streamlit.testing.v1 import AppTest

    monkeypatch.setenv("PDD_TWIN_PORT", str(server.settings.port))
    monkeypatch.setattr(cells, "COARSE", GRID)

    def go(**address):
        app = AppTest.from_string(SCRIPT, default_timeout=60)
        for name, value in {"requests": "1000", "gbps": "40", "hit": "0.93", **address}.items():
            app.query_params[name] = value
        app.run()
        return answered(app)

    return go


def answered(app):
    assert not app.exception
    coarse = next(one for one in drawn(app, "study") if one["slot"] == "coarse")
    if coarse["status"] == "running":
        for _ in service.client().run_events(coarse["run"]):
            pass
        app.run()
    assert not app.exception
    return app


def drawn(app, kind):
    every = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    return [one for one in every if one.get("widget") == kind]


def figures(app):
    return {one["name"]: one for row in drawn(app, "numbers") for one in row["numbers"]}


def traces(app):
    return json.loads(app.get("plotly_chart")[0].proto.spec)["data"]


def test_the_cell_is_that_of_the_study_at_the_prices_shown(opened):
    usual = figures(opened())
    asked = {
        "deployment": {"scenario": "pdd_43a_32b", "set": {"slo.total_s": 30.0, "slo.share": 0.9}},
        "baseline": {"scenario": "same_dc_88a"}, "requests": 1_000, "seeds": 1, **GRID,
    }  # fmt: skip
    run = service.client().ask_study("bcr_map", asked)
    for _ in service.client().run_events(run):
        pass
    said = service.client().run(run)["result"]
    cell = next(c for c in said["cells"] if (c["row"], c["column"]) == (1, 1))
    assert float(usual["bcr"]["text"]) == pytest.approx(cell["bcr"], abs=0.006)
    assert float(usual["capacity"]["text"]) == pytest.approx(cell["capacity_rps"], abs=0.006)
    assert usual["cost"]["text"] == "81.75"
    assert said["cpu_s"] > 0


def test_prices_act_without_a_run(opened):
    usual, dear = opened(), opened(b="1.3", per_gbps="0.1")
    ratio = 81.75 / (43 + 32 * 1.3 + 0.35 + 0.1 * 30)
    assert float(figures(dear)["bcr"]["text"]) == pytest.approx(
        float(figures(usual)["bcr"]["text"]) * ratio, abs=0.012
    )
    assert drawn(dear, "study")[0]["run"] is None  # the same runs serve
    assert "30 s" in figures(dear)["bcr"]["note"]


def test_bcr_is_one_between_a_thin_and_a_thick_line(opened):
    app = opened()
    assert 4 < float(figures(app)["pays"]["text"]) < 40
    assert "BCR = 1" in [one.get("name") for one in traces(app)]
    assert "present deployment" in [one.get("name") for one in traces(app)]


def test_a_sla_that_no_load_keeps_is_hatched_and_says_so(opened):
    app = opened(total_s="6")
    assert "SLA kept at no load" in [one.get("name") for one in traces(app)]
    assert "SLA kept at no load" not in [one.get("name") for one in traces(opened())]
    assert figures(app)["bcr"]["text"] == "–"
    assert "misses the SLA" in " ".join(figures(app)["bcr"]["lines"])


def test_the_link_opens_the_twin_with_the_settings_of_the_cell(opened):
    app = opened()
    address = urlsplit(app.get("link_button")[0].proto.url)
    values = parse_qs(address.query)
    assert address.path == "twin-lab"
    assert values["line.bandwidth_gbps"] == ["40"]
    shares = [float(share) for share in values["workload.hit_shares"][0].split("-")]
    assert sum(shares) == pytest.approx(1, abs=0.005)
    assert len(shares) == 7
