"""TTFT holds every queue once and no cost twice (a fault of a comparable product)."""

from __future__ import annotations

import pytest

from tests.deployments import round_pdd
from tests.given_requests import Row, request, served

TTFT_STAGES = ("queue_p", "prefill", "transfer", "queue_slot", "first_step", "output_overhead")


def _subject(relay_slots: int) -> Row:
    """The third of three requests, the one that meets both queues.

    Line 1 Gbps: no KV lands before all is over. One that needs RLD: prefill 0 - .2, RDMA .02,
    RLD from .22 for 35 tokens -> .92. One of 600 cached tokens before a P of 2,500 tokens/s:
    prefill .2 - .24 (100 new). The subject comes at .12: P free at .24, prefill -> .64, RDMA .03
    -> .67, RLD free at .92.
    """
    scenario = round_pdd(
        {"line.bandwidth_gbps": 1, "policy.relay_threshold_s": 2,
         "policy.output_overhead_ms": 5},
        relay_slots=relay_slots,
    )  # fmt: skip
    holds_rld = request(500, 35, session=0)
    before_p = request(1000, 10, hit=900, session=1)
    subject = request(1000, 50, session=2)
    given = [(0.0, holds_rld), (0.01, before_p), (0.12, subject)]
    return served(scenario, given)[2]


@pytest.mark.parametrize(
    ("relay_slots", "queue_ms", "ttft_ms"), [(1, 250, 825), (2, 0, 575)], ids=["queue", "none"]
)
def test_ttft_is_the_sum_of_what_is_shown(relay_slots: int, queue_ms: int, ttft_ms: int) -> None:
    row = _subject(relay_slots)
    shown_ms = [round(row[stage] * 1e3, 6) for stage in TTFT_STAGES]
    assert shown_ms == [120, 400, 30, queue_ms, 20, 5]
    assert row["ttft"] * 1e3 == pytest.approx(ttft_ms, abs=1e-6)
    assert row["ttft"] <= row["total"]


def test_output_overhead_is_paid_once() -> None:
    # RLD from .67: 50 tokens x 20 ms; the first one told 5 ms after its step, the last at its end
    row = _subject(2)
    assert row["total"] == pytest.approx(0.67 + 50 * 0.02 - 0.12, abs=1e-9)
