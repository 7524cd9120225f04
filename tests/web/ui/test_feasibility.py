"""The feasibility page without a browser: published cases, own figures, models that lack some."""

from __future__ import annotations

import pytest

from web.ui.feasibility import choices


def figures(page):
    return {n["name"]: n for part in page.drawn("numbers") for n in part["numbers"]}


def value(page, name):
    return float(figures(page)[name]["text"].replace(",", ""))


def tables(page):
    return {part["label"]: {row["name"]: row["cells"] for row in part["rows"]}
            for part in page.drawn("table")}  # fmt: skip


@pytest.mark.parametrize(("preset", "gbps"), [("burst", 184.1), ("spread", 180.5)])
def test_eighty_requests_as_claim_c11_says(open_page, preset, gbps):
    page = open_page("feasibility")
    next(one for one in page.app.button if one.key == f"preset {preset}").click()
    page.run()
    assert value(page, "needed") == gbps
    assert figures(page)["needed"]["trend"] == "worse"
    assert "the line does not carry it" in " ".join(text.value for text in page.app.text)
    assert page.app.query_params["drc"] == "off"


def test_drc_saves_as_much_as_is_hit(open_page):
    with_it, without = open_page("feasibility"), open_page("feasibility", drc="off")
    assert value(with_it, "saved") == pytest.approx(10)
    assert value(without, "needed") == pytest.approx(10 * value(with_it, "needed"), rel=0.002)
    assert figures(without)["saved"]["text"] == "–"


def test_the_stages_sum_to_the_total_and_the_sla_is_judged(open_page):
    page = open_page("feasibility", sla="5")
    table = next(cells for label, cells in tables(page).items() if label.startswith("Stages"))
    shares = [float(cells[2]["text"]) for cells in table.values()]
    assert sum(shares) == pytest.approx(100, abs=0.3)
    assert figures(page)["total"]["trend"] == "worse"
    assert figures(open_page("feasibility"))["total"]["trend"] == ""


def test_a_longer_way_is_hidden_by_the_relay(open_page):
    told = figures(open_page("feasibility", hit="0.3", flows="3"))
    assert float(told["hidden"]["text"]) > 5
    assert float(told["relay_tokens"]["text"].replace(",", "")) > 0
    assert "ms" in told["gap"]["unit"]


def test_a_model_that_lacks_something_says_so_and_still_has_its_line(open_page):
    page = open_page("feasibility", model="prfaas-1t-hybrid")
    assert "prfaas-1t-hybrid" in page.app.info[0].value
    assert value(page, "needed") < value(open_page("feasibility", model="llama-3.1-70b"), "needed")
    own = open_page("feasibility", model="own", kv="100")
    assert value(own, "each") == pytest.approx(6.4)


def test_each_model_of_the_catalogue_has_a_row(open_page):
    rows = tables(open_page("feasibility"))["The same requests with other models"]
    assert list(rows) == list(choices.models())
    assert float(rows["pdd_744b"][3]["text"]) == value(open_page("feasibility"), "needed")


def test_every_figure_is_explained(open_page):
    page = open_page("feasibility")
    assert all(len(one["lines"]) >= 2 for one in figures(page).values())
    for rows in tables(page).values():
        assert all(cell["lines"] for cells in rows.values() for cell in cells)
    assert all(one["source"] and one["help"] for one in page.drawn("slider"))
