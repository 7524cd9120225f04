"""A claim that leaves its band is seen: each kind of figure, moved."""

from __future__ import annotations

import numpy as np
import pytest

from twin.claims import Band, claim
from twin.reproduction.recipes import RECIPES
from twin.reproduction.results import state_of
from twin.reproduction.swing import correlation
from twin.reproduction.tasks import Cache, Found
from twin.verdicts import Measured, Verdict, verdict


def judged(claim_id: str, *values: float | None) -> tuple[Verdict, ...]:
    known = claim(claim_id)
    pairs = zip(known.bands, values, strict=True)
    return tuple(verdict(known, band, Measured(value, [value])) for band, value in pairs)


@pytest.mark.parametrize(
    ("claim_id", "values", "state"),
    [
        ("C03", (17.0,), "in"), ("C03", (21.1,), "out"), ("C03", (None,), "unknown"),
        ("C07", (-7.1, -3.5), "in"), ("C07", (-7.1, -3.6), "out"),
        ("C16", (0.05, 2.0, 0.1, 0.2), "in"), ("C16", (0.11, 2.0, 0.1, 0.2), "out"),
        ("C21", (10.0, 25.0), "given"),
        ("C22", (3099.3, 15.24), "refused"), ("C22", (15.2, 15.24), "out"),
        ("C23", (-37.5,), "out"),
    ],
)  # fmt: skip
def test_a_state_is_that_of_all_judged_figures(claim_id, values, state):
    assert state_of(claim(claim_id).kind, judged(claim_id, *values)) == state


def test_a_figure_that_is_told_is_not_judged():
    figures = judged("C16", 0.05, 2.0, 0.1, 0.2)
    assert [figure.inside for figure in figures] == [True, None, None, None]
    assert not Band(None, None, "s").judges


@pytest.mark.parametrize("claim_id", ["C07", "C11", "C20", "C21", "C22", "C23", "C24"])
def test_arithmetic_has_a_figure_for_each_band(claim_id):
    figures = RECIPES[claim_id].measure(Found(Cache(), ()))
    assert list(figures) == [band.label for band in claim(claim_id).bands]


def test_a_correlation_of_what_never_moves_is_unknown():
    rising, still = np.arange(5.0), np.zeros(5)
    assert correlation(rising, -rising) == pytest.approx(-1)
    assert correlation(rising, still) is None
    assert correlation(rising[:1], rising[:1]) is None
