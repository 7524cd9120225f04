"""The oscillation page without a browser: its verdict, its ways back, its gauge and its advice."""

from __future__ import annotations

from itertools import pairwise

import pytest

from twin.loop_gain import expected_gain
from web.ui.oscillation import choices
from web.ui.oscillation.counts import changes, scaling


@pytest.fixture(scope="module")
def said(server):
    """What the study says of the swing, the same with P-RLD off, and every way back."""
    with server.client() as client:
        sets = [{}, {"policy.p_rld": False, "policy.load_gate": False}]
        asked = {
            "deployments": [{"scenario": "relay_swing", "set": one} for one in sets],
            "courses": False,
        }
        run = client.ask_study("oscillation", asked)
        for _ in client.run_events(run):
            pass
        return client.run(run)["result"]["results"]


def figures(page):
    return {n["name"]: n for part in page.drawn("numbers") for n in part["numbers"]}


def answered(page):
    return page.answered("oscillation").answered("ways")


def test_it_opens_with_the_swing_and_what_brings_it_back(open_page, said):
    page = answered(open_page("oscillation"))
    swing, healthy = said
    assert (swing["state"], healthy["state"]) == ("swinging", "steady")
    told = figures(page)
    assert float(told["sla"]["text"]) == pytest.approx(100 * swing["sla_ok_share"], abs=0.06)
    assert float(told["gain"]["text"]) == pytest.approx(swing["gain"]["gain"], abs=0.006)
    assert told["falls"]["text"] == str(swing["swing"]["falls"])
    assert swing["words"] in [text.value for text in page.app.text]
    states = {
        row["name"]: row["cells"][1]["text"] for part in page.drawn("table") for row in part["rows"]
    }
    assert states["as_set"] == "Swinging"
    assert states["published"] == states["aligned"] == "Steady"
    assert "Steady" not in (states["wider"], states["relay"])


def test_every_figure_is_explained(open_page):
    page = answered(open_page("oscillation"))
    assert all(len(one["lines"]) >= 2 for one in figures(page).values())
    for part in page.drawn("table"):
        for row in part["rows"]:
            assert all(cell["lines"] for cell in row["cells"]), row["name"]


def test_the_gain_by_formula_needs_no_run_and_stays_below_its_limit(open_page):
    for threshold in ("0.5", "4"):
        page = open_page("oscillation", threshold=threshold)
        shown = float(figures(page)["gain_formula"]["text"])
        settings = {"policy.p_rld": True, "policy.p_rld_threshold_s": float(threshold)}
        formula = expected_gain(choices.with_settings(choices.plain(), settings))
        assert formula.gain is not None
        assert shown == pytest.approx(formula.gain, abs=0.006)
        assert shown <= formula.limit


def test_a_case_turns_the_controls_and_a_way_back_can_be_undone(open_page):
    page = open_page("oscillation")
    thin = next(one for one in page.app.button if one.key == "preset thin")
    thin.click()
    page.run()
    assert page.app.query_params["bandwidth"] == "6.5"
    assert page.app.query_params["p_rld"] == "off"
    assert figures(page)["gain_formula"]["text"] == "0"
    assert choices.preset_values("swing").items() <= choices.DEFAULTS.items()
    undo = next(one for one in page.app.button if one.key == "undo oscillation")
    undo.click()
    page.run()
    assert "bandwidth" not in page.app.query_params


@pytest.mark.parametrize("work", [0.6, 1.3, 2.2])
def test_the_advice_settles_where_the_present_load_alone_flaps(work):
    advice, hasty = scaling(work, 0.5)
    settled = advice[-1]
    assert advice[20:] == [settled] * len(advice[20:])
    assert work / settled <= 0.5
    assert changes(hasty) > 20 > changes(advice)
    assert {abs(one - other) for one, other in pairwise(hasty)} <= {0, 1}


def test_without_relay_decode_it_is_refused(client):
    from web.client import ClientError

    with pytest.raises(ClientError, match="relay_decode"):
        client.ask_study("oscillation", {"deployments": [{"scenario": "same_dc_88a"}]})
