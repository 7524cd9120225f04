"""One request of each pipeline traced by hand, every stage exact."""

from __future__ import annotations

from math import log2
from typing import Any

import pytest

from tests.deployments import round_pdd, round_same_site
from tests.given_requests import Row, request, rows, served, simulation

STAGES = (
    "queue_p", "prefill", "transfer", "queue_slot", "first_step", "output_overhead", "relay",
    "handoff", "main",
)  # fmt: skip


def exactly(**told: float) -> dict[str, Any]:
    """Expected columns, each within 1e-9; stages that are not named are 0."""
    return {name: pytest.approx(told[name], abs=1e-9) for name in told} | {
        name: pytest.approx(0, abs=1e-9) for name in STAGES if name not in told
    }


def told(row: Row, expected: dict[str, Any]) -> dict[str, float]:
    return {name: row[name] for name in expected}


def test_p_d() -> None:
    # prefill .4; RDMA 1 GB / 50 GB/s + .01; first token after (1 + .5) steps of 10 ms;
    # the last of 100 tokens comes 100 steps after joining
    row = served(round_same_site(), [(1.0, request(1000, 100, uniforms=(0.5, 0, 0, 1)))])[0]
    expected = exactly(
        arrival=1, prefill=0.4, transfer=0.03, first_step=0.015, main=0.985, ttft=0.445,
        total=1.43, relay_made=0, pipeline=4, nbytes=0,
    )  # fmt: skip
    assert told(row, expected) == expected


def test_p_md_with_the_tail_of_its_transfer() -> None:
    # a first turn: MD holds the shared 900 tokens, 100 are prefilled (.04 s) and sent (.1 GB, .1 s)
    # tail: RTT/2 = .01, slow start .02 log2(1 + 20 MB / 14.6 KB) - .02 (x = f RTT = 20 MB),
    # jitter .5 x .3 x .02 = .003
    slow_start = 0.02 * log2(1 + 2e7 / 14_600) - 0.02
    scenario = round_pdd(
        {"line.rtt_ms": 20, "line.slow_start": True, "line.jitter_share": 0.3,
         "line.per_flow_cap_gbps": 8}
    )  # fmt: skip
    given = request(1000, 50, hit=900, uniforms=(0.25, 0, 0.5, 1))
    row = served(scenario, [(0.0, given)])[0]
    transfer = 0.1 + 0.01 + slow_start + 0.003
    expected = exactly(
        prefill=0.04, transfer=transfer, first_step=0.0125, main=0.5 - 0.0125,
        ttft=0.04 + transfer + 0.0125, total=0.04 + transfer + 0.5, md_hit=900, nbytes=1e8,
        landed_after=transfer, estimate=0.12, pipeline=0, relay_made=0, gap=-1,
    )  # fmt: skip
    assert told(row, expected) == expected


def test_p_rld_md_by_one_shot() -> None:
    # RLD joins at .43, the KV of 1 GB lands at 1.4: 48.5 steps of 20 ms later, so 48 whole tokens
    # ext(48) = hop .0105 + 10 ms (1/2 + ceil(48/5)) = .1155; MD makes the other 52
    row = served(round_pdd(), [(0.0, request(1000, 100))])[0]
    expected = exactly(
        prefill=0.4, transfer=0.03, first_step=0.02, relay=1.4 - 0.45, handoff=0.1155, main=0.52,
        ttft=0.45, total=1.4 + 0.1155 + 0.52, relay_made=48, gap=0.1155, landed_after=1,
        estimate=1, pipeline=1, nbytes=1e9,
    )  # fmt: skip
    assert told(row, expected) == expected


def test_p_rld_md_by_catch_up() -> None:
    # 3,000 tokens: prefill 1.2, RDMA .06 + .01 -> RLD joins at 1.27; KV of 3 GB lands at 4.2
    # eager: 2.93 / .02 = 146.5 -> 146 tokens, more than 64
    # ext(146)    = .0105 + .01 (.5 + 30) = .3155 -> 15.775 tokens more meanwhile
    # ext(15.775) = .0105 + .01 (.5 + 4)  = .0555 ->  2.775 tokens more, at most w = 5: the last
    # ext(2.775)  = .0105 + .01 (.5 + 1)  = .0255 -> the gap the user sees
    # RLD leaves at 4.2 + .371 = 4.571: 3.301 / .02 = 165.05 -> 165 tokens; MD makes 135
    row = served(round_pdd(), [(0.0, request(3000, 300))])[0]
    expected = exactly(
        prefill=1.2, transfer=0.07, first_step=0.02, relay=4.571 - 1.29, handoff=0.0255,
        main=1.35, ttft=1.29, total=4.571 + 0.0255 + 1.35, relay_made=165, gap=0.0255,
        landed_after=3, pipeline=1,
    )  # fmt: skip
    assert told(row, expected) == expected


def test_catch_up_ends_after_six_batches() -> None:
    # MD as slow as RLD (20 ms) and one id a step: batches do not shrink below w.
    # ext(n) = .0105 + .02 (.5 + ceil n) = .0205 + .02 ceil n, next n = 1.025 + ceil n
    # RLD joins at .43, KV lands at 1.4: 48 tokens; batches 48, 49.025, 51.025, ..., 57.025
    scenario = round_pdd(
        {"policy.handoff_mode": "catch_up", "policy.handoff_ids_per_step": 1,
         "main_decode.chip.memory_tbytes_per_s": 1}
    )  # fmt: skip
    row = served(scenario, [(0.0, request(1000, 1000))])[0]
    steps = [48, 50, 52, 54, 56]
    leaves = 1.4 + sum(0.0205 + 0.02 * n for n in steps)
    gap = 0.0205 + 0.02 * 58
    made = int((leaves - 0.43) / 0.02)
    assert made == 313  # 313.625
    expected = exactly(
        prefill=0.4, transfer=0.03, first_step=0.02, relay=leaves - 0.45, handoff=gap,
        main=(1000 - 313) * 0.02, relay_made=313, gap=gap,
    )  # fmt: skip
    assert told(row, expected) == expected


def test_p_rld_stays_on_the_relay() -> None:
    scenario = round_pdd({"policy.p_rld": True, "policy.p_rld_threshold_s": 0.8})
    sim = simulation(scenario, [(0.0, request(1000, 100))])
    sim.advance_to_end()
    expected = exactly(
        prefill=0.4, transfer=0.03, first_step=0.02, relay=1.98, ttft=0.45, total=2.43,
        relay_made=100, pipeline=2, nbytes=0, landed_after=-1, gap=-1,
    )  # fmt: skip
    assert told(rows(sim)[0], expected) == expected
    assert sim.pipeline.line is not None
    assert sim.pipeline.line.asked_bytes == 0


def test_singular_filter_keeps_a_short_answer_on_the_relay() -> None:
    # predicted 100 tokens x 20 ms = 2 s < T_est of 4 GB = 4 s; it turns out to be 300 tokens
    scenario = round_pdd({"policy.singular_filter": True})
    row = served(scenario, [(0.0, request(4000, 300, predicted=100))])[0]
    expected = exactly(
        prefill=1.6, transfer=0.09, first_step=0.02, relay=5.98, ttft=1.71, total=7.69,
        relay_made=300, pipeline=3, nbytes=0, estimate=4,
    )  # fmt: skip
    assert told(row, expected) == expected


@pytest.mark.parametrize(
    ("predicted", "pipeline"),
    [(200.5, 1), (199.5, 3)],
    ids=["RLD would end after the KV came", "RLD would end before"],
)
def test_singular_filter_compares_prediction_with_the_transfer(
    predicted: float, pipeline: int
) -> None:
    # T_est of 4 GB is 4 s = 200 steps of RLD
    scenario = round_pdd({"policy.singular_filter": True})
    row = served(scenario, [(0.0, request(4000, 300, predicted=predicted))])[0]
    assert row["pipeline"] == pipeline


def test_first_turn_of_nothing_new_sends_nothing() -> None:
    # h = 1 and MD holds the shared prefix: no prefill work, no bytes, MD at once
    row = served(round_pdd(), [(2.0, request(1000, 10, hit=1000))])[0]
    expected = exactly(first_step=0.01, main=0.09, ttft=0.01, total=0.1, nbytes=0, pipeline=0)
    assert told(row, expected) == expected


def test_two_requests_share_a_growing_step() -> None:
    """ITL follows the batch: a join slows the requests that are there, a leave speeds them up."""
    # compute bound: .4 ms a request and MD's 10 ms hidden -> make compute 20 ms a request instead
    slow = {"main_decode.chip.decode_compute_share": 0.02}  # 1 GFLOP / (2.5 TFLOP/s x .02) = 20 ms
    first, second = request(1000, 100, session=0), request(500, 20, session=1)
    told_of = served(round_same_site(slow), [(0.0, first), (0.3, second)])
    # first: prefill 0-.4, RDMA -> .43, alone at 20 ms a token
    # second: prefill .4-.6, RDMA .02 -> .62: first has 9.5 tokens, both at 40 ms a token now
    # second ends at .62 + 20 x .04 = 1.42, first has 29.5; 70.5 left at 20 ms: ends at 2.83
    assert told_of[1]["arrival"] + told_of[1]["total"] == pytest.approx(1.42, abs=1e-9)
    assert told_of[0]["total"] == pytest.approx(2.83, abs=1e-9)
    assert told_of[0]["ttft"] == pytest.approx(0.45, abs=1e-9)
    assert told_of[1]["ttft"] == pytest.approx(0.62 + 0.04 - 0.3, abs=1e-9)
