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


def test_a_step_of_several_tokens() -> None:
    """Multi-token prediction: ITL is a part of the step, but ids are recomputed step by step."""
    # two tokens a step: RLD 10 ms, MD 5 ms a token; RLD from .435, KV at 1.4: 96.5 -> 96 tokens
    # catch-up from 96 ids: ext(96) = .0105 + .01 (.5 + 20) = .2155 -> 21.55 more at 10 ms
    # ext(21.55) = .0105 + .01 x 5.5 = .0655 -> 6.55; ext(6.55) = .0355 -> 3.55; gap ext(3.55)
    scenario = round_pdd({"model.tokens_per_step": 2, "datacenter_a.rdma_setup_ms": 15})
    row = served(scenario, [(0.0, request(1000, 300, uniforms=(0.5, 0, 0, 1)))])[0]
    leaves = 1.4 + 0.2155 + 0.0655 + 0.0355
    expected = exactly(
        prefill=0.4, transfer=0.035, first_step=0.015, relay=leaves - 0.45, handoff=0.0255,
        relay_made=128, main=(300 - 128) * 0.005,
    )  # fmt: skip
    assert (leaves - 0.435) / 0.01 == pytest.approx(128.15)
    assert told(row, expected) == expected


def test_the_phase_of_a_handoff() -> None:
    """Where in MD's running step the ids arrive: the half, or the request's own uniform."""
    for setting, phase in (("half", 0.5), ("uniform", 0.25)):
        scenario = round_pdd({"policy.handoff_phase": setting})
        row = served(scenario, [(0.0, request(1000, 100, uniforms=(0, 0.25, 0, 1)))])[0]
        assert row["gap"] == pytest.approx(0.0105 + 0.01 * (phase + 10), abs=1e-9)


@pytest.mark.parametrize(("tokens", "eager"), [(1, 48), (2, 96)])
def test_ids_are_recomputed_at_the_pace_of_the_instance_that_holds_the_slot(
    tokens: int, eager: int
) -> None:
    """tau_M is the whole step of that MD instance now: compute bound, 20 ms a request in it."""
    scenario = round_pdd(
        {"main_decode.chip.decode_compute_share": 0.02, "model.tokens_per_step": tokens,
         "policy.handoff_mode": "one_shot", "datacenter_a.rdma_setup_ms": 15}
    )  # fmt: skip
    # RLD from .435, KV at 1.4: 48.25 or 96.5 tokens
    others = [(0.0, request(1000, 900, hit=1000, session=n)) for n in (1, 2)]
    row = served(scenario, [*others, (0.0, request(1000, 150))])[2]
    assert row["relay_made"] == eager
    assert row["gap"] == pytest.approx(0.0105 + 0.04 * (0.5 + -(-eager // 5)), abs=1e-9)
    assert row["main"] == pytest.approx((150 - eager) * 0.06 / tokens, abs=1e-9)  # three in it


def test_a_join_puts_a_departure_off() -> None:
    """The timer of the first end comes too early then, and nobody leaves by it."""
    slow = {"main_decode.chip.decode_compute_share": 0.02}  # 20 ms a request of the batch
    first, second = request(1000, 100, session=0), request(500, 200, session=1)
    told_of = served(round_same_site(slow), [(0.0, first), (0.3, second)])
    # first: from .43 at 20 ms; second joins at .62: 90.5 tokens left at 40 ms: ends at 4.24
    # second has 109.5 left then, at 20 ms: ends at 6.43
    assert told_of[0]["total"] == pytest.approx(4.24, abs=1e-9)
    assert told_of[1]["total"] == pytest.approx(6.43 - 0.3, abs=1e-9)


@pytest.mark.parametrize(("others", "pipeline"), [(0, 3), (1, 3), (2, 1)])
def test_filter_reckons_with_the_present_pace_of_rld(others: int, pipeline: int) -> None:
    # compute bound: 20 ms a request in the batch; T_est of 4 GB is 4 s; 150 tokens predicted:
    # alone or beside one at 20 ms 3 s, beside two at 40 ms 6 s
    scenario = round_pdd(
        {"policy.singular_filter": True, "relay_decode.chip.decode_compute_share": 0.02}
    )
    kept = [(0.0, request(1000, 2000, session=n, predicted=1)) for n in range(others)]
    row = served(scenario, [*kept, (1.0, request(4000, 400, session=9, predicted=150))])[others]
    assert row["pipeline"] == pipeline


def test_the_least_used_instance_and_the_lowest_of_equals() -> None:
    sim = simulation(
        round_same_site({"main_decode.instances": 3, "prefill.instances": 4}),
        [(0.0, request(1000, 500, session=n)) for n in range(4)],
    )
    sim.advance(1.0)
    live = sim.pipeline.live
    assert [live[n].m_instance for n in range(4)] == [0, 1, 2, 0]
    assert [live[n].p_instance for n in range(4)] == [0, 1, 2, 3]


def test_prefill_goes_to_the_least_work_left() -> None:
    # P0 has .8 s, P1 .4 s of work; at .1 the third queues at P1, at .2 the fourth at P0
    lengths = (2000, 1000, 1000, 1000)
    sim = simulation(
        round_same_site({"prefill.instances": 2}),
        [(0.1 * max(0, n - 1), request(tokens, 10, session=n)) for n, tokens in enumerate(lengths)],
    )
    sim.advance_to_end()
    told_of = rows(sim)
    assert [told_of[n]["queue_p"] for n in range(4)] == pytest.approx([0, 0, 0.3, 0.6], abs=1e-9)


@pytest.mark.parametrize(("used", "pipeline"), [(2, 0), (1, 2)])
def test_load_gate_goes_by_the_least_used_relay(used: int, pipeline: int) -> None:
    """Closed while RLD holds `load_gate_high` slots: what would stay there goes to MD."""
    scenario = round_pdd(
        {"policy.p_rld": True, "policy.p_rld_threshold_s": 0.8, "policy.load_gate": True,
         "policy.load_gate_high": 2, "policy.load_gate_low": 1, "prefill.instances": 4}
    )  # fmt: skip
    before = [(0.0, request(1000, 500, session=n)) for n in range(used)]
    row = served(scenario, [*before, (1.0, request(1000, 10, session=9))])[used]
    assert row["pipeline"] == pipeline


def test_handoffs_by_the_load_of_rld() -> None:
    """With the load switch: one-shot while more than half of RLD's slots are in use."""
    for others, mode_gap in ((3, 0.0105 + 0.01 * 10.5), (0, 0.0255)):
        scenario = round_pdd(
            {"policy.handoff_load_switch": True, "policy.handoff_load_high": 0.5,
             "policy.handoff_load_low": 0.4, "policy.singular_filter": True,
             "prefill.instances": 4, "policy.singular_max_output_tokens": 900},
            relay_slots=6,
        )  # fmt: skip
        kept = [(0.0, request(1000, 800, session=n, predicted=1)) for n in range(others)]
        row = served(scenario, [*kept, (0.0, request(1000, 1000, session=9))])[others]
        assert row["gap"] == pytest.approx(mode_gap, abs=1e-9), others
