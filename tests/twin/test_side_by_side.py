"""Deployments side by side: curves and stacks that add up, sentences that say what they show."""

from __future__ import annotations

import numpy as np
import pytest

from tests.deployments import shipped
from twin.averages import mean_of
from twin.differences import Difference, differences, line_words
from twin.engine.run import run
from twin.errors import RunError
from twin.side_by_side import BANDS, Side, at_equal_rate, side_by_side

SMALL = {"run.requests": 4_000}
NAMES = ("same_dc_88a", "cross_dc_plain", "pdd_43a_32b")
THREE = [shipped(name, SMALL) for name in NAMES]
SEEDS = (0, 1)


@pytest.fixture(scope="module")
def sides() -> list[Side]:
    return side_by_side(THREE, SEEDS, workers=2)


@pytest.fixture(scope="module")
def told(sides: list[Side]) -> list[Difference]:
    return differences(sides, {"same_dc_88a": 2.23, "pdd_43a_32b": 2.86})


def test_curves_rise_and_agree_with_the_results(sides):
    for side, scenario in zip(sides, THREE, strict=True):
        assert side.levels[0] == 0 and side.levels[-1] == 1 and len(side.levels) == 101
        assert (np.diff(side.ttft_s) >= 0).all() and (np.diff(side.total_s) >= 0).all()
        said = [run(scenario, seed, series=False) for seed in SEEDS]
        assert side.ttft_at(0.5) == pytest.approx(mean_of([r.ttft_s.p50 for r in said]))
        assert side.ttft_at(0.9) == pytest.approx(mean_of([r.ttft_s.p90 for r in said]))
        assert side.throughput_rps == pytest.approx(mean_of([r.throughput_rps for r in said]))
        assert side.stacks["all"].ttft_s == pytest.approx(mean_of([r.ttft_s.mean for r in said]))


def test_stacks_lie_where_their_band_does(sides):
    for side in sides:
        assert set(side.stacks) == set(BANDS)
        near = side.ttft_at(0.45) - 0.2, side.ttft_at(0.55) + 0.2
        assert near[0] < side.stacks["median"].ttft_s < near[1]
        assert side.stacks["tail"].ttft_s > side.ttft_at(0.9) - 0.2


def test_only_a_relay_hides_the_line(sides):
    same, cross, pdd = (side.line for side in sides)
    assert (same.line_s, same.relayed) == (None, 0.0)
    assert cross.line_s is not None and 2 < cross.line_s < 4 and cross.hidden_s is None
    assert pdd.relayed_line_s is not None and pdd.hidden_s is not None
    assert 1 < pdd.hidden_s < pdd.relayed_line_s < 4
    assert pdd.relayed_line_s - pdd.hidden_s == pytest.approx(0.08, abs=0.06)  # RDMA instead


def test_stages_of_a_difference_sum(told):
    for one in told:
        assert sum(one.by_stage.values()) == pytest.approx(one.ttft_median_s)
        assert one.ttft_median_s == pytest.approx(one.ttft_p50_s, abs=0.3)


def test_what_is_said(sides, told):
    cross, pdd = (" ".join(one.sentences) for one in told)
    assert "longer at the median" in cross and "shorter at the median" in pdd
    assert "At the median the transfer before the first token adds" in cross
    line = sides[2].line
    assert f"the line costs {line.relayed_line_s:.1f} s at the median" in pdd
    assert f"the relay hides {line.hidden_s:.1f} s of it" in pdd
    assert "nothing hides it" in line_words(sides[1]) and line_words(sides[0]) == ""
    assert "81.75 chips A instead of 88.00 (-7.1% to -3.5%)" in pdd
    assert "Fewer are served within 30 s" in cross and "More are served within 30 s" in pdd
    assert "+28.3%" in pdd and "BCR 1.38" in pdd and "BCR" not in cross
    assert "With 170 clients each it serves" in pdd


def test_what_is_said_of_kv_that_is_sent_while_it_is_computed():
    """With selective prefill half of the requests never cross; the others' KV is nearly there."""
    three = [
        shipped(f"prfaas_{one}", {"run.requests": 800}) for one in ("homogeneous", "selective")
    ]
    sides = side_by_side(three, (0,))
    words = line_words(sides[1])
    assert "nothing hides it" not in words
    assert words.startswith("prfaas_selective: KV that crosses the line lands ")
    told = float(words.split(" lands ")[1].split(" ms")[0])
    assert sides[1].line.line_s == pytest.approx(told / 1e3, abs=6e-4)
    assert 10.5 <= told < 50  # half a round trip of 21 ms, and the last group of layers
    said = " ".join(differences(sides)[0].sentences)
    assert "It serves as many requests/s (" in said and "-0%" not in said and "+0%" not in said


def test_a_deployment_beside_itself_says_no_change():
    pdd = shipped("pdd_43a_32b", {"run.requests": 1_500})
    one = differences(side_by_side([pdd, pdd]))[0]
    assert one.ttft_p50_s == 0 and not any(one.by_stage.values())
    assert one.sentences[0].startswith("TTFT is the same at the median")
    assert not any("adds" in sentence for sentence in one.sentences)


def test_equal_rate_is_equal():
    same, _, pdd = THREE
    equal = at_equal_rate([same, pdd])
    rates = [run(s, 0, series=False).throughput_rps or 0.0 for s in equal]
    assert rates[1] == pytest.approx(rates[0], rel=0.05)
    assert equal[0] is same and equal[1].workload.clients < pdd.workload.clients
    words = " ".join(differences(side_by_side([same, pdd], basis="equal rate"))[0].sentences)
    assert f"It has {equal[1].workload.clients} clients instead of 170" in words


def test_a_stream_has_equal_rates_as_it_is():
    stream = {**SMALL, "workload.arrivals": "poisson"}
    scenarios = [shipped(name, stream) for name in NAMES]
    assert at_equal_rate(scenarios) == scenarios


def test_a_rate_that_cannot_be_reached_is_refused():
    crowd = {**SMALL, "workload.clients": 400, "workload.think_s": 5.0}
    thin = {**crowd, "line.bandwidth_gbps": 0.5}
    with pytest.raises(RunError, match="compare at equal clients"):
        at_equal_rate([shipped("cross_dc_plain", crowd), shipped("pdd_43a_32b", thin)])


def test_other_requests_are_refused():
    with pytest.raises(RunError, match="the same run"):
        side_by_side([THREE[0], shipped("pdd_43a_32b")])
