"""Every claim in its bands, all with one set of parameters, six seeds."""

from __future__ import annotations

from statistics import fmean

import pytest

from twin.claims import CLAIMS, CROSS_DC, PDD, SAME_DC
from twin.reproduction.compute import SEEDS
from twin.reproduction.recipes import RECIPES
from twin.reproduction.results import ClaimResult
from twin.reproduction.tasks import Cache, Found
from twin.verdicts import Evidence, verdicts

from .conftest import Published

BANDS = [(claim.id, i) for claim in CLAIMS for i, band in enumerate(claim.bands) if band.judges]


@pytest.mark.parametrize(("claim", "index"), BANDS)
def test_the_figure_lies_in_its_band(computed: dict[str, ClaimResult], claim, index):
    figure = computed[claim].figures[index]
    assert figure.inside, f"{figure.about}: {figure.value} of {figure.values}"


def test_every_claim_is_settled(computed: dict[str, ClaimResult]):
    states = {one.claim: one.state for one in computed.values()}
    assert list(states) == [claim.id for claim in CLAIMS] == list(RECIPES)
    assert {claim for claim, state in states.items() if state == "refused"} == {"C22", "C23"}
    assert {claim for claim, state in states.items() if state == "given"} == {"C21"}
    assert set(states.values()) == {"in", "refused", "given"}


def test_a_row_tells_what_it_stands_on(computed: dict[str, ClaimResult]):
    for one in computed.values():
        assert one.seeds == (tuple(SEEDS) if RECIPES[one.claim].work else ())
        assert all(deployment.digest for deployment in one.deployments)
        if one.seeds:
            assert one.load
            assert one.deployments
            assert {len(f.values) for f in one.figures if f.sd} == {6}
    assert computed["C01"].load == "170 clients, 20,000 requests"
    assert computed["C18"].load == "150 clients, 2 simulated hours"
    assert computed["C08"].sla == "total within 30 s for 90 % of requests"


def test_figures_are_those_that_a_comparison_shows(
    computed: dict[str, ClaimResult], published: Published, cache: Cache
):
    found = Found(cache, SEEDS)
    capacities = {name: found.of("capacity", name) for name in (SAME_DC, PDD)}
    costs = {
        name: (runs[0].cost_units, runs[0].cost_units_high) for name, runs in published.items()
    }
    rates = {name: [one.capacity.rps for one in found] for name, found in capacities.items()}
    judged = verdicts(Evidence(published, rates, costs))
    assert {v.claim for v in judged} == {*(f"C{n:02d}" for n in range(1, 11)), "C12", "C13"}
    assert judged == [
        f for v in dict.fromkeys(v.claim for v in judged) for f in computed[v].figures
    ]
    for searches in capacities.values():
        assert all(one.capacity.why == "" for one in searches)


def test_hit_rates_are_those_published(published: Published):
    """C17 of the requests that were served: the mean over all is .90."""
    for runs in published.values():
        for run in runs:
            assert run.p_hit == pytest.approx(0.90, abs=0.01)


def test_every_request_is_accounted_for(published: Published):
    for runs in published.values():
        for run in runs:
            requests = run.requests
            assert (requests.arrived, requests.finished) == (20_000, 20_000)
            assert (requests.refused, requests.in_flight) == (0, 0)
            assert run.troubles == []


def test_the_baseline_serves_fewer_within_the_sla_than_pdd(published: Published):
    """At 170 clients: research found .71 same-DC, .63 cross-DC, .91 PDD."""
    same, cross, pdd = (
        fmean(run.sla_ok_share or 0.0 for run in published[name])
        for name in (SAME_DC, CROSS_DC, PDD)
    )
    assert (same, cross, pdd) == (
        pytest.approx(0.71, abs=0.05), pytest.approx(0.63, abs=0.05), pytest.approx(0.91, abs=0.05),
    )  # fmt: skip


def test_the_filter_keeps_the_one_off_requests_and_only_those(
    computed: dict[str, ClaimResult], cache: Cache
):
    assert computed["C19"].state == "in"
    found = Found(cache, SEEDS)
    assert all(run.pipelines.filtered == 0 for run in found.of("run", "flood"))
    kept = fmean(run.local_request_share or 0.0 for run in found.of("run", "flood_filtered"))
    assert 0.025 < kept < 0.05


def test_a_one_shot_handoff_is_a_hiccup_that_anyone_sees(computed: dict[str, ClaimResult]):
    _, one_shot, catch_up, auto = (figure.value or 0.0 for figure in computed["C16"].figures)
    assert one_shot > 1
    assert 0 < catch_up < auto < 0.3
