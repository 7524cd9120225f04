"""L3: bytes over the line <= bandwidth x time."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import shipped
from tests.laws.runs import moments, reached
from tests.small_scenarios import scenarios
from twin.engine.line import SharedLine
from twin.engine.recorder import SAMPLE_COLUMNS
from twin.physics.line import UNLIMITED_BYTES_PER_S
from twin.scenario import Scenario

STEP_S = 3.0

CUT_SHORT = ("policy.cancel_finished_transfer", "policy.layerwise_transfer")
"""With these a transfer that has begun may be stopped."""


class Allowance:
    """Bytes that the line could have carried so far, by its capacity at each moment."""

    def __init__(self) -> None:
        self.nbytes = 0.0
        self.at = 0.0

    def settle(self, line: SharedLine, now: float) -> None:
        """Count the time since the last change with the capacity that was in force."""
        if not line.cut:
            self.nbytes += line.capacity * (now - self.at)
        self.at = now


@settings(max_examples=60)
@given(scenarios(same_site=False), st.integers(0, 3))
def test_never_more_than_it_can_carry(scenario: Scenario, seed: int) -> None:
    allowed, changed, was_cut = Allowance(), SharedLine.set_capacity, SharedLine.set_cut

    def set_capacity(self: SharedLine, rate: float, flow_cap: float, now: float) -> None:
        allowed.settle(self, now)
        changed(self, rate, flow_cap, now)

    def set_cut(self: SharedLine, cut: bool, now: float) -> None:
        allowed.settle(self, now)
        was_cut(self, cut, now)

    SharedLine.set_capacity, SharedLine.set_cut = set_capacity, set_cut
    try:
        for sim in moments(scenario, seed, STEP_S):
            line = sim.pipeline.line
            assert line is not None
            allowed.settle(line, sim.now)
            sent, busy_s = line.totals(sim.now)
            assert sent <= allowed.nbytes * (1 + 1e-9) + 1.0
            assert busy_s <= sim.now * (1 + 1e-12)
            assert sent <= line.asked_bytes * (1 + 1e-9) + 1.0
        policy = scenario.policy
        if not (policy.cancel_finished_transfer or policy.layerwise_transfer) and not any(
            event.setting in CUT_SHORT for event in scenario.events
        ):  # all that was asked has been sent, when all flows are through
            sim.advance(sim.now + 1e5)
            sent = line.totals(sim.now)[0]
            assert abs(sent - line.asked_bytes) <= 1e-6 * line.asked_bytes + 1.0
    finally:
        SharedLine.set_capacity, SharedLine.set_cut = changed, was_cut


def test_a_line_that_is_lost_is_full() -> None:
    """Beyond its capacity the line carries just that: 6.6 Gbps on `thin_line`."""
    sim = reached(shipped("thin_line", {"workload.clients": 220}), 1, 3000.0)
    series = sim.recorder.series()
    sent = series[:, SAMPLE_COLUMNS.index("line_bytes")]
    late = series[:, 0] >= 1500
    gbps = 8e-9 * (sent[late][-1] - sent[late][0]) / (series[late, 0][-1] - series[late, 0][0])
    assert 6.5 < gbps <= 7.6 * 0.87 * (1 + 1e-9)


def test_no_limit_is_far_above_any_setting() -> None:
    assert UNLIMITED_BYTES_PER_S > 1e6 * 1e9 / 8
