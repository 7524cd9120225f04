"""Failures traced by hand: what is lost, what is kept, and what must not notice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deployments import round_pdd, round_same_site
from tests.given_requests import request, rows, simulation
from tests.invariants import check
from twin.engine.caches import SessionDecodeCache
from twin.engine.pools import DRAINING, UP
from twin.engine.simulation import Simulation
from twin.errors import RunError, TurnError


def near(value: float) -> Any:
    return pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("turned", [False, True], ids=["lost and back", "drained"])
def test_a_batch_does_not_notice_what_happens_to_other_main_instances(turned: bool) -> None:
    # alone at 20 ms a token on instance 1 (0 is lost first), from .43 for 100 tokens
    scenario = round_same_site({"main_decode.instances": 2})
    sim = simulation(scenario, [(0.0, request(1000, 100))])
    sim.happen("instance_lost", "main_decode", 0)
    sim.advance(1.0)
    if turned:
        sim.turn("main_decode.instances", 1)  # drains the very instance that decodes
    else:
        sim.happen("instance_back", "main_decode", 0)
    sim.advance_to_end()
    assert rows(sim)[0]["total"] == near(1.43)


def test_a_relay_batch_does_not_notice_what_happens_to_other_relay_instances() -> None:
    scenario = round_pdd(
        {"relay_decode.instances": 2, "policy.p_rld": True, "policy.p_rld_threshold_s": 0.5}
    )
    sim = simulation(scenario, [(0.0, request(1000, 100))])
    sim.happen("instance_lost", "relay_decode", 0)
    sim.advance(1.0)
    sim.happen("instance_back", "relay_decode", 0)
    sim.advance_to_end()
    assert rows(sim)[0]["total"] == near(2.43)


def test_a_main_batch_does_not_notice_a_stalled_handoff_that_ends_on_rld() -> None:
    # line of RTT 1 s: the first has left the line at 1.4 and lands at 1.9; the line is cut at 1.5
    scenario = round_pdd({"line.rtt_ms": 1000, "policy.relay_threshold_s": 1.2})
    stalled = request(1000, 100, session=0)  # RLD from .43 to 2.43
    beside = request(1000, 300, hit=1000, session=1)  # MD from .9 to 3.9
    sim = simulation(scenario, [(0.0, stalled), (0.0, beside)])
    sim.advance(1.5)
    sim.happen("line_cut")
    sim.advance(2.0)
    assert sim.pipeline.stalled == [0]
    sim.advance_to_end()
    assert rows(sim)[0]["total"] == near(2.43)
    assert rows(sim)[0]["relay_made"] == 100
    assert rows(sim)[1]["total"] == near(3.9)
    check(sim)
    cache = sim.pipeline.drc
    assert isinstance(cache, SessionDecodeCache)
    assert cache.pinned == {}
    assert cache.used_bytes() == pytest.approx(2e9)


def states(sim: Simulation, pool: str) -> list[int]:
    p = sim.pipeline
    named = {"prefill": p.prefill, "relay_decode": p.relay, "main_decode": p.main}[pool]
    assert named is not None
    return [i.state for i in named.instances]


@pytest.mark.parametrize("pool", ["prefill", "relay_decode", "main_decode"])
@pytest.mark.parametrize("lost_first", [True, False])
def test_an_instance_lost_and_no_longer_wanted_stays_away(pool: str, lost_first: bool) -> None:
    sim = simulation(round_pdd({f"{pool}.instances": 3}), [(0.0, request(1000, 10))])
    steps = [
        lambda: sim.happen("instance_lost", pool, 2),
        lambda: sim.turn(f"{pool}.instances", 2),
    ]
    for step in steps if lost_first else steps[::-1]:
        step()
    sim.happen("instance_back", pool, 2)
    assert states(sim, pool) == [UP, UP, DRAINING]
    sim.turn(f"{pool}.instances", 3)
    assert states(sim, pool) == [UP] * 3


def test_what_is_lost_twice_or_back_twice_is_told() -> None:
    sim = simulation(round_pdd({"prefill.instances": 2}), [(0.0, request(1000, 10))])
    sim.happen("instance_lost", "prefill", 1)
    with pytest.raises(TurnError, match=r"prefill\[1\] is lost"):
        sim.happen("instance_lost", "prefill", 1)
    sim.happen("instance_back", "prefill", 1)
    with pytest.raises(TurnError, match="only a lost one"):
        sim.happen("instance_back", "prefill", 1)
    with pytest.raises(TurnError, match=r"main_decode\[7\] is absent"):
        sim.happen("instance_lost", "main_decode", 7)
    with pytest.raises(RunError, match="line_cut"):
        sim.happen("earthquake")


def test_prefill_lost_in_the_middle_starts_again_elsewhere() -> None:
    # P0 has it from 0; lost at .3; P1 does the whole .4 again: .7, RDMA .73
    sim = simulation(round_pdd({"prefill.instances": 2}), [(0.0, request(1000, 10))])
    sim.advance(0.3)
    sim.happen("instance_lost", "prefill", 0)
    sim.advance_to_end()
    row = rows(sim)[0]
    assert row["queue_p"] == near(0.3)
    assert row["prefill"] == near(0.4)
    assert row["ttft"] == near(0.75)
    assert sim.pipeline.prefill.busy_s == near(0.7)


def test_no_prefill_instance_left_waits_for_one() -> None:
    sim = simulation(round_pdd(), [(0.0, request(1000, 10)), (0.1, request(500, 10, session=1))])
    sim.advance(0.2)
    sim.happen("instance_lost", "prefill", 0)
    sim.advance(5.0)
    assert sim.pipeline.homeless == [0, 1]
    sim.happen("instance_back", "prefill", 0)
    sim.advance_to_end()
    assert rows(sim)[0]["ttft"] == near(5.0 + 0.4 + 0.03 + 0.02)
    assert rows(sim)[1]["queue_p"] == near(5.3)


def test_relay_lost_while_it_relays() -> None:
    """What was streamed stays; MD goes on from it by one-shot when the KV is there."""
    # RLD from .43; lost at 1.0: 28.5 -> 28 tokens; KV lands at 1.4, nothing streams meanwhile
    # ext(28) = .0105 + .01 (.5 + 6) = .0755; MD makes 72
    sim = simulation(round_pdd(), [(0.0, request(1000, 100))])
    sim.advance(1.0)
    sim.happen("instance_lost", "relay_decode", 0)
    check(sim)
    sim.advance_to_end()
    row = rows(sim)[0]
    assert row["relay_made"] == 28
    assert row["relay"] == near(1.0 - 0.45)
    assert row["handoff"] == near(0.4 + 0.0755)
    assert row["main"] == near(0.72)
    assert row["total"] == near(1.4 + 0.0755 + 0.72)


def test_relay_lost_while_it_catches_up() -> None:
    # as test_p_rld_md_by_catch_up: handoff from 4.2, RLD would leave at 4.571; lost at 4.3:
    # 3.03 / .02 = 151.5 -> 151 tokens; MD: ext(151) = .0105 + .01 (.5 + 31) = .3255 from 4.3 on
    sim = simulation(round_pdd(), [(0.0, request(3000, 300))])
    sim.advance(4.3)
    sim.happen("instance_lost", "relay_decode", 0)
    check(sim)
    sim.advance_to_end()
    row = rows(sim)[0]
    assert row["relay_made"] == 151
    assert row["handoff"] == near(0.3255)
    assert row["total"] == near(4.3 + 0.3255 + 1.49)


def test_local_request_of_a_lost_relay_is_made_again() -> None:
    """Its KV was nowhere else: back to prefill, which computes only what was streamed."""
    # RLD from .43; lost at 1.0 with 28 tokens out; prefill of 28 tokens .0112 -> 1.0112; no relay
    # is up, so P-MD: the whole KV of the prompt, 1 s -> 2.0112; MD makes 72
    scenario = round_pdd({"policy.p_rld": True, "policy.p_rld_threshold_s": 0.5})
    sim = simulation(scenario, [(0.0, request(1000, 100))])
    sim.advance(1.0)
    sim.happen("instance_lost", "relay_decode", 0)
    check(sim)
    sim.advance_to_end()
    row = rows(sim)[0]
    assert row["ttft"] == near(0.45)
    assert row["relay_made"] == 28
    assert row["total"] == near(2.0112 + 0.72)
    assert sim.pipeline.counts["redone"] == 1


def test_main_lost_while_it_decodes() -> None:
    """KV is gone with the instance: prefill computes the streamed tokens, the prompt is resent."""
    # hit 1,000: MD from 0, first token .01; instance 0 lost at .505 with 50 tokens out
    # prefill of 50 tokens .02 -> .525; all 1,000 tokens again -> RLD (1 s > theta):
    # RDMA .03 -> RLD .555, KV at 1.525: 48.5 -> 48 more tokens, 98 ids to hand over: catch-up
    # ext(98) = .0105 + .01 x 20.5 = .2155 (10.775 more), ext(10.775) = .0455 (2.275), gap .0255
    # RLD makes all but the last one meanwhile: MD must make at least one
    scenario = round_pdd({"main_decode.instances": 2})
    sim = simulation(scenario, [(0.0, request(1000, 100, hit=1000))])
    sim.advance(0.505)
    sim.happen("instance_lost", "main_decode", 0)
    check(sim)
    sim.advance_to_end()
    row = rows(sim)[0]
    assert row["ttft"] == near(0.01)
    assert sim.pipeline.counts["redone"] == 1
    assert row["nbytes"] == pytest.approx(1e9)
    assert row["relay_made"] == 49
    assert row["total"] == near(1.525 + 0.2155 + 0.0455 + 0.0255 + 0.01)


def test_ids_wait_for_a_cut_line() -> None:
    # RTT 1 s: KV has left the line at 1.4 and lands at 1.9; the line is cut from 1.5 to 2.2
    # RLD from .43: at 2.2 1.77 / .02 = 88.5 -> 88 tokens, catch-up:
    # ext(88) = .0105 + .01 x 18.5 = .1955 (9.775 more), ext(9.775) = .0355 (1.775), gap .0255
    scenario = round_pdd({"line.rtt_ms": 1000})
    sim = simulation(scenario, [(0.0, request(1000, 200))])
    sim.advance(1.5)
    sim.happen("line_cut")
    sim.advance(2.2)
    assert sim.pipeline.stalled == [0]
    check(sim)
    sim.happen("line_back")
    check(sim)
    sim.advance_to_end()
    row = rows(sim)[0]
    leaves = 2.2 + 0.1955 + 0.0355
    assert row["landed_after"] == near(1.5)
    assert row["relay_made"] == 100  # 2.001 / .02
    assert row["total"] == near(leaves + 0.0255 + 1.0)


def test_a_cut_line_relays_everything_that_comes() -> None:
    """No estimate is short enough; nothing is lost, and it lands when the line is back."""
    sim = simulation(round_pdd(), [(1.0, request(1000, 50, hit=990))])
    sim.happen("line_cut")
    sim.advance(10.0)
    assert rows(sim)[0]["pipeline"] == 1
    assert rows(sim)[0]["relay_made"] == 50
    assert sim.pipeline.drc.held(request(1000, 1)) == 990
    sim.happen("line_back")
    sim.advance(10.02)
    assert sim.pipeline.drc.held(request(1000, 1)) == 1000
