"""Transfers on the line traced by hand: sharing, fifo, per-flow cap, cut, cancel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.deployments import round_pdd
from tests.given_requests import request, rows, simulation
from twin.engine.simulation import Simulation

AT_ONCE = {
    "model.active_params_b": 1e-9, "prefill.chip.peak_tflops": 1e5, "relay_decode": None
}  # fmt: skip
"""Prefill of no time to speak of (1e-13 s) and no relay: KV goes on the line on arrival."""

TEN_GBPS = {"line.bandwidth_gbps": 10, "line.per_flow_cap_gbps": 10}


def crossing(sizes_gb: Sequence[tuple[float, float]], settings: dict[str, Any]) -> Simulation:
    """Transfers of (time, GB), each a session of its own."""
    scenario = round_pdd({**AT_ONCE, **settings}, main_slots=50)
    given = [(t, request(gb * 1000, 1, session=n)) for n, (t, gb) in enumerate(sizes_gb)]
    return simulation(scenario, given)


def landings(sim: Simulation) -> list[float]:
    """When each KV has landed, by number of the request."""
    told = rows(sim)
    return [told[n]["arrival"] + told[n]["landed_after"] for n in sorted(told)]


def test_eight_transfers_together() -> None:
    """8 x 2.68 GB on 10 Gbps: 21.44 GB / 1.25 GB/s."""
    sim = crossing([(0.0, 2.68)] * 8, TEN_GBPS)
    sim.advance_to_end()
    assert landings(sim) == pytest.approx([17.152] * 8, abs=1e-9)


def test_four_more_at_eight_seconds() -> None:
    """At 8 s the first eight have 10 GB behind them and 11.44 GB to go, at 8/12 of the line:
    13.728 s; then the four share it."""
    sim = crossing([(0.0, 2.68)] * 8 + [(8.0, 2.68)] * 4, TEN_GBPS)
    sim.advance_to_end()
    assert landings(sim) == pytest.approx([21.728] * 8 + [25.728] * 4, abs=1e-9)


def test_a_flow_never_exceeds_its_cap() -> None:
    # 100 Gbps, 10 a flow: three of 1.25 GB take 1 s each, side by side
    sim = crossing([(0.0, 1.25)] * 3, {"line.bandwidth_gbps": 100, "line.per_flow_cap_gbps": 10})
    sim.advance_to_end()
    assert landings(sim) == pytest.approx([1.0] * 3, abs=1e-8)


def test_cap_is_payload_and_the_line_is_not() -> None:
    """Goodput share 0.5: the line carries 4 Gbps, of which one flow may still take its 3."""
    sim = crossing(
        [(0.0, 0.375), (10.0, 1.0), (10.0, 1.0)],
        {"line.goodput_share": 0.5, "line.per_flow_cap_gbps": 3},
    )
    sim.advance_to_end()
    assert landings(sim) == pytest.approx([1.0, 14.0, 14.0], abs=1e-8)


def test_first_come_first_served() -> None:
    sim = crossing([(0.0, 2.0), (0.5, 1.0), (0.6, 0.5), (10.0, 1.0)], {"line.discipline": "fifo"})
    sim.advance_to_end()
    assert landings(sim) == pytest.approx([2.0, 3.0, 3.5, 11.0], abs=1e-8)


def test_a_short_flow_passes_a_long_one() -> None:
    # .5 s alone, then both at half: the short one needs 1 s, the long one has 2 - .5 - .5 left
    sim = crossing([(0.0, 2.0), (0.5, 0.5)], {})
    sim.advance_to_end()
    assert landings(sim) == pytest.approx([2.5, 1.5], abs=1e-8)


def test_flows_in_their_latency_tail_leave_the_line_to_others() -> None:
    # RTT 1 s: 1 GB is through at 1.0 and lands at 1.5; the other comes at 1.0 and has all the line
    sim = crossing([(0.0, 1.0), (1.1, 1.0)], {"line.rtt_ms": 1000})
    sim.advance(1.2)
    line = sim.pipeline.line
    assert line is not None
    assert (line.alive, len(line.flows)) == (1, 2)
    sim.advance_to_end()
    assert landings(sim) == pytest.approx([1.5, 2.6], abs=1e-8)
    told = rows(sim)
    assert told[1]["estimate"] == pytest.approx(1.0 + 1.0, abs=1e-9)  # n counts no tails; + RTT


def test_estimate_counts_itself_and_the_flows_alive() -> None:
    sim = crossing([(0.0, 4.0), (0.5, 4.0), (0.6, 1.0)], {})
    sim.advance_to_end()
    told = rows(sim)
    assert [told[n]["estimate"] for n in range(3)] == pytest.approx([4.0, 8.0, 3.0], abs=1e-9)


def test_a_retransmission_timeout_delays_its_share() -> None:
    scenario = round_pdd({**AT_ONCE, "line.timeout_share": 0.25, "line.timeout_s": 0.32})
    given = [
        (0.0, request(100, 1, session=0, uniforms=(0, 0, 0, 0.24))),
        (1.0, request(100, 1, session=1, uniforms=(0, 0, 0, 0.26))),
    ]
    sim = simulation(scenario, given)
    sim.advance_to_end()
    assert landings(sim) == pytest.approx([0.42, 1.1], abs=1e-8)


def test_a_cut_line_stands_still_and_goes_on() -> None:
    sim = crossing([(0.0, 1.0)], {})
    sim.advance(0.25)
    sim.happen("line_cut")
    sim.advance(60.25)
    assert sim.pipeline.line is not None
    assert sim.pipeline.line.sent_bytes == pytest.approx(0.25e9)
    sim.happen("line_back")
    sim.advance_to_end()
    assert landings(sim) == pytest.approx([61.0], abs=1e-8)


def test_bandwidth_turned_while_a_transfer_crosses() -> None:
    sim = crossing([(0.0, 1.0)], {})
    sim.advance(0.5)
    sim.turn("line.bandwidth_gbps", 2)  # half a GB left at .25 GB/s
    sim.advance(1.5)
    sim.turn("line.bandwidth_gbps", 16)  # .25 GB left at 2 GB/s
    sim.advance_to_end()
    assert landings(sim) == pytest.approx([1.625], abs=1e-8)


def test_a_second_turn_waits_for_what_it_did_not_send() -> None:
    """In-flight deduplication: tokens of the session on the line are not sent a second time."""
    # first turn: 1 GB on the line from 0; the next at .2 hits 900 of 1,000: it sends .1 GB only,
    # which is there at .4 (half the line each), but its first part comes at 1.1
    given = [
        (0.0, request(1000, 1, session=0)),
        (0.2, request(1000, 1, hit=900, session=0, first_turn=False)),
    ]
    for deduplicated, sent_gb, landed in ((True, 0.1, 1.1), (False, 1.0, 2.0)):
        scenario = round_pdd({**AT_ONCE, "policy.in_flight_deduplication": deduplicated})
        sim = simulation(scenario, [(t, request(j.prompt, 1, j.hit, 0, j.first_turn))
                                    for t, j in given])  # fmt: skip
        sim.advance_to_end()
        told = rows(sim)
        assert told[1]["nbytes"] == pytest.approx(sent_gb * 1e9)
        assert 0.2 + told[1]["landed_after"] == pytest.approx(landed, abs=1e-8)
