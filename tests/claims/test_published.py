"""C01 to C10, C12 and C13 in their bands, all with one set of parameters, six seeds."""

from __future__ import annotations

import pytest

from twin.claims import CLAIMS
from twin.compare import Comparison
from twin.verdicts import Evidence, Verdict, verdicts

BANDS = [(claim.id, band.label) for claim in CLAIMS for band in claim.bands]


@pytest.fixture(scope="module")
def judged(published: Comparison) -> dict[tuple[str, str], Verdict]:
    return dict(zip(BANDS, verdicts(Evidence.of(published)), strict=True))


@pytest.mark.parametrize(("claim", "label"), BANDS)
def test_the_figure_lies_in_its_band(judged, claim, label):
    verdict = judged[claim, label]
    assert verdict.claim == claim
    assert verdict.inside, f"{verdict.about}: {verdict.value} of {verdict.values}"


def test_the_claims_are_those_that_a_comparison_shows():
    assert {claim for claim, _ in BANDS} == {
        *(f"C{n:02d}" for n in range(1, 11)), "C12", "C13",
    }  # fmt: skip


def test_hit_rates_are_those_published(published: Comparison):
    """C17: the mean over all requests is .90."""
    for result in published.results:
        for run in result.runs:
            assert run.p_hit == pytest.approx(0.90, abs=0.01)


def test_every_request_is_accounted_for(published: Comparison):
    for result in published.results:
        for run in result.runs:
            requests = run.requests
            assert (requests.arrived, requests.finished) == (20_000, 20_000)
            assert (requests.refused, requests.in_flight) == (0, 0)


def test_no_run_lacks_what_it_is_judged_by(published: Comparison):
    assert not any(run.troubles for result in published.results for run in result.runs)
    assert all(result.capacity_why == "" for result in published.results)


def test_the_baseline_serves_fewer_within_the_sla_than_pdd(published: Comparison):
    """At 170 clients: research found .71 same-DC, .63 cross-DC, .91 PDD."""
    shares = [[run.sla_ok_share or 0.0 for run in result.runs] for result in published.results]
    same, cross, pdd = (sum(s) / len(s) for s in shares)
    assert (same, cross, pdd) == (
        pytest.approx(0.71, abs=0.05), pytest.approx(0.63, abs=0.05), pytest.approx(0.91, abs=0.05),
    )  # fmt: skip
