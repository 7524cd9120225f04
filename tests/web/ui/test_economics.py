"""The economics page without a browser: its figures are the model's, and kinds never mix."""

from __future__ import annotations

import json

import pytest

from twin.cost_table import Hardware, break_even, cost_table
from twin.reproduction.stored import measured
from twin.scenario_file import load, shipped_folder
from web.ui.economics import tokens

SCRIPT = "from web.ui.views.economics import show\nshow()\n"


@pytest.fixture
def opened(server, monkeypatch):
    from streamlit.testing.v1 import AppTest

    monkeypatch.setenv("PDD_TWIN_PORT", str(server.settings.port))
    monkeypatch.setattr(tokens, "SEEDS", 1)
    monkeypatch.setattr(tokens, "REQUESTS", 1_500)

    def go(**address):
        app = AppTest.from_string(SCRIPT, default_timeout=60)
        for name, value in address.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception
        return app

    return go


def drawn(app, kind):
    every = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    return [one for one in every if one.get("widget") == kind]


def figures(app):
    return {one["name"]: one for row in drawn(app, "numbers") for one in row["numbers"]}


def sheet(app, label):
    found = next(one for one in drawn(app, "table") if one["label"] == label)
    return {row["name"]: [cell["text"] for cell in row["cells"]] for row in found["rows"]}


def hardware(name):
    return Hardware.of(load(shipped_folder() / f"{name}.yaml"))


def test_costs_and_break_even_prices_are_those_of_the_model(opened):
    told = figures(opened())
    before, after = hardware("same_dc_88a"), hardware("pdd_43a_32b")
    cost = cost_table(after)
    assert told["cost_after"]["text"] == f"{cost.low:.2f}–{cost.high:.2f}"
    ends = [
        break_even(before, after, "B", {"A": 1.0, "B": b}, 0.35).line for b in (1.3, 1.2)
    ]  # fmt: skip
    assert told["line_even"]["text"] == "–".join(f"{end:.2f}" for end in ends if end)
    gain = next(one for one in measured().claims if one.claim == "C08")
    low, high = (1 + gain.figures[i].value / 100 for i in (1, 0))  # type: ignore[operator]
    shown = [float(part) for part in told["bcr"]["text"].split("–")]
    assert shown == pytest.approx([low, high], abs=0.002)
    assert "total within 30 s" in told["bcr"]["note"]


def test_every_figure_says_what_it_is_and_whence(opened):
    app = opened()
    assert all(len(one["lines"]) >= 3 for one in figures(app).values())
    assert all(one.get("help") and one.get("source") for one in drawn(app, "slider"))
    prices = sheet(app, "Price list of both, in chips A")
    assert prices["chip B"] == ["chip B", "1.20–1.30", "–", "38.40–41.60"]


def test_a_dearer_line_eats_the_saving_and_no_break_even_price(opened):
    usual, dear = figures(opened()), figures(opened(line="7"))
    assert usual["saving"]["trend"] == "better"
    assert dear["saving"]["trend"] == "worse"
    assert dear["line_even"]["text"] == usual["line_even"]["text"]
    assert float(dear["b_even"]["text"]) < float(usual["b_even"]["text"])


def test_a_purchase_is_never_set_beside_a_fee_or_an_hour(opened):
    app = opened(kind="purchase")
    fees = sheet(app, "Does the saving survive a real line?")
    assert {cells[4] for name, cells in fees.items() if name != "published"} == {"no verdict"}
    assert len(app.info) == 2
    assert "Price of a million tokens" not in [one["label"] for one in drawn(app, "table")]
    mixed = opened(kind="purchase", b_purchase="huawei-ascend-910b2:0")
    assert "currencies" in mixed.info[0].value


def test_two_prices_of_one_kind_can_become_the_price_of_b(opened):
    app = opened(b_rent="nvidia-h200:0", a_rent="nvidia-h100-sxm:1")
    app.button(key="take b").click()
    app.run()
    low, high = 2.5 / 2.95, 7 / 2.95
    values = {one["label"]: one["value"] for one in drawn(app, "slider")}
    assert values["Chip B, lower price"] == pytest.approx(low, abs=0.001)
    assert values["Chip B, upper price"] == pytest.approx(high, abs=0.001)


def test_the_valley_and_the_dearer_cached_token(opened):
    usual, dear = figures(opened()), figures(opened(cached="0.25"))
    assert float(usual["tub_end"]["text"]) == pytest.approx(1.09, abs=0.01)
    assert float(dear["tub_end"]["text"]) == pytest.approx(2.34, abs=0.01)
    inside = opened(hit="0.4")
    assert float(figures(inside)["tub_here"]["text"]) < 1
    assert inside.text[-1].value.startswith("Stay away from the valley.")
