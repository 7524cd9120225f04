"""The stages of one request agree with what the engine does with a lone one, second for second."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployments import round_pdd, shipped
from tests.given_requests import request, served
from twin.policy import P_MD, P_RLD, P_RLD_MD, PIPELINES
from twin.scenario import Scenario
from twin.stage_times import Asked, Latency, latency

HALVES = (0.5, 0.5, 0.5, 1.0)
"""Everything drawn is at its mean, and no transfer meets a timeout."""


def engine_says(scenario: Scenario, asked: Asked) -> dict[str, float]:
    prompt = asked.prompt_tokens
    alone = request(prompt, asked.output_tokens, prompt * asked.hit_share, uniforms=HALVES)
    return served(scenario, [(0.0, alone)])[0]


def stage(told: Latency, name: str) -> float:
    return sum(s.seconds for s in told.stages if s.stage == name)


def agrees(scenario: Scenario, asked: Asked) -> None:
    told, row = latency(scenario, asked), engine_says(scenario, asked)
    assert PIPELINES[int(row["pipeline"])] == told.pipeline
    for name in ("prefill", "transfer", "first_step", "relay", "handoff", "main"):
        assert stage(told, name) == pytest.approx(row[name], abs=1e-6), name
    assert told.ttft_s == pytest.approx(row["ttft"], abs=1e-6)
    assert told.total_s == pytest.approx(row["total"], abs=1e-6)
    assert told.relay_tokens == row["relay_made"]
    assert told.estimate_s is None or told.estimate_s == pytest.approx(row["estimate"])


@pytest.mark.parametrize(
    "name", ["pdd_43a_32b", "same_dc_88a", "cross_dc_plain", "thin_line", "one_shot_hiccup"]
)
@given(
    prompt=st.integers(1_000, 200_000), hit=st.floats(0, 0.99), out=st.integers(20, 3_000)
)  # fmt: skip
def test_a_lone_request_of_the_shipped_deployments(name, prompt, hit, out):
    agrees(shipped(name), Asked(float(prompt), hit, out))


@given(prompt=st.integers(600, 5_000), hit=st.floats(0, 0.9), out=st.integers(20, 400))
def test_a_lone_request_of_round_numbers(prompt, hit, out):
    agrees(round_pdd(), Asked(float(prompt), hit, out))


def test_by_hand():
    """1,000 new tokens: prefill .4, RDMA .03, line 1 s; RLD 20 ms, MD 10 ms a step."""
    told = latency(round_pdd(), Asked(1_000.0, 0.0, 100))
    assert told.pipeline == "P-RLD-MD"
    assert told.ttft_s == pytest.approx(0.4 + 0.03 + 0.03)
    assert (told.transfer_s, told.hidden_s) == (pytest.approx(1.0), pytest.approx(0.97))


def test_the_relay_hides_the_line_and_a_given_pipeline_does_not():
    pdd, asked = shipped("pdd_43a_32b"), Asked(64_000.0, 0.5, 1_000)
    relayed, direct = latency(pdd, asked, P_RLD_MD), latency(pdd, asked, P_MD)
    assert latency(pdd, asked) == relayed
    assert direct.hidden_s == 0 < relayed.hidden_s
    assert direct.ttft_s - relayed.ttft_s == pytest.approx(relayed.hidden_s, abs=0.02)
    assert latency(pdd, asked, P_RLD).relay_tokens == 0  # not relayed: RLD keeps it


def test_company_takes_longer():
    pdd = shipped("pdd_43a_32b")
    alone = latency(pdd, Asked(64_000.0, 0.9, 1_000))
    busy = latency(pdd, Asked(64_000.0, 0.9, 1_000, relay_batch=20, main_batch=20, flows=5))
    assert stage(busy, "main") > 1.2 * stage(alone, "main")
    assert busy.estimate_s is not None and alone.estimate_s is not None
    assert busy.estimate_s > 5 * alone.estimate_s
    assert busy.pipeline == "P-RLD-MD"


def test_limits():
    tight = shipped("pdd_43a_32b", {"slo.total_s": 15.0, "slo.ttft_s": 1.0})
    told = latency(tight, Asked(64_000.0, 0.9, 1_000, main_batch=10))
    assert (told.total_holds, told.ttft_holds) == (False, False)
    easy = latency(shipped("pdd_43a_32b"), Asked(64_000.0, 0.9, 1_000))
    assert (easy.total_holds, easy.ttft_holds) == (True, None)
