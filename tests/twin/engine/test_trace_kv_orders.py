"""Each order in which KV can come to main decode, traced by hand: before, while, after RLD."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deployments import round_pdd
from tests.given_requests import request, rows, served, simulation


def near(value: float) -> Any:
    return pytest.approx(value, abs=1e-9)


def test_kv_lands_while_rdma_still_runs() -> None:
    """An MD slot is held before RLD has the KV: RLD is cancelled, MD makes the first token."""
    # prefill -> .4; line 1 s -> 1.4; RDMA .02 + 2 s -> 2.42 comes too late
    scenario = round_pdd({"datacenter_a.rdma_setup_ms": 2000})
    sim = simulation(scenario, [(0.0, request(1000, 100, uniforms=(0.5, 0, 0, 1)))])
    sim.advance_to_end()
    row = rows(sim)[0]
    assert row["transfer"] == near(1.0)
    assert row["queue_slot"] == near(0.0)
    assert row["first_step"] == near(0.015)
    assert row["ttft"] == near(1.415)
    assert row["main"] == near(0.985)
    assert row["total"] == near(2.4)
    assert row["relay_made"] == 0
    assert row["gap"] == -1
    assert sim.pipeline.counts["relay_cancelled"] == 1


def test_kv_lands_while_rdma_runs_and_no_main_slot_is_free() -> None:
    """RLD starts meanwhile and hands over when the MD slot comes."""
    # MD's only slot is taken to 3.0: h = 1, lands at 0, 300 tokens
    # the other: prefill -> .4, KV -> 1.4, waits for MD; RDMA .02 + 1.51 -> RLD from 1.93
    # at 3.0: 1.07 / .02 = 53.5 -> 53 tokens; one-shot (at most 64): ext = .0105 + .01 (.5 + 11)
    scenario = round_pdd({"datacenter_a.rdma_setup_ms": 1510}, main_slots=1)
    full = request(1000, 300, hit=1000, session=1)
    row = served(scenario, [(0.0, full), (0.0, request(1000, 100))])[1]
    assert row["transfer"] == near(1.53)
    assert row["queue_slot"] == near(0.0)
    assert row["first_step"] == near(0.02)
    assert row["relay"] == near(3.0 - 1.95)
    assert row["relay_made"] == 53
    assert row["handoff"] == near(0.0105 + 0.01 * (0.5 + 11))
    assert row["main"] == near(0.47)
    assert row["landed_after"] == near(1.0)


def test_kv_lands_while_queued_for_rld() -> None:
    """All RLD slots are taken: MD starts it, and the place in RLD's queue is void."""
    scenario = round_pdd({"policy.singular_filter": True}, relay_slots=1)
    # blocker: prefill 0 - 1.6, RDMA .08 + .01 -> RLD 1.69, 300 tokens there -> 7.69
    blocker = request(4000, 300, session=0, predicted=100)
    # subject: prefill 1.6 - 2.0, RDMA -> 2.03, queued; KV alone on the line -> 3.0, MD to 13.0,
    # so that it is still there when RLD comes to its void place in the queue at 7.69
    subject = request(1000, 1000, session=1, predicted=1000)
    # behind: prefill 2.0 - 5.2, RDMA .16 + .01 -> 5.37, queued until 7.69; KV 8 s -> 13.2
    behind = request(8000, 700, session=2, predicted=1000)
    sim = simulation(scenario, [(0.0, blocker), (0.5, subject), (0.6, behind)])
    sim.advance(5.0)
    assert sim.pipeline.counts["relay_cancelled"] == 1
    sim.advance_to_end()
    told = rows(sim)
    assert told[0]["total"] == near(7.69)
    assert told[1]["queue_p"] == near(1.1)
    assert told[1]["transfer"] == near(1.0)
    assert told[1]["queue_slot"] == near(0.0)
    assert told[1]["first_step"] == near(0.01)
    assert told[1]["ttft"] == near(1.1 + 0.4 + 1.0 + 0.01)
    assert told[1]["total"] == near(12.5)
    assert told[1]["relay_made"] == 0
    assert told[2]["transfer"] == near(0.17)
    assert told[2]["queue_slot"] == near(7.69 - 5.37)
    assert told[2]["ttft"] == near(7.69 + 0.02 - 0.6)


def test_kv_lands_while_queued_for_both() -> None:
    """No slot anywhere: the first that comes free decides; here RLD, then MD."""
    scenario = round_pdd({"policy.singular_filter": True}, relay_slots=1, main_slots=1)
    blocker = request(4000, 100, session=0, predicted=50)  # RLD from 1.69 to 3.69
    full = request(1000, 500, hit=1000, session=3)  # MD from 0 to 5
    # subject: prefill 1.6 - 2.0, RDMA 2.03, KV 3.0; RLD from 3.69; MD slot at 5.0:
    # 1.31 / .02 = 65.5 -> 65 tokens -> catch-up: ext(65) = .0105 + .01 x 13.5 = .1455 (7.275 more)
    # ext(7.275) = .0105 + .01 x 2.5 = .0355 (1.775 more), ext(1.775) = .0255 the gap
    subject = request(1000, 200, session=1, predicted=1000)
    row = served(scenario, [(0.0, full), (0.0, blocker), (0.5, subject)])[2]
    assert row["transfer"] == near(0.03)
    assert row["queue_slot"] == near(3.69 - 2.03)
    leaves = 5.0 + 0.1455 + 0.0355
    assert row["relay"] == near(leaves - 3.71)
    assert row["relay_made"] == 74  # 1.491 / .02 = 74.55
    assert row["handoff"] == near(0.0255)
    assert row["main"] == near(1.26)
    assert row["total"] == near(leaves + 0.0255 + 1.26 - 0.5)


def test_kv_lands_before_the_first_token_of_rld() -> None:
    """Not one whole token is out: RLD's step is dropped and MD makes the first token."""
    scenario = round_pdd({"policy.relay_threshold_s": 0.01})
    given = request(1000, 10, hit=950, uniforms=(0.5, 0, 0, 1))
    row = served(scenario, [(0.0, given)])[0]
    # prefill ends .02, RLD from .05 (first token due at .08), KV lands at .07: no token yet
    # one-shot of nothing: hop .0105 + .01 x .5 = .0155 -> MD from .0855, first token at .1005
    assert row["relay_made"] == 0
    assert row["handoff"] == near(0.0)
    assert row["gap"] == near(0.0155)
    assert row["ttft"] == near(0.0855 + 0.015)
    assert row["main"] == near(0.1 - 0.015)
    assert row["first_step"] == near(0.1005 - 0.05)
    assert row["total"] == near(0.1855)


def test_kv_lands_while_rld_decodes_and_waits_for_a_main_slot() -> None:
    """RLD decodes on until MD has a slot, which is then held through the handoff to the end."""
    scenario = round_pdd(main_slots=1)
    full = request(1000, 300, hit=1000, session=1)  # MD from 0 to 3
    # subject: arrives 1.0, prefill -> 1.4, RLD from 1.43, KV 2.4, MD slot 3.0:
    # 1.57 / .02 = 78.5 -> 78 tokens; ext(78) = .0105 + .01 x 16.5 = .1755 (8.775 more)
    # ext(8.775) = .0105 + .01 x 2.5 = .0355 (1.775 more); gap ext(1.775) = .0255
    subject = request(1000, 200, session=2)
    # another of h = 1 comes at 3.1 in the middle of the handoff: MD's slot is held
    another = request(1000, 10, hit=1000, session=3)
    told = served(scenario, [(0.0, full), (1.0, subject), (3.1, another)])
    leaves = 3.0 + 0.1755 + 0.0355
    ends = leaves + 0.0255 + (200 - 89) * 0.01
    assert told[1]["relay_made"] == 89  # 1.781 / .02 = 89.05
    assert told[1]["relay"] == near(leaves - 1.45)
    assert told[1]["handoff"] == near(0.0255)
    assert told[1]["total"] == near(ends - 1.0)
    assert told[1]["queue_slot"] == near(0.0)
    assert told[2]["queue_slot"] == near(ends - 3.1)
    assert told[2]["ttft"] == near(ends + 0.01 - 3.1)


def test_kv_lands_after_rld_is_done() -> None:
    """RLD makes the whole answer; the KV serves the session's next turn."""
    sim = simulation(round_pdd(), [(0.0, request(1000, 20))])
    sim.advance(1.0)  # RLD from .43 to .83
    assert rows(sim)[0]["total"] == near(0.83)
    assert rows(sim)[0]["relay_made"] == 20
    assert rows(sim)[0]["landed_after"] == -1
    assert rows(sim)[0]["main"] == near(0.0)
    later = request(1000, 20)
    assert sim.pipeline.drc.held(later) == 0.0  # not yet
    sim.advance(2.0)
    assert sim.pipeline.drc.held(later) == 1000.0
    assert sim.pipeline.counts["landed"] == 1
    assert sim.pipeline.counts["landed_late"] == 1
    assert sim.pipeline.counts["finished"] == 1


def test_a_finished_request_can_stop_its_transfer() -> None:
    scenario = round_pdd({"policy.cancel_finished_transfer": True})
    sim = simulation(scenario, [(0.0, request(1000, 20, hit=200))])
    sim.advance(5.0)
    # prefill .32, RLD from .35 to .75; the transfer of .8 GB began at .32 and stops at .75
    line = sim.pipeline.line
    assert line is not None
    assert line.sent_bytes == pytest.approx(0.43e9, rel=1e-9)
    assert line.flows == {}
    assert sim.pipeline.drc.held(request(1000, 1)) == 200.0
    assert sim.pipeline.counts["landed"] == 0


def test_a_queued_request_that_rld_finishes_leaves_the_main_queue_void() -> None:
    """KV waits for an MD slot longer than RLD needs for the whole answer."""
    scenario = round_pdd(main_slots=1)
    full = request(1000, 500, hit=1000, session=1)  # MD from 0 to 5
    # subject: RLD from .43, 100 tokens -> 2.43; its KV landed at 1.4 and still waits
    subject = request(1000, 100, session=2)
    # last: arrives 2.0, nothing to send, third in MD's queue: gets the slot at 5.0
    last = request(1000, 10, hit=1000, session=3)
    told = served(scenario, [(0.0, full), (0.0, subject), (2.0, last)])
    assert told[1]["total"] == near(2.43)
    assert told[1]["relay_made"] == 100
    assert told[1]["landed_after"] == near(1.0)
    assert told[2]["queue_slot"] == near(3.0)
