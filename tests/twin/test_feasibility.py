"""What crosses the line, against what it carries: by hand, by C11, and by what a run sends."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployments import shipped
from twin.engine.run import run
from twin.errors import RunError
from twin.feasibility import (
    Demand,
    KvSize,
    burst,
    line_need,
    line_needs,
    most_new_kv,
    seconds_for,
)
from twin.scenario import Line
from twin.stage_times import Asked, latency

PDD = shipped("pdd_43a_32b")
LINE = cast(Line, PDD.line)
KV = KvSize.of(PDD.model)


def test_c11_eighty_requests():
    found = burst(80, 65_536, KvSize(4_390), 1.0)
    assert found.nbytes == pytest.approx(23.0e9, rel=0.001)
    assert found.gbps == pytest.approx(184.1, abs=0.05)
    assert burst(80, 65_536, KvSize(4_390), 1.02).gbps == pytest.approx(180.5, abs=0.05)
    assert seconds_for(found.nbytes, 180.5) == pytest.approx(1.02, abs=0.001)


@given(
    rps=st.floats(0.01, 50), prompt=st.floats(1, 1e6), hit=st.floats(0, 0.999),
    per_token=st.floats(1, 1e6), fixed=st.floats(0, 1e9),
)  # fmt: skip
def test_bytes_and_gbps_agree(rps, prompt, hit, per_token, fixed):
    need = line_need(KvSize(per_token, fixed), Demand(rps, prompt, hit), LINE)
    assert need.bytes_whole == pytest.approx(prompt * per_token + fixed)
    assert need.gbps_sent == pytest.approx(rps * need.bytes_sent * 8e-9)
    assert need.gbps_raw == pytest.approx(need.gbps_sent / 0.87)
    assert need.bytes_sent <= need.bytes_whole
    assert need.saved_by_drc == pytest.approx(need.bytes_whole / need.bytes_sent)
    without = line_need(KvSize(per_token, fixed), Demand(rps, prompt, hit), LINE, drc=False)
    assert without.gbps_sent == pytest.approx(need.gbps_whole)


def test_the_published_traffic_by_hand():
    need = line_need(KV, Demand(2.5, 64_000, 0.9), LINE)
    assert need.gbps_sent == pytest.approx(2.5 * 6_400 * 46_488 * 8e-9)
    assert need.saved_by_drc == pytest.approx(10)
    assert need.verdict == "carries"
    assert line_need(KV, Demand(3.2, 64_000, 0.9), LINE).verdict == "tight"
    beyond = line_need(KV, Demand(2.5, 64_000, 0.9), LINE, drc=False)
    assert beyond.verdict == "does not carry"
    assert "does not carry it" in beyond.words


def test_nothing_new_sends_nothing_but_the_fixed_state():
    assert line_need(KV, Demand(1, 64_000, 1.0), LINE).saved_by_drc is None
    hybrid = line_need(KvSize(1_000, 5e6), Demand(1, 64_000, 1.0), LINE)
    assert hybrid.bytes_sent == 5e6


def test_a_line_without_a_limit_carries_all():
    endless = LINE.model_copy(update={"bandwidth_gbps": None})
    need = line_need(KV, Demand(1e4, 64_000, 0.0), endless)
    assert (need.load, need.verdict) == (None, "carries")


def test_several_models():
    found = line_needs({"small": KvSize(4_390), "large": KV}, Demand(2.5, 64_000, 0.9), LINE)
    assert found["small"].gbps_sent < found["large"].gbps_sent
    assert found["large"] == line_need(KV, Demand(2.5, 64_000, 0.9), LINE)


def test_the_most_that_prefill_can_make():
    """The sizing rule of the published line: research 7.65 Gbps."""
    most = most_new_kv(PDD)
    assert most.gbps == pytest.approx(7.65, rel=0.01)
    assert most.line_carries_it is True
    assert most_new_kv(shipped("thin_line")).line_carries_it is False
    assert most_new_kv(shipped("same_dc_88a")).line_carries_it is None


@pytest.mark.parametrize("name", ["prfaas_selective", "prfaas_naive"])
def test_what_formulas_cannot_say_is_refused(name):
    with pytest.raises(RunError, match="the most new KV is asked of profiles"):
        most_new_kv(shipped(name))
    with pytest.raises(RunError, match="the times of stages is asked of profiles"):
        latency(shipped(name), Asked(64_000, 0.9, 1000))


def test_prefill_in_b_of_chips_without_profiles_is_refused_too():
    with pytest.raises(RunError, match="is asked of prefill in B: a formula cannot say it"):
        most_new_kv(shipped("selective_42a_32b"))
    with pytest.raises(RunError, match="is asked of prefill in B: a formula cannot say it"):
        latency(shipped("selective_42a_32b"), Asked(64_000, 0.9, 1000))


def test_the_most_agrees_with_the_use_of_prefill_in_a_run():
    """In an open loop prefill is used to rate / most, whatever else happens."""
    scenario = shipped("pdd_43a_32b", {"workload.arrivals": "poisson", "workload.rate_rps": 2.0})
    used = run(scenario, 0, series=False).utilisation.prefill
    assert used == pytest.approx(2.0 / most_new_kv(PDD).rps, rel=0.03)
