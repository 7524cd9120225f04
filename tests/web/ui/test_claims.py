"""The claims page without a browser: all claims in the table, each explained, one computed anew."""

from __future__ import annotations

import json

import pytest

from twin.reproduction.prefill_service import stored
from twin.reproduction.stored import measured
from web.ui.claims import words


def drawn(page, label):
    return next(one for one in page.drawn("table") if one["label"].startswith(label))


def board(page):
    return {row["name"]: row for row in drawn(page, "Published claims")["rows"]}


def texts(row):
    return [cell["text"] for cell in row["cells"]]


def test_every_claim_stands_in_the_table_with_its_stored_figures(open_page):
    told = board(open_page("claims"))
    for one in measured().claims:
        first = next((f for f in one.figures if f.inside is not None), one.figures[0])
        assert texts(told[one.claim])[3] == words.value(first)
        assert told[one.claim]["cells"][6]["badge"]["kind"] == one.kind
    states = {texts(row)[7] for row in told.values()}
    assert states == {"in", "refused", "given"}


def test_a_figure_stands_where_it_is_in_its_band(open_page):
    for name, row in board(open_page("claims")).items():
        bar = row["cells"][4]["bar"]
        if bar is not None:
            assert (bar["low"] <= bar["at"] <= bar["high"]) == bar["inside"], name


@pytest.mark.parametrize(
    ("low", "high", "value", "shares"),
    [(1.0, 3.0, 2.0, (0.1875, 0.8125, 0.5)), (None, 2.0, 1.0, (0.0, 0.8125, 0.1875))],
)
def test_what_is_drawn_of_a_band(low, high, value, shares):
    figure = measured().claims[0].figures[0]
    bar = words.bar(figure.model_copy(update={"low": low, "high": high, "value": value}))
    assert bar is not None
    assert (bar.low, bar.high, bar.at) == pytest.approx(shares)


def test_a_claim_on_one_seed_is_the_first_of_the_stored(open_page):
    page = open_page("claims", claim="C01", seeds="1")
    assert page.study("claim")["button"] == "Compute C01 now"
    before = texts(board(page)["C01"])[3]
    page.app.session_state["study in claim"].wanted = True
    page.run().answered("claim")
    one = measured().claims[0]
    now = board(page)["C01"]["cells"][3]
    assert now["text"] == words.plain(one.figures[0].values[0], one.figures[0].digits) != before
    assert now["note"] == "now, seed 0"
    assert texts(board(page)["C02"])[3] == words.value(measured().claims[1].figures[0])


def test_the_row_in_the_address_is_explained(open_page):
    page = open_page("claims", claim="C23")
    told = [text.value for text in page.app.text]
    assert told[0] == "Refused. Published is −37.5 %. The arithmetic:"
    assert "−27.3 %" in told[1]
    assert [name for name, row in board(page).items() if row["chosen"]] == ["C23"]


def test_what_differs_and_what_does_not_is_told_with_its_reason(open_page):
    page = open_page("claims")
    rows = drawn(page, "What differs")["rows"]
    assert all(texts(row)[4] for row in rows)
    line = [texts(row) for row in rows if texts(row)[0] == "line.bandwidth_gbps"]
    assert ["100", "10"] in [row[1:3] for row in line]
    constants = {row["name"]: row for row in drawn(page, "One set")["rows"]}
    assert texts(constants["model.kv_bytes_per_token"])[1] == "46,488"
    assert all(texts(row)[2] for row in constants.values())
    assert len(page.app.error) == 0
    assert "4.39 KB/token belongs to another model" in [one.value for one in page.app.subheader]


def test_an_unknown_claim_is_refused_before_it_is_queued(client):
    from web.client import ClientError

    with pytest.raises(ClientError, match="C01 to C24"):
        client.ask_study("claim", {"claim": "C99"})


def test_the_study_says_what_is_stored(client):
    run = client.ask_study("claim", {"claim": "C11"})
    for _ in client.run_events(run):
        pass
    said = client.run(run)["result"]
    stored = next(one for one in measured().claims if one.claim == "C11")
    assert said["figures"] == json.loads(stored.model_dump_json())["figures"]
    assert said["seeds"] == []


def test_the_other_architecture_stands_beside_its_published_figures(open_page):
    told = {row["name"]: row for row in drawn(open_page("claims"), "The other")["rows"]}
    assert len(told) == 11
    for one in stored().figures:
        row = told[f"{one.deployment}.{one.figure}"]
        assert float(texts(row)[3]) == pytest.approx(one.value, abs=0.005)
        assert row["cells"][6]["badge"]["kind"] == one.kind
        assert texts(row)[7] == ("not published" if one.public is None else "in")
        assert row["cells"][3]["unit"] == one.unit
