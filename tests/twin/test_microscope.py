"""The request microscope: a watched request is the same request, and its parts add up."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import round_pdd, round_same_site, shipped
from tests.given_requests import ListLoad, request, simulation
from tests.small_scenarios import scenarios
from twin.engine.checkpoint import digest
from twin.engine.journey import MAIN, RELAY
from twin.engine.recorder import REQUEST_COLUMNS
from twin.engine.simulation import Simulation
from twin.errors import RunError
from twin.microscope import LANES, Gantt, gantt, points, run_points, same_request, watched
from twin.policy import PIPELINES
from twin.scenario import Scenario
from twin.scenario_file import with_settings

SMALL = {"run.requests": 1_500}


def rows_of(sim: Simulation) -> dict[int, dict[str, float]]:
    columns: list[str] = list(REQUEST_COLUMNS)
    named = (dict(zip(columns, row, strict=True)) for row in sim.recorder.table().tolist())
    return {int(row["number"]): row for row in named}


def agrees(found: Gantt, row: dict[str, float]) -> None:
    """The parts of the picture are those that are recorded of the request."""
    assert found.ttft_s == pytest.approx(row["ttft"], abs=1e-6)
    assert found.total_s == pytest.approx(row["total"], abs=1e-6)
    assert (found.prompt_tokens, found.relay_tokens) == (row["prompt"], row["relay_made"])
    assert found.seconds("prefill", "wait for prefill") == pytest.approx(row["queue_p"], abs=1e-6)
    assert found.seconds("prefill", "prefill") == pytest.approx(row["prefill"], abs=1e-6)
    if row["gap"] >= 0:
        told = found.seconds("handoff", "last batch of ids: the user waits")
        assert told == pytest.approx(row["gap"], abs=1e-6)
    if row["landed_after"] >= 0:
        landed = row["queue_p"] + row["prefill"] + row["landed_after"]
        lane = "line" if found.nbytes else "RDMA"
        crossed = [i.to_s for i in found.intervals if i.lane == lane]
        assert max(crossed) == pytest.approx(landed, abs=1e-6)


def is_whole(found: Gantt) -> None:
    """Bars of a lane do not overlap; every token is told once, in order, within the total."""
    for lane in LANES:
        bars = [i for i in found.intervals if i.lane == lane]
        assert all(a.to_s <= b.from_s + 1e-9 for a, b in pairwise(bars)), bars
        assert all(bar.seconds > 0 for bar in bars)
    assert found.total_s is not None and found.ttft_s is not None
    assert len(found.token_s) == found.output_tokens
    assert (np.diff(found.token_s) >= -1e-9).all()
    assert found.token_s[0] == pytest.approx(found.ttft_s)
    assert found.token_s[-1] <= found.total_s + 1e-6
    assert found.gaps_s.sum() == pytest.approx(found.token_s[-1] - found.token_s[0], abs=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        "pdd_43a_32b",
        "same_dc_88a",
        "cross_dc_plain",
        "relay_swing",
        "one_shot_hiccup",
        "thin_line",
        "prfaas_selective",
    ],
)
def test_requests_of_the_shipped_deployments(name):
    scenario = shipped(name, {**SMALL, "run.duration_s": None})
    sim = Simulation(scenario, seed=2, total=1_500)
    sim.advance_to_end()
    rows = rows_of(sim)
    told = points(sim)
    numbers = [0, 700, 1_499, *told.worst("total_s", 2), *told.worst("ttft_s", 1),
               *told.worst("gap_s", 2)]  # fmt: skip
    for number in numbers:
        found = gantt(scenario, number, seed=2)
        agrees(found, rows[number])
        is_whole(found)


@settings(max_examples=25)
@given(scenario=scenarios(), data=st.data())
def test_any_request_of_any_scenario(scenario: Scenario, data: st.DataObject):
    sim = Simulation(scenario, seed=1, total=scenario.run.requests)
    sim.advance_to_end()
    rows = rows_of(sim)
    if not rows:
        return
    number = data.draw(st.sampled_from(sorted(rows)))
    found = gantt(scenario, number, seed=1)
    assert found.total_s == pytest.approx(rows[number]["total"], abs=1e-6)
    assert found.ttft_s == pytest.approx(rows[number]["ttft"], abs=1e-6)
    assert len(found.token_s) == rows[number]["out"]
    assert (np.diff(found.token_s) >= -1e-9).all()


@pytest.mark.parametrize("name", ["pdd_43a_32b", "relay_swing", "same_dc_88a"])
def test_tokens_come_when_the_engine_counts_them(name):
    """At any moment as many tokens are seen as the engine says that the request has made."""
    scenario = shipped(name, {**SMALL, "run.duration_s": None})
    sim = Simulation(scenario, seed=2, total=1_500)
    looked = 0
    pictures: dict[int, Gantt] = {}
    for at in (240.3, 261.7, 290.1):
        sim.advance(at)
        p = sim.pipeline
        decoding = [j for j in p.live.values() if j.stage in (RELAY, MAIN) and 0 <= j.first <= at]
        for j in decoding[::2]:
            pool, index = (p.main, j.m_instance) if j.stage == MAIN else (p.relay, j.r_instance)
            assert pool is not None
            instance = pool.instances[index]
            virtual = instance.virtual + (at - instance.at) / instance.itl - j.virtual
            if j.number not in pictures:
                pictures[j.number] = gantt(scenario, j.number, seed=2)
            seen = int((pictures[j.number].token_s <= at - j.arrival).sum())
            assert seen == max(1, j.made + int(virtual)), (j.number, j.made, virtual)
            looked += 1
    assert looked >= 10


def test_speed_and_tokens_agree():
    """Inside a stretch of decoding the gaps are its ITL; stretches have the batch in them."""
    found = gantt(shipped("pdd_43a_32b", SMALL), 700, seed=2)
    whole = 0
    for piece in found.pieces:
        inside = found.token_s[(found.token_s > piece.from_s) & (found.token_s <= piece.to_s)]
        after_first = inside[inside > (found.ttft_s or 0) + piece.itl_s]
        assert np.diff(after_first) == pytest.approx(piece.itl_s, abs=1e-9)
        whole += len(after_first)
        assert piece.batch >= 1
    assert whole > 0.9 * found.output_tokens


def test_a_watched_run_is_the_same_run():
    one, other = (Simulation(shipped("pdd_43a_32b"), seed=5) for _ in range(2))
    watched(one, 150)
    other.advance(one.now)
    assert digest(one) == digest(other)
    assert one.recorder.rows == other.recorder.rows
    names = [[handler.__name__ for handler in sim.clock.handlers] for sim in (one, other)]
    assert names[0] == names[1]


def by_hand(found: Gantt) -> dict[tuple[str, str], tuple[float, float]]:
    return {(i.lane, i.what): (round(i.from_s, 6), round(i.to_s, 6)) for i in found.intervals}


def test_a_relayed_request_by_hand():
    """1,000 new tokens: prefill .4, RDMA .03, line 1 s; RLD 20 ms, MD 10 ms a token; 100 tokens."""
    given_ = [(2.0, request(1000.0, 100, uniforms=(0.5, 0.5, 0.0, 1.0)))]
    found = watched(simulation(round_pdd({"policy.handoff_mode": "one_shot"}), given_), 0)
    # .97 s on RLD are 48 tokens; ids: .0105 + 10 ms (.5 + 10) = .1155
    assert by_hand(found) == {
        ("prefill", "prefill"): (0.0, 0.4),
        ("RDMA", "KV to RLD"): (0.4, 0.43),
        ("line", "KV on the line"): (0.4, 1.4),
        ("relay decode", "decode"): (0.43, 1.4),
        ("handoff", "last batch of ids: the user waits"): (1.4, 1.5155),
        ("main decode", "decode"): (1.5155, 1.5155 + 0.52),
    }
    assert found.arrival_s == 2.0 and found.relay_tokens == 48
    assert found.token_s[0] == pytest.approx(0.43 + 0.03)
    assert found.token_s[47] == pytest.approx(0.43 + 48 * 0.02)
    assert found.token_s[48] == pytest.approx(1.5155 + 0.01)
    assert found.largest_gap_s == pytest.approx(1.5255 - 1.39)
    assert found.largest_gap_at == 48
    assert [(p.flows, round(p.gbps, 6)) for p in found.line_pieces] == [(1, 8.0)]


def test_waiting_by_hand():
    """Two at once: the second waits for prefill; with one slot, also for it."""
    given_ = [(0.0, request(1000.0, 100, 0.0, n)) for n in range(2)]
    second = watched(simulation(round_same_site(slots=1), given_), 1)
    bars = by_hand(second)
    assert bars["prefill", "wait for prefill"] == (0.0, 0.4)
    assert bars["prefill", "prefill"] == (0.4, 0.8)
    assert bars["RDMA", "KV to decode"] == (0.8, 0.83)
    assert bars["main decode", "wait for a slot"] == (0.83, 0.43 + 1.0)


def test_flows_that_share_the_line():
    given_ = [(0.0, request(1000.0, 400, 0.0, 0)), (0.0, request(1000.0, 400, 500.0, 1))]
    found = watched(simulation(round_pdd(), given_), 0)
    assert [p.flows for p in found.line_pieces] == [1, 2, 1]
    assert sum((p.to_s - p.from_s) * p.gbps for p in found.line_pieces) == pytest.approx(8.0)


def test_kv_that_comes_too_late_is_followed_to_its_end():
    given_ = [(0.0, request(1000.0, 10))]
    found = watched(simulation(round_pdd(), given_), 0)
    assert by_hand(found)["line", "KV on the line"] == (0.4, 1.4)
    assert found.total_s is not None and found.total_s < 0.7
    assert found.relay_tokens == 10


def test_a_request_that_is_lost_and_done_again():
    events = [
        {"at_s": at, "what": what, "pool": "main_decode", "instance": 0}
        for at, what in ((1.6, "instance_lost"), (3.0, "instance_back"))
    ]
    scenario = round_pdd({"events": events})
    found = watched(Simulation(scenario, ListLoad([(0.0, request(1000.0, 100))])), 0)
    is_whole(found)
    assert len([i for i in found.intervals if i.what == "prefill"]) == 2


def test_a_request_that_prefills_in_b_goes_to_decode_by_rdma():
    scenario = shipped("prfaas_selective", {"run.requests": 200, "run.duration_s": None})
    sim = Simulation(scenario, seed=2, total=200)
    sim.advance_to_end()
    row = next(r for r in rows_of(sim).values() if PIPELINES[int(r["pipeline"])] == "PB-MD")
    found = gantt(scenario, int(row["number"]), seed=2)
    assert found.pipeline == "PB-MD"
    assert found.nbytes == 0
    assert found.seconds("line") == 0
    assert found.seconds("RDMA") == pytest.approx(row["transfer"], abs=1e-6)


def lone(scenario: Scenario, prompt: float, out: int) -> Gantt:
    sim = simulation(scenario, [(0.0, request(prompt, out))])
    return watched(sim, 0)


def test_a_lone_request_that_prefills_in_b_by_hand():
    """16,000 tokens lie a third of the way from 8,000 to 32,000 on both profiles of B."""
    scenario = shipped("prfaas_selective")
    found = lone(scenario, 16_000.0, 1_024)
    assert found.pipeline == "PB-MD"
    assert found.seconds("prefill") == pytest.approx(1.53 + (4.62 - 1.53) / 3)
    whole = 323_905_126 + (735_366_349 - 323_905_126) / 3
    assert scenario.datacenter_b is not None
    rate, setup = scenario.datacenter_b.rdma_gbytes_per_s, scenario.datacenter_b.rdma_setup_ms
    assert found.seconds("RDMA") == pytest.approx(whole / (rate * 1e9) + setup / 1e3)
    assert (found.nbytes, found.seconds("line")) == (0, 0)
    assert found.seconds("main decode", "decode") == pytest.approx(1_024 * 0.0125)


def test_a_lone_request_of_measured_profiles_crosses_the_line_by_hand():
    """32,000 tokens are a point of the profiles: 1.84 s, 735,366,349 bytes; the line is free."""
    given = {"policy.layerwise_transfer": False, "line.jitter_share": 0}
    scenario = shipped("prfaas_naive", given)
    found = lone(scenario, 32_000.0, 1_024)
    assert scenario.line is not None
    seconds = 735_366_349 * 8 / (100e9 * scenario.line.goodput_share)
    assert (found.pipeline, found.nbytes) == ("P-MD", 735_366_349)
    assert found.seconds("prefill") == pytest.approx(1.84)
    assert found.seconds("line", "KV on the line") == pytest.approx(seconds)
    assert found.seconds("line", "last bytes travel") == pytest.approx(
        scenario.line.rtt_ms / 2e3, rel=0.01
    )
    early = lone(shipped("prfaas_naive", given | {"policy.layerwise_transfer": True}), 32_000.0, 99)
    begun = min(one.from_s for one in early.intervals if one.lane == "line")
    assert begun < 1.84 < max(one.to_s for one in early.intervals if one.lane == "line")
    assert early.nbytes == 735_366_349


def test_a_request_that_does_not_exist_is_refused():
    with pytest.raises(RunError, match="requests 0 to 1499"):
        gantt(shipped("pdd_43a_32b", SMALL), 1_500)


def test_points_and_the_worst():
    found = run_points(shipped("pdd_43a_32b", SMALL), seed=2)
    assert sorted(found.number.tolist()) == list(range(1_500))
    worst = found.worst("ttft_s", 5)
    ttft = dict(zip(found.number.tolist(), found.ttft_s.tolist(), strict=True))
    assert [ttft[n] for n in worst] == sorted(ttft.values(), reverse=True)[:5]
    few = found.thinned(300)
    assert len(few.number) <= 301 and set(worst) <= set(few.number.tolist())
    assert found.thinned(9_999) is found
    with pytest.raises(RunError, match="worst by"):
        found.worst("luck")


def test_the_same_request_of_another_run_has_the_same_draws():
    one = shipped("pdd_43a_32b", {"run.requests": 600, "run.duration_s": None})
    other = with_settings(one, {"line.bandwidth_gbps": 100})
    for number in (0, 250, 599):
        mine = gantt(one, number)
        theirs = gantt(other, same_request(one, other, number))
        assert (mine.client, mine.prompt_tokens, mine.output_tokens) == (
            theirs.client,
            theirs.prompt_tokens,
            theirs.output_tokens,
        )
    assert same_request(one, one, 250) == 250
    with pytest.raises(RunError, match="no such request"):
        same_request(one, other, 600)
