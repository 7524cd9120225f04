"""`claims`: which are computed, what is told of them, and what happens when one is out."""

from __future__ import annotations

import csv

import pytest

from twin.claims import CLAIMS
from twin.reproduction.cases import scenario_of
from twin.reproduction.compute import compute_all
from twin.reproduction.results import ClaimResult

from .command_line import called
from .test_cli_docs import rows

QUICK = ("c7", "C11", "c14", "C22", "C07")


def test_claims_that_are_named_are_told_once_and_in_that_order(capsys):
    data = called(capsys, "claims", *QUICK, "--seeds", "1", "--workers", "1", "--json").json()
    assert [one["claim"] for one in data["claims"]] == ["C07", "C11", "C14", "C22"]
    assert [one["state"] for one in data["claims"]] == ["in", "in", "in", "refused"]
    assert data["seeds"] == [0]
    assert len(data["tensions"]) == 4
    assert {one["setting"] for one in data["overrides"]} > {"line.bandwidth_gbps", "chunk"}


def test_the_table_tells_figures_and_what_they_stand_on(capsys):
    said = called(capsys, "claims", "C14", "C23", "--seeds", "2", "--workers", "1")
    assert said.code == 0
    assert "bands are for the mean of 6 seeds, these are 2" in said.out
    digest = scenario_of("handoff_by_kv").digest()[:12]
    assert f"handoff_by_kv {digest}" in said.out
    assert "0 to 1" in said.out
    assert "2 claims: 1 in, 1 refused" in said.out


def test_every_key_of_a_claim_is_told(capsys):
    data = called(capsys, "claims", "C23", "--json").json()
    assert set(data["claims"][0]) == rows("Of claims")


def test_a_row_of_csv_is_a_figure(capsys, tmp_path):
    out = tmp_path / "claims.csv"
    assert called(capsys, "claims", "C11", "C23", "--out", out).code == 0
    told = list(csv.DictReader(out.read_text().splitlines()))
    assert [row["claim"] for row in told] == ["C11", "C11", "C11", "C23"]
    assert told[0]["inside"] == "true"


def out_of_band(*_: object) -> list[ClaimResult]:
    (found,) = compute_all(["C23"])
    figure = found.figures[0].model_copy(update={"value": -37.5, "inside": False})
    return [found.model_copy(update={"figures": (figure,), "state": "out"})]


def test_a_claim_that_leaves_its_band_is_an_error(capsys, monkeypatch):
    monkeypatch.setattr("twin.cli.claims_command.compute_all", out_of_band)
    said = called(capsys, "claims", "C23")
    assert said.code == 1
    assert " OUT " in said.out
    assert "1 claims: 1 out" in said.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("C25",), "'C25': is no claim; there are C01 to C24"),
        (("c24", "x"), "'x': is no claim; there are C01 to C24"),
        (("C01", "--store"), "--store: keeps all claims of seeds 0 to 5: name none of them"),
        (("--seeds", "2", "--store"), "--store: keeps all claims"),
        (("--set", "line.rtt_ms=3"), "--set is no option here"),
    ],
)
def test_wrong_words_are_told_before_anything_is_run(capsys, words, sentence):
    said = called(capsys, "claims", *words)
    assert said.code == 2
    assert sentence in said.err
    assert said.out == ""


def test_all_are_asked_without_a_name(capsys, monkeypatch):
    asked = []

    def none(claims, seeds, *_):
        asked.append((list(claims), len(seeds)))
        return []

    monkeypatch.setattr("twin.cli.claims_command.compute_all", none)
    assert called(capsys, "claims").code == 0
    assert asked == [([claim.id for claim in CLAIMS], 6)]
