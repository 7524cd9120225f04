"""The comparison page without a browser: what it asks, draws, keeps and says when it cannot."""

from __future__ import annotations

import pytest

from web.ui.compare import choices

FEW = 800
CLIENTS = 20


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(choices, "REQUESTS", FEW)
    monkeypatch.setitem(choices.DEFAULTS, "clients", CLIENTS)


def rows(page):
    return {
        row["name"]: [cell["text"] for cell in row["cells"]]
        for row in page.drawn("table")[0]["rows"]
    }


def test_what_is_drawn_is_what_the_study_says(open_page, client):
    page = open_page("compare").answered("compare")
    asked = {
        "deployments": [{"scenario": n} for n in ("same_dc_88a", "cross_dc_plain", "pdd_43a_32b")],
        "shared": {"workload.clients": CLIENTS}, "requests": FEW,
    }  # fmt: skip
    run = client.ask_study("compare", asked)
    said = client.run(run)["result"]["deployments"]
    told = rows(page)
    assert [float(text) for text in told["ttft_p50"][1:]] == pytest.approx(
        [one["ttft_s"]["p50"] for one in said], abs=0.006
    )
    assert told["cost"][1:] == ["88.00", "88.35", "81.75"]
    sites = [[site["name"] for site in one["drawing"]["sites"]] for one in page.drawn("deployment")]
    assert sites == [
        ["Datacenter A"],
        ["Datacenter A", "Datacenter B"],
        ["Datacenter A", "Datacenter B"],
    ]
    words = [text.value for text in page.app.text]
    assert words[::2] == ["cross_dc_plain against same_dc_88a", "pdd_43a_32b against same_dc_88a"]
    assert "It costs 81.75 chips A instead of 88.00" in words[3]


def test_every_figure_is_explained(open_page):
    page = open_page("compare").answered("compare")
    for row in page.drawn("table")[0]["rows"]:
        assert all(cell["lines"] and all(cell["lines"]) for cell in row["cells"]), row["name"]


def test_the_address_says_what_is_compared(open_page):
    page = open_page(
        "compare", d2="none", d3__line__bandwidth_gbps="25", load="rate", clients="60", nonsense="1"
    )
    assert [
        one["drawing"]["line"] and one["drawing"]["line"]["name"]
        for one in page.drawn("deployment")
    ] == [None, "25 Gbps"]
    assert [one.value for one in page.app.warning] == [
        "The link has names that mean nothing here: nonsense."
    ]
    page.answered("compare")
    told = rows(page)
    assert told["clients"][1] == "60"
    assert len(told["clients"]) == 3


def test_what_is_changed_stands_in_the_address_and_can_be_undone(open_page):
    page = open_page("compare", seeds="2")
    page.app.number_input[0].set_value(3)
    page.run()
    assert page.app.query_params.get("seeds") == ["3"] or page.app.query_params["seeds"] == "3"
    page.app.button(key="undo compare").click()
    page.run()
    assert page.app.number_input[0].value == 2
    page.app.button(key="reset compare").click()
    page.run()
    assert page.app.number_input[0].value == 1
    assert "seeds" not in page.app.query_params


def test_the_result_of_before_is_grey_until_the_new_one_is_there(open_page):
    page = open_page("compare").answered("compare")
    before = rows(page)
    assert "opacity: 0.42" not in "".join(one.proto.body for one in page.app.get("html"))
    page.app.number_input[0].set_value(2)
    page.run()
    assert page.study("compare")["status"] == "running"
    assert rows(page) == before
    assert "opacity: 0.42" in "".join(one.proto.body for one in page.app.get("html"))
    page.answered("compare")
    assert "seeds 0–1" in page.study("compare")["words"]
    assert rows(page) != before


def test_a_setting_that_cannot_be_is_told_and_the_page_goes_on(open_page):
    page = open_page("compare", d3__prefill__instances="0")
    assert "prefill.instances" in page.app.error[0].value
    study = page.study("compare")
    assert study["status"] == "failed"
    assert "at least 1" in study["words"]


def test_capacities_wait_for_the_button(open_page):
    page = open_page("compare").answered("compare")
    assert page.study("capacities")["status"] == "offered"
    assert page.study("capacities")["button"] == "Find the capacities"


def test_a_preset_brings_its_deployments_and_their_rate(open_page):
    page = open_page("compare", d3__line__bandwidth_gbps="25", d4="thin_line")
    next(one for one in page.app.button if one.key == "preset prefill_service").click()
    page.run().answered("compare")
    told = rows(page)
    assert len(told["clients"]) == 4
    assert told["clients"][1:] == ["–"] * 3
    drawn = {one["drawing"]["label"]: one["drawing"] for one in page.drawn("deployment")}
    selective = drawn["Deployment prfaas_selective: 32 × nvidia-h200, 64 × nvidia-h20-96g"]
    assert [[pool["name"] for pool in site["pools"]] for site in selective["sites"]] == [
        ["P"],
        ["MD", "P in B"],
    ]
    rate = next(one for one in page.drawn("slider") if one["label"] == "Requests")
    assert rate["value"] == 1.9
    assert "d3.line.bandwidth_gbps" not in page.app.query_params
    assert float(told["throughput"][1]) == pytest.approx(1.9, rel=0.1)
