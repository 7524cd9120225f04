"""`prefill-service`: what it tells, what it keeps, and what happens when a figure is out."""

from __future__ import annotations

import json
import re

import pytest

from twin.prefill_service import DEPLOYMENTS
from twin.reproduction.prefill_service import SEEDS, as_text, stale, stored

from .command_line import called
from .test_cli_docs import TEXT, rows

STORED = stored()


def kept(**changes: object) -> list:
    first, *others = STORED.figures
    return [first.model_copy(update=changes), *others]


def test_every_key_is_told(capsys, monkeypatch):
    monkeypatch.setattr("twin.cli.prefill_service_command.figures", lambda *_: kept())
    data = called(capsys, "prefill-service", "--json").json()
    assert rows("Of prefill-service") == set(data)
    part = TEXT.partition("### Of prefill-service")[2].partition("\n#")[0]
    assert set(data["figures"][0]) <= set(re.findall(r"`(\w+)`", part))
    assert list(data["digests"]) == list(DEPLOYMENTS)


def test_a_figure_that_leaves_its_band_is_an_error(capsys, monkeypatch):
    monkeypatch.setattr(
        "twin.cli.prefill_service_command.figures", lambda *_: kept(value=9.0, inside=False)
    )
    said = called(capsys, "prefill-service")
    assert said.code == 1
    assert " OUT" in said.out


@pytest.mark.parametrize("words", [("--seeds", "2"), ("--seed", "1")])
def test_other_seeds_are_not_kept(capsys, words):
    said = called(capsys, "prefill-service", "--store", *words)
    assert said.code == 2
    assert "--store: keeps those of seeds 0 to 2" in said.err


def test_what_is_stored_is_of_this_program():
    assert stale(STORED) == []
    assert STORED.seeds == tuple(SEEDS)
    assert json.loads(as_text(STORED)) == STORED.model_dump(mode="json")


def test_other_scenarios_make_it_stale():
    changed = STORED.model_copy(
        update={"version": "0", "digests": STORED.digests | {DEPLOYMENTS[0]: "x"}}
    )
    told = stale(changed)
    assert len(told) == 2
    assert told[1].startswith(DEPLOYMENTS[0])
