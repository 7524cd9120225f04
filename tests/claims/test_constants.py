"""One set of physical constants under all claims; all else that differs is told with its reason."""

from __future__ import annotations

import pytest

from tests.deployments import changed
from twin.claims import CROSS_DC, PDD, SAME_DC
from twin.economics import cost_units, cost_units_high
from twin.reproduction.cases import CASES, REFERENCE, scenario_of
from twin.reproduction.constants import (
    all_scenarios,
    conflicts,
    overrides,
    physical_constants,
    used_by,
)
from twin.reproduction.tensions import TENSIONS


def test_constants_are_the_same_in_all_deployments():
    assert conflicts(all_scenarios()) == []


@pytest.mark.parametrize(
    "path",
    [
        "main_decode.chip.decode_bandwidth_share", "prefill.chip.prefill_mfu", "line.rtt_ms",
        "line.goodput_share", "line.per_flow_cap_gbps", "model.kv_bytes_per_token",
        "model.decode_attention_gflop_per_token", "datacenter_a.rdma_setup_ms",
        "caches.memory_usable_share", "policy.handoff_ids_per_step", "policy.handoff_hop_ms",
    ],
)  # fmt: skip
def test_another_constant_is_seen(path):
    name = path.replace("main_decode.chip", "chip A").replace("prefill.chip", "chip A")
    value = dict(physical_constants(scenario_of(CROSS_DC)))[name]
    assert isinstance(value, int | float)
    other = changed(scenario_of(CROSS_DC), {path: value - 1 if value > 1 else value * 0.9})
    found = conflicts({**all_scenarios(), CROSS_DC: other})
    assert any(sentence.startswith(f"{name} is ") for sentence in found)


def test_every_deployment_serves_a_claim():
    assert all(used_by(case) for case in CASES)


def test_every_difference_is_told_once_with_claims_and_a_reason():
    told = overrides()
    assert all(one.claims and one.reason for one in told)
    assert len({(o.setting, o.value, o.reason) for o in told}) == len(told)
    assert not any(REFERENCE in one.cases for one in told)
    by_case = {case: {o.setting: o for o in told if case in o.cases} for case in CASES}
    line = by_case[CROSS_DC]["line.bandwidth_gbps"]
    assert (line.value, line.reference, line.claims) == (100, 10, ("C02", "C03", "C04", "C05"))
    assert by_case[SAME_DC]["line"].value == "absent"
    assert by_case["flood"]["workload.singular"].value == "there"
    assert set(by_case["catch_up"]) == {"policy.handoff_mode"}
    assert set(by_case["handoff_by_kv"]) == {"line.timeout_share", "workload"}
    assert by_case["swing"]["workload.clients"].value == 150


def test_with_what_is_told_a_deployment_is_the_reference_again():
    """Nothing that differs is left out: undone, the digest is that of the reference."""
    reference = scenario_of(REFERENCE)
    for case in CASES:
        data = scenario_of(case).model_dump(mode="json")
        theirs = reference.model_dump(mode="json")
        for one in overrides():
            if case in one.cases and one.setting != "workload":
                _undo(data, theirs, one.setting)
        data |= {key: theirs[key] for key in ("run", "prices")}  # one is told in part, one is not
        assert type(reference).model_validate(data).digest() == reference.digest(), case


def _undo(data, theirs, path):
    *above, last = path.split(".")
    for step in above:
        data, theirs = data[step], theirs[step]
    data[last] = theirs[last]


def test_the_break_even_of_the_line_is_the_one_told():
    """Tension 4: the line's price at which the saving is gone, at both prices of B."""
    pdd, same = scenario_of(PDD), cost_units(scenario_of(SAME_DC))
    high = cost_units_high(pdd)
    assert high is not None
    ends = [same - cost + pdd.prices.line for cost in (cost_units(pdd), high)]
    assert ends == [pytest.approx(6.6), pytest.approx(3.4)]
    assert "6.6 A" in TENSIONS[3].why
    assert "3.4 A" in TENSIONS[3].why
    assert len(TENSIONS) == 4


def test_prices_and_sla_are_the_same_wherever_they_stand():
    scenarios = all_scenarios().values()
    assert all(scenario.slo == scenario_of(PDD).slo for scenario in scenarios)
    pairs = {pair for s in scenarios for pair in s.prices.chips.items()}
    assert pairs == {("A", 1.0), ("B", 1.2)}
    assert {s.prices.line for s in scenarios if s.line is not None} == {0.35}
