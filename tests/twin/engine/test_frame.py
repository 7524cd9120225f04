"""Frames and tiles: they only read, each request is in them once, and they say what is."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import round_pdd, shipped
from tests.given_requests import columns, request, simulation
from tests.small_scenarios import scenarios
from twin.engine.checkpoint import digest
from twin.engine.frame import MOST_REQUESTS, PLACES, PLACES_IN_B, frame
from twin.engine.simulation import Simulation
from twin.engine.tiles import FEW, tiles
from twin.scenario import Scenario


@settings(max_examples=25)
@given(scenarios(requests=80), st.lists(st.floats(0.1, 60.0), min_size=1, max_size=6))
def test_looking_changes_nothing_and_shows_each_request_once(
    scenario: Scenario, looks: list[float]
) -> None:
    seen, blind = (Simulation(scenario, seed=1, total=80) for _ in range(2))
    for wait in looks:
        seen.advance(seen.now + wait)
        shown = frame(seen)
        json.dumps(shown, allow_nan=False)
        alive = set(seen.pipeline.live)
        assert {entry[0] for entry in shown["requests"]} == alive
        assert shown["of"] == len(alive) == sum(shown["counts"].values())
        places = Counter((PLACES + PLACES_IN_B)[entry[2]] for entry in shown["requests"])
        assert {place: n for place, n in shown["counts"].items() if n} == places
        assert all(0 <= entry[4] <= 1 for entry in shown["requests"])
        tiles(seen, 0.0, seen.now)
    blind.advance(seen.now)
    assert digest(seen) == digest(blind)


@pytest.mark.parametrize(
    ("at_s", "place", "share"),
    [
        (0.1, "p", 0.25),
        (0.415, "rdma", 0.5),
        (0.93, "rld", 0.25),
        (1.45775, "handoff", 0.5),
        (1.5255, "md", 0.49),
    ],
)
def test_where_a_relayed_request_is(at_s: float, place: str, share: float) -> None:
    """As test_p_rld_md_by_one_shot: .4 prefill, .43 RLD, handoff 1.4 - 1.5155, then MD from 48."""
    sim = simulation(round_pdd(), [(0.0, request(1000, 100))])
    sim.advance(at_s)
    (entry,) = frame(sim)["requests"]
    assert PLACES[entry[2]] == place
    assert entry[4] == pytest.approx(share, abs=1e-3)


def test_transfers_as_far_as_they_are() -> None:
    sim = simulation(round_pdd({"line.rtt_ms": 1000}), [(0.0, request(1000, 100))])
    sim.advance(0.65)
    assert frame(sim)["crossing"] == [[0, 1, 0.25, 0]]
    assert frame(sim)["line"] == {"flows": 1, "gbps": 8.0, "capacity_gbps": 8.0, "cut": False}
    sim.advance(1.5)
    assert frame(sim)["crossing"] == [[0, 1, 1.0, 1]]  # in its latency tail
    assert frame(sim)["line"]["flows"] == 0


def test_many_requests_are_sampled_but_all_are_counted() -> None:
    sim = Simulation(shipped("pdd_43a_32b", {"workload.clients": 1500}), seed=1)
    sim.advance(60.0)
    shown = frame(sim)
    assert len(shown["requests"]) == MOST_REQUESTS < shown["of"]
    assert sum(shown["counts"].values()) == shown["of"] == len(sim.pipeline.live)


def test_tiles_of_few_requests_say_nothing() -> None:
    sim = Simulation(shipped("pdd_43a_32b"), seed=1)
    sim.advance(10.0)
    said = tiles(sim, 0.0, 10.0)
    assert said["requests"] < FEW
    for name in ("ttft_p50_s", "ttft_p99_s", "sla_ok_share", "goodput_rps"):
        assert said[name] is None


def test_tiles_against_the_record() -> None:
    sim = Simulation(shipped("pdd_43a_32b"), seed=1)
    sim.advance(2000.0)
    said = tiles(sim, 1000.0, 1900.0)
    arrival, ttft, total, out, relay_made = columns(
        sim, "arrival", "ttft", "total", "out", "relay_made"
    )
    mine = (arrival >= 1000) & (arrival <= 1900)
    assert said["requests"] == mine.sum()
    assert not [j for j in sim.pipeline.live.values() if j.arrival <= 1900 and j.first <= 2000]
    assert said["ttft_p90_s"] == pytest.approx(float(np.quantile(ttft[mine], 0.9)))
    assert said["rld_token_share"] == pytest.approx(relay_made[mine].sum() / out[mine].sum())
    ends = arrival + total
    done = (ends > 1000) & (ends <= 1900)
    assert said["goodput_rps"] == pytest.approx((total[done] <= 30).sum() / 900)
    assert 0.85 < said["p_hit"] < 0.95
    assert said["binds"] in said["use"]


def what_binds(drc_tb: float, seconds: float) -> tuple[str, float]:
    sim = Simulation(shipped("pdd_43a_32b", {"caches.drc_tb": drc_tb}), seed=1)
    sim.advance(seconds)
    said = tiles(sim, seconds - 1800, seconds)
    return said["binds"], said["use"]["memory"]


def test_a_full_cache_binds_only_where_it_costs_hits() -> None:
    """Ended sessions fill it by and by and are evicted first; .4 TB is too small for the others."""
    binds, full = what_binds(2.0, 14_400)
    assert binds == "prefill" and full > 0.9
    binds, full = what_binds(0.4, 7200)
    assert binds == "memory" and full > 0.9
