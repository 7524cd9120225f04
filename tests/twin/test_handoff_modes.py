"""C16 as a lab: one-shot hiccups, catch-up does not, on the same requests."""

from __future__ import annotations

import pytest

from tests.deployments import shipped
from twin.errors import RunError
from twin.handoff_modes import ModeRun, mode_runs

PDD = shipped("pdd_43a_32b", {"run.requests": 8_000})


@pytest.fixture(scope="module")
def told() -> dict[str, ModeRun]:
    return {found.mode: found for found in mode_runs(PDD)}


def test_the_gap_that_the_user_sees(told):
    once, many, auto = told["one_shot"], told["catch_up"], told["auto"]
    assert once.gap.p99 > 1 and many.gap.p99 < 0.1 * once.gap.p99
    assert many.gap.p99 < auto.gap.p99 < once.gap.p99
    for found in told.values():
        assert len(found.gaps_s) == found.handoffs > 100
        assert (found.gaps_s[1:] >= found.gaps_s[:-1]).all()
        assert found.gap.max == found.gaps_s[-1]


def test_catch_up_keeps_rld_longer(told):
    assert told["catch_up"].relay_s > told["one_shot"].relay_s
    assert told["catch_up"].rld_token_share > told["one_shot"].rld_token_share


def test_the_threshold_and_the_ids_can_be_dragged(told):
    low, high = (
        mode_runs(PDD, modes=["auto"], auto_tokens=tokens)[0] for tokens in (0, 10**6)
    )  # fmt: skip
    assert (low.gaps_s == told["catch_up"].gaps_s).all()
    assert (high.gaps_s == told["one_shot"].gaps_s).all()
    wide = mode_runs(PDD, modes=["one_shot"], ids_per_step=50)[0]
    assert wide.gap.p99 < 0.3 * told["one_shot"].gap.p99


def test_a_deployment_without_a_relay_is_refused():
    with pytest.raises(RunError, match="relay_decode is absent"):
        mode_runs(shipped("same_dc_88a"))
