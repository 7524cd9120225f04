"""What a scenario takes and refuses, whoever makes it."""

import math

import pytest
from pydantic import ValidationError

from twin.errors import Problem
from twin.scenario import (
    Chip,
    CrossProblems,
    Datacenter,
    Line,
    Policy,
    Pool,
    Prices,
    RunPlan,
    Scenario,
    ScriptedEvent,
    ServedModel,
    SingularTraffic,
    Workload,
    decode_slots,
)

CHIP = Chip(name="A", peak_tflops=312, memory_gb=80, memory_tbytes_per_s=2.04)
MODEL = ServedModel(
    name="m",
    total_params_b=744,
    active_params_b=40,
    weights_gb=395,
    dense_weights_gb=20,
    kv_bytes_per_token=46_488,
)
POOL = Pool(chip=CHIP, instances=2, chips_per_instance=8)


def scenario(**changes):
    return Scenario(**{"name": "s", "model": MODEL, "prefill": POOL, "main_decode": POOL} | changes)


def changed_model(**changes):
    return ServedModel(**MODEL.model_dump() | changes)


def told(make) -> list[Problem]:
    """The cross problems that making something raises."""
    with pytest.raises(ValidationError) as raised:
        make()
    found = []
    for error in raised.value.errors():
        cross = error.get("ctx", {}).get("error")
        assert isinstance(cross, CrossProblems), error
        found += cross.problems
    return found


def test_frozen():
    with pytest.raises(ValidationError):
        scenario().name = "other"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "10", True, b"11", [10], None])
def test_a_number_is_a_finite_number_and_nothing_that_looks_like_one(value):
    with pytest.raises(ValidationError):
        Datacenter(name="A", rdma_setup_ms=value)


@pytest.mark.parametrize("value", [8.5, "8", True, math.nan, 0, -1, 10**9])
def test_a_pool_has_a_whole_number_of_instances(value):
    with pytest.raises(ValidationError):
        Pool(chip=CHIP, instances=value, chips_per_instance=8)


def test_a_whole_float_counts_as_a_whole_number():
    data = POOL.model_dump() | {"instances": 8}
    assert Pool.model_validate(data | {"instances": 8.0}) == Pool.model_validate(data)


@pytest.mark.parametrize("value", [1, 0, "true", "yes", 1.0, None])
def test_a_switch_is_true_or_false_and_nothing_that_looks_like_it(value):
    with pytest.raises(ValidationError):
        Policy(p_rld=value)


def test_look_alikes_inside_lists_and_mappings_are_refused():
    with pytest.raises(ValidationError):
        Workload.model_validate({"hit_shares": ("0.1", 0.1, 0.1, 0.1, 0.1, 0.2, 0.3)})
    with pytest.raises(ValidationError):
        Workload(hit_shares=(True, 0, 0, 0, 0, 0, 0))
    with pytest.raises(ValidationError):
        Prices.model_validate({"chips": {"A": "1"}})


def test_unknown_keys_are_refused():
    with pytest.raises(ValidationError):
        scenario(lines=None)
    with pytest.raises(ValidationError):
        Line.model_validate({"bandwidth_gbps": 1, "rtt": 3})


MISFITS = {
    "dense above all": (lambda: changed_model(dense_weights_gb=396), "dense_weights_gb"),
    "active above all": (lambda: changed_model(active_params_b=745), "active_params_b"),
    "experts": (lambda: changed_model(experts_per_token=2), "experts_per_token"),
    "outputs": (lambda: SingularTraffic(share=0.1, output_tokens_min=500), "output_tokens_min"),
    "sum of shares": (lambda: Workload(hit_shares=(0.5, 0.5, 0.1, 0, 0, 0, 0)), "hit_shares"),
    "one share": (lambda: Workload(hit_shares=(1.5, -0.5, 0, 0, 0, 0, 0)), "hit_shares[0]"),
    "load marks": (lambda: Policy(handoff_load_low=0.9), "handoff_load_low"),
    "gate marks": (lambda: Policy(load_gate_low=50), "load_gate_low"),
    "free chip": (lambda: Prices(chips={"A": 0}), "chips.A"),
    "two ends": (lambda: RunPlan(duration_s=10), "requests"),
    "no end": (lambda: RunPlan(requests=None), "requests"),
    "turn of nothing": (lambda: ScriptedEvent(at_s=0, what="turn"), "setting"),
    "loss of nothing": (lambda: ScriptedEvent(at_s=0, what="instance_lost"), "pool"),
    "no line": (lambda: scenario(datacenter_b=Datacenter(name="B")), "line"),
    "line to nowhere": (lambda: scenario(line=Line(bandwidth_gbps=10)), "line"),
    "relay on one site": (lambda: scenario(relay_decode=POOL), "relay_decode"),
    "no price": (lambda: scenario(prices=Prices(chips={"B": 1})), "prices.chips.A"),
}


@pytest.mark.parametrize(("make", "place"), MISFITS.values(), ids=MISFITS)
def test_what_does_not_fit_together_is_told_with_its_place(make, place):
    assert told(make)[0].place == place


@pytest.mark.parametrize(
    "value", [math.nan, [1, math.inf], {"share": math.nan}, {1: 2}, object(), [[[[[[[[[1]]]]]]]]]]
)
def test_the_value_of_an_event_is_plain_and_finite(value):
    problems = told(lambda: ScriptedEvent(at_s=0, what="turn", setting="x.y", value=value))
    assert [problem.place for problem in problems] == ["value"]


def test_a_model_that_does_not_fit_is_told_for_every_pool_with_the_sizes():
    small = Pool(chip=CHIP, instances=1, chips_per_instance=5)
    problems = told(lambda: scenario(prefill=small, main_decode=small))
    assert [p.place for p in problems] == [
        "prefill.chips_per_instance",
        "main_decode.chips_per_instance",
    ]
    assert "395 GB" in problems[0].remedy
    assert "368 GB" in problems[0].remedy


def test_decode_slots_leave_room_for_the_weights():
    # (.92 x 8 x 80 GB - 395 GB) / (46,488 B x 70,000) = 59.5
    assert decode_slots(POOL, MODEL, scenario().caches) == 59


def test_weights_that_fit_without_one_slot_do_not_do_for_decode():
    chip = CHIP.model_copy(update={"memory_gb": 53.7})
    tight = Pool(chip=chip, instances=1, chips_per_instance=8)
    assert MODEL.weights_gb < 0.92 * 8 * 53.7
    problems = told(lambda: scenario(prefill=tight, main_decode=tight))
    assert [p.place for p in problems] == ["main_decode.chips_per_instance"]


def test_digest_tells_what_is_computed_and_not_what_is_told_about_it():
    base = scenario()
    prose = {"name": "t", "title": "T", "story": "S", "sources": {"line.rtt_ms": "x"}}
    assert scenario(**prose).digest() == base.digest()
    assert scenario(policy=Policy(relay_threshold_s=0.7)).digest() != base.digest()
    assert scenario(policy=Policy(relay_threshold_s=1)).digest() == (
        scenario(policy=Policy(relay_threshold_s=1.0)).digest()
    )
