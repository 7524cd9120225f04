"""Prefill in B, layer-wise transfer and measured profiles traced by hand, every stage exact."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deployments import changed, round_pdd
from tests.given_requests import request, rows, served, simulation
from tests.twin.engine.test_trace_pipelines import exactly, told
from twin.engine.caches import SessionPromptCache
from twin.engine.checkpoint import capture, digest, pack, restore, unpack
from twin.engine.frame import PLACES, PLACES_IN_B, frame
from twin.engine.simulation import Simulation
from twin.scenario import Scenario

DIRECT = {"policy.relay_threshold_s": 100}
LAYERWISE = {"policy.layerwise_transfer": True}


def round_selective(threshold: float | None, settings: dict[str, Any] | None = None) -> Scenario:
    """`round_pdd` without relays, whose B prefills as fast as its A (400 ms for 1,000 tokens)."""
    scenario = round_pdd({**DIRECT, "datacenter_b.rdma_setup_ms": 10})
    beside = scenario.prefill.model_dump(mode="json")
    rules = {"policy.selective_prefill": True, "policy.selective_threshold_tokens": threshold}
    return changed(scenario, {"prefill_b": beside, **rules, **(settings or {})})


def test_pb_md() -> None:
    # as in A: prefill .4; then by RDMA inside B, 1 GB / 50 GB/s + .01, and nothing crosses
    given = request(1000, 100, uniforms=(0.5, 0, 0, 1))
    row = served(round_selective(1000), [(1.0, given)])[0]
    expected = exactly(
        arrival=1, prefill=0.4, transfer=0.03, first_step=0.015, main=0.985, ttft=0.445,
        total=1.43, relay_made=0, pipeline=6, nbytes=0, landed_after=0.03, md_hit=0, estimate=0,
    )  # fmt: skip
    assert told(row, expected) == expected


def test_what_was_prefilled_in_b_is_held_there_once_it_is_beside_main_decode() -> None:
    sim = simulation(round_selective(1000), [(0.0, request(1000, 100))])
    held = []
    for until in (0.42, 0.44, 2.0):
        sim.advance(until)
        held.append(sim.pipeline.drc.held(request(1000, 1)))
    assert held == [0, 1000, 1100]  # in RDMA; L; L + out


def test_one_token_above_the_threshold_prefills_in_a() -> None:
    row = served(round_selective(999), [(1.0, request(1000, 100, uniforms=(0.5, 0, 0, 1)))])[0]
    expected = exactly(
        prefill=0.4, transfer=1, first_step=0.015, main=0.985, pipeline=0, nbytes=1e9
    )
    assert told(row, expected) == expected


def test_the_two_sites_prefill_at_the_same_time() -> None:
    """Each has its own queue: two long ones wait for each other, the short ones do not."""
    lengths = (1000, 1000, 500, 500)
    given = [(0.0, request(tokens, 10, session=n)) for n, tokens in enumerate(lengths)]
    row = served(round_selective(500), given)
    assert [row[n]["queue_p"] for n in range(4)] == pytest.approx([0, 0.4, 0, 0.2], abs=1e-9)
    assert [row[n]["pipeline"] for n in range(4)] == [0, 0, 6, 6]


def test_what_each_site_holds_of_a_session() -> None:
    """A misses what was computed in B: there the session goes on behind its common prefix."""
    scenario = round_selective(500)
    turns = [
        (0.0, request(1000, 100)),  # A computes 1,000 and sends them
        (10.0, request(1000, 100, hit=900, first_turn=False)),  # B holds 1,100: it computes 100
        (20.0, request(1000, 100, hit=950, first_turn=False)),  # threshold 0 by now
    ]
    sim = simulation(scenario, turns)
    sim.advance(15.0)
    prompts = sim.pipeline.prompts
    assert isinstance(prompts, SessionPromptCache)
    assert prompts.entries == {0: 900}
    sim.turn("policy.selective_threshold_tokens", 0)
    sim.advance_to_end()
    told_of = rows(sim)
    assert [told_of[n]["pipeline"] for n in range(3)] == [0, 6, 0]
    assert [told_of[n]["hit"] for n in range(3)] == [0, 900, 900]  # A holds 900 of the 950
    assert [told_of[n]["md_hit"] for n in range(3)] == [0, 900, 900]
    assert [told_of[n]["prefill"] for n in range(3)] == pytest.approx([0.4, 0.04, 0.04], abs=1e-9)
    assert [told_of[n]["nbytes"] for n in range(3)] == pytest.approx([1e9, 0, 1e8])


def test_without_a_cache_in_b_it_computes_the_whole_prompt() -> None:
    scenario = round_selective(1000, {"caches.drc_enabled": False})
    row = served(scenario, [(0.0, request(1000, 100, hit=900))])[0]
    assert (row["pipeline"], row["hit"], row["prefill"]) == (6, 0, pytest.approx(0.4))


def test_the_switch_turned_while_it_runs() -> None:
    sim = simulation(round_selective(1000), [(3.0 * n, request(1000, 10)) for n in range(3)])
    sim.advance(2.0)
    sim.turn("policy.selective_prefill", False)
    sim.advance(5.0)
    sim.turn("policy.selective_prefill", True)
    sim.advance_to_end()
    assert [rows(sim)[n]["pipeline"] for n in range(3)] == [6, 0, 6]


def test_an_instance_of_prefill_in_b_is_lost() -> None:
    # PB0 works from 0 to .4 and is lost at .1; PB1 takes it from the start: .1 to .5
    scenario = round_selective(1000, {"prefill_b.instances": 2})
    sim = simulation(scenario, [(0.0, request(1000, 10))])
    sim.advance(0.1)
    sim.happen("instance_lost", "prefill_b", 0)
    sim.advance_to_end()
    row = rows(sim)[0]
    assert (row["queue_p"], row["prefill"]) == pytest.approx((0.1, 0.4), abs=1e-9)
    assert row["pipeline"] == 6
    assert sim.pipeline.prefill.busy_s == 0


def test_it_waits_for_its_own_site() -> None:
    sim = simulation(round_selective(1000), [(0.2, request(1000, 10))])
    sim.happen("instance_lost", "prefill_b", 0)
    sim.advance(5.0)
    assert sim.pipeline.homeless == [0]
    sim.happen("instance_back", "prefill_b", 0)
    sim.advance_to_end()
    assert rows(sim)[0]["queue_p"] == pytest.approx(4.8, abs=1e-9)


def test_where_a_request_of_b_is_seen() -> None:
    sim = simulation(round_selective(1000), [(0.0, request(1000, 100, session=n)) for n in (0, 1)])
    sim.advance(0.1)
    shown = frame(sim)
    places = PLACES + PLACES_IN_B
    seen = [(places[entry[2]], entry[1], entry[4]) for entry in shown["requests"]]
    assert seen == [("pb", 6, 0.25), ("pb_queue", 6, 0.25)]
    assert shown["counts"]["pb"] == shown["counts"]["pb_queue"] == 1
    assert shown["prefill_b"] == [{"busy": True, "backlog_s": 0.7, "state": "up"}]
    assert shown["prefill"] == [{"busy": False, "backlog_s": 0.0, "state": "up"}]
    sim.advance(0.415)
    assert places[frame(sim)["requests"][0][2]] == "rdma"
    assert "prefill_b" not in frame(simulation(round_pdd(), []))


# Layer-wise: 16 groups of layers of 62.5 MB, one every 25 ms of the prefill of 400 ms.


def test_overlap_on_a_line_slower_than_prefill() -> None:
    # the first group leaves at .025, and the line (1 GB/s) is never idle from then on: 1.025
    row = served(round_pdd({**DIRECT, **LAYERWISE}), [(0.0, request(1000, 100))])[0]
    expected = exactly(
        prefill=0.4, transfer=0.625, first_step=0.01, main=0.99, total=2.025, nbytes=1e9,
        landed_after=0.625, estimate=0.625, pipeline=0,
    )  # fmt: skip
    assert told(row, expected) == expected


def test_overlap_on_a_line_faster_than_prefill() -> None:
    # 8 GB/s: each group has left before the next one is computed, and only the last one is waited
    # for: 62.5 MB / 8 GB/s
    scenario = round_pdd({**DIRECT, **LAYERWISE, "line.bandwidth_gbps": 64})
    sim = simulation(scenario, [(0.0, request(1000, 100))])
    sim.advance(0.05 + 0.001)
    line = sim.pipeline.line
    assert line is not None
    assert line.alive == 1
    assert frame(sim)["crossing"] == [[0, -1, pytest.approx((62.5 + 8) / 1000, abs=1e-3), 0]]
    sim.advance(0.07)
    assert line.alive == 0
    assert line.totals(0.07)[0] == pytest.approx(125e6)
    sim.advance_to_end()
    expected = exactly(
        prefill=0.4, transfer=0.0078125, first_step=0.01, main=0.99, nbytes=1e9,
        landed_after=0.0078125, estimate=0.0078125,
    )  # fmt: skip
    row = rows(sim)[0]
    assert told(row, expected) == expected
    assert line.totals(sim.now) == pytest.approx((1e9, 0.125))


def test_the_latency_tail_comes_once() -> None:
    scenario = round_pdd({**DIRECT, **LAYERWISE, "line.bandwidth_gbps": 64, "line.rtt_ms": 40})
    row = served(scenario, [(0.0, request(1000, 100))])[0]
    assert row["landed_after"] == pytest.approx(0.0078125 + 0.02, abs=1e-9)


def test_two_overlapped_transfers_share_the_line() -> None:
    # equal pieces at equal times at half the rate each: 2 GB by 1 GB/s from .025 on
    scenario = round_pdd({**DIRECT, **LAYERWISE, "prefill.instances": 2})
    row = served(scenario, [(0.0, request(1000, 10, session=n)) for n in (0, 1)])
    assert [row[n]["landed_after"] for n in (0, 1)] == pytest.approx([1.625, 1.625], abs=1e-9)


def test_a_relay_reckons_with_what_is_still_to_send() -> None:
    # at .4 there are .625 GB left: relayed; RLD joins at .43, KV lands at 1.025 after 29.75 tokens
    # ext(29) = .0105 + .01 (.5 + 6) = .0755
    row = served(round_pdd(LAYERWISE), [(0.0, request(1000, 100))])[0]
    expected = exactly(
        prefill=0.4, transfer=0.03, first_step=0.02, relay=1.025 - 0.45, handoff=0.0755, main=0.71,
        relay_made=29, estimate=0.625, landed_after=0.625, pipeline=1, nbytes=1e9,
    )  # fmt: skip
    assert told(row, expected) == expected
    less = served(round_pdd({**LAYERWISE, "policy.relay_threshold_s": 0.63}), [
        (0.0, request(1000, 100))
    ])  # fmt: skip
    assert less[0]["pipeline"] == 0


def test_what_stays_on_the_relay_is_withdrawn_from_the_line() -> None:
    scenario = round_pdd({**LAYERWISE, "policy.p_rld": True, "policy.p_rld_threshold_s": 0.5})
    sim = simulation(scenario, [(0.0, request(1000, 100))])
    sim.advance_to_end()
    row, line = rows(sim)[0], sim.pipeline.line
    assert line is not None
    assert (row["pipeline"], row["nbytes"], row["landed_after"]) == (2, 0, -1)
    assert line.totals(sim.now)[0] == pytest.approx(0.375e9)  # until .4: wasted
    assert not line.flows
    assert not line.pieces


def test_a_prefill_that_is_lost_takes_its_transfer_with_it() -> None:
    # lost at .2, when .175 GB have crossed; begun anew at .2: .225 to 1.225
    scenario = round_pdd({**DIRECT, **LAYERWISE, "prefill.instances": 2})
    sim = simulation(scenario, [(0.0, request(1000, 10))])
    sim.advance(0.2)
    sim.happen("instance_lost", "prefill", 0)
    sim.advance_to_end()
    row, line = rows(sim)[0], sim.pipeline.line
    assert line is not None
    assert row["landed_after"] == pytest.approx(0.625, abs=1e-9)
    assert row["queue_p"] == pytest.approx(0.2, abs=1e-9)
    assert line.totals(sim.now)[0] == pytest.approx(1.175e9)


def test_overlap_switched_off_in_the_middle_of_a_prefill() -> None:
    # the groups of .025 to .2 have come, .5 GB; from .4 on the other half: .4 + .5 < .525 + .5
    sim = simulation(round_pdd({**DIRECT, **LAYERWISE}), [(0.0, request(1000, 10))])
    sim.advance(0.21)
    sim.turn("policy.layerwise_transfer", False)
    sim.advance_to_end()
    assert rows(sim)[0]["landed_after"] == pytest.approx(1.025 - 0.4, abs=1e-9)
    sim = simulation(round_pdd({**DIRECT, **LAYERWISE}), [(0.0, request(1000, 10))])
    sim.advance(0.03)
    sim.turn("policy.layerwise_transfer", False)
    sim.advance_to_end()
    assert rows(sim)[0]["landed_after"] == pytest.approx(1 - 0.0625, abs=1e-9)


def test_a_line_cut_in_the_middle_of_an_overlapped_transfer() -> None:
    # cut from .2 to 1.2; routed at .4 over a cut line, so RLD (100 x 20 ms from .43) steps in
    sim = simulation(round_pdd({**DIRECT, **LAYERWISE}), [(0.0, request(1000, 100))])
    sim.advance(0.2)
    sim.happen("line_cut")
    sim.advance(1.2)
    sim.happen("line_back")
    sim.advance_to_end()
    row = rows(sim)[0]
    assert (row["pipeline"], row["landed_after"]) == (1, pytest.approx(1.625, abs=1e-9))


@pytest.mark.parametrize("at_s", [0.0, 0.02, 0.11, 0.3, 0.4, 0.9])
def test_a_copy_goes_on_as_if_nothing_had_happened(at_s: float) -> None:
    scenario = round_selective(500, LAYERWISE)

    def fresh() -> Simulation:
        lengths = (400, 500, 600, 700, 800)
        given = [(0.05 * n, request(t, 50, session=n)) for n, t in enumerate(lengths)]
        return simulation(scenario, given)

    sim = fresh()
    sim.advance(at_s)
    copy = restore(unpack(pack(capture(sim))), fresh().load)
    copy.load.came, copy.load.clock = sim.load.came, copy.clock  # type: ignore[attr-defined]
    copy.load.pipeline = copy.pipeline  # type: ignore[attr-defined]
    assert digest(copy) == digest(sim)
    sim.advance(5.0)
    copy.advance(5.0)
    assert digest(copy) == digest(sim)
    assert len(rows(sim)) == 5


# Profiles.


def test_a_request_of_a_measured_deployment() -> None:
    # prefill: f(1500) - f(500) + f(0) = .6 - .4 + .3; KV that B does not hold: 650 - 350 + 200 MB;
    # alone in the batch 15 ms a token
    scenario = round_pdd(
        {
            **DIRECT,
            "model.kv_profile": [
                {"tokens": 1000, "kv_bytes": 5e8}, {"tokens": 2000, "kv_bytes": 8e8}
            ],
            "prefill.profile": {
                "prefill": [{"tokens": 1000, "seconds": 0.5}, {"tokens": 2000, "seconds": 0.7}]
            },
            "main_decode.profile": {
                "itl": [{"batch": 1, "itl_ms": 15}, {"batch": 3, "itl_ms": 25}]
            },
        }
    )  # fmt: skip
    row = served(scenario, [(0.0, request(1500, 50, hit=500))])[0]
    expected = exactly(
        prefill=0.5, transfer=0.5, first_step=0.015, main=0.735, total=1.75, nbytes=5e8,
        landed_after=0.5, md_hit=500,
    )  # fmt: skip
    assert told(row, expected) == expected


def test_measured_itl_by_the_batch_and_measured_slots() -> None:
    # two at 20 ms a token; the third finds no slot until both are done
    profile = {"itl": [{"batch": 1, "itl_ms": 15}, {"batch": 3, "itl_ms": 25}], "slots": 2}
    scenario = round_pdd({**DIRECT, "main_decode.profile": profile})
    given = [(0.0, request(1000, 100, hit=1000, session=n)) for n in range(3)]
    row = served(scenario, given)
    assert [row[n]["total"] for n in range(3)] == pytest.approx([2, 2, 2 + 1.5], abs=1e-9)
    assert row[2]["queue_slot"] == pytest.approx(2, abs=1e-9)


def test_a_relay_that_is_measured() -> None:
    # RLD joins at .435 and makes a token each 10 ms until the KV lands at 1.4: 96.5
    profile = {"itl": [{"batch": 1, "itl_ms": 10}]}
    settings = {
        "relay_decode.profile": profile, "policy.handoff_mode": "one_shot",
        "datacenter_a.rdma_setup_ms": 15,
    }  # fmt: skip
    row = served(round_pdd(settings), [(0.0, request(1000, 200))])[0]
    assert row["relay_made"] == 96
    assert row["ttft"] == pytest.approx(0.445, abs=1e-9)
