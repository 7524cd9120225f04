"""The table of settings says what the model says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.errors import ScenarioError
from twin.scenario import Scenario
from twin.settings import find, groups, number_text, setting_at, settings, unknown

WITHOUT_UNIT = {
    "model.experts",
    "model.experts_per_token",
    "workload.prompt_sigma",
    "workload.output_cv",
    "workload.singular.prompt_sigma",
    "workload.singular.output_shape",
    "policy.handoff_max_rounds",
    "policy.output_prediction_sigma",
    "events[].instance",
}


def test_every_setting_has_a_sentence_and_every_number_a_unit():
    for setting in settings():
        assert setting.doc.endswith("."), setting.path
        assert len(setting.doc) > 8, setting.path
        if setting.kind in ("number", "whole") and not setting.path.endswith(".instances"):
            assert bool(setting.unit) != (setting.path in WITHOUT_UNIT), setting.path


def test_units_follow_the_names():
    units = {s.path: s.unit for s in settings()}
    assert units["line.bandwidth_gbps"] == "Gbps"
    assert units["datacenter_a.rdma_gbytes_per_s"] == "GB/s"
    assert units["prefill.chip.memory_tbytes_per_s"] == "TB/s"
    assert units["policy.handoff_hop_ms"] == "ms"
    assert units["policy.relay_threshold_s"] == "s"
    assert units["caches.drc_tb"] == "TB"
    assert units["workload.hit_shares"] == "share"


def test_every_leaf_of_a_schema_is_in_the_table():
    def leaves(schema, defs, prefix):
        for name, field in schema["properties"].items():
            choices = [field, *field.get("anyOf", []), *field.get("allOf", [])]
            below = [c["$ref"].rpartition("/")[2] for c in choices if "$ref" in c]
            if below:
                yield from leaves(defs[below[0]], defs, f"{prefix}{name}.")
            else:
                yield f"{prefix}{name}"

    schema = Scenario.model_json_schema()
    expected = set(leaves(schema, schema["$defs"], ""))
    assert expected == {s.path for s in settings() if "[]" not in s.path}


def test_bounds_and_live_marks_come_from_the_fields():
    bandwidth = setting_at("line.bandwidth_gbps")
    assert (bandwidth.low, bandwidth.low_open, bandwidth.high) == (0, True, 1e6)
    assert bandwidth.live
    assert bandwidth.nullable
    assert bandwidth.required
    assert not setting_at("line.discipline").live
    assert setting_at("line.discipline").choices == ("sharing", "fifo")
    assert setting_at("slo.share").bounds() == "above 0, below 1"
    assert setting_at("policy.handoff_auto_tokens").default == 64
    assert setting_at("title").expects() == "a text of at most 120 characters"


def test_a_price_of_one_chip_is_a_setting_of_its_own():
    price = setting_at("prices.chips.B")
    assert (price.kind, price.low, price.low_open, price.live) == ("number", 0, True, True)
    assert find("prices.chips") is not price
    assert find("prices.chips.") is None


def test_items_of_lists_are_found():
    assert setting_at("events[3].at_s").path == "events[].at_s"


def test_groups_tell_what_may_be_absent():
    assert groups()["line"]
    assert groups()["relay_decode"]
    assert groups()["workload.singular"]
    assert not groups()["prefill"]
    assert not groups()["policy"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("line.bandwith_gbps", "line.bandwidth_gbps"),
        ("bandwidth_gbps", "line.bandwidth_gbps"),
        ("relay_threshold", "policy.relay_threshold_s"),
        ("wrokload.clients", "workload.clients"),
        ("polcy", "policy"),
        ("prefill.chip.memry_gb", "prefill.chip.memory_gb"),
        ("events[0].wat", "events[].what"),
    ],
)
def test_did_you_mean(typed, meant):
    assert unknown(typed).remedy == f"did you mean {meant}?"


def test_what_resembles_nothing_is_answered_with_what_there_is():
    assert "bandwidth_gbps" in unknown("line.zzz").remedy
    assert "policy" in unknown("zzz.zzz").remedy
    with pytest.raises(ScenarioError, match="is a group"):
        setting_at("line")


@given(st.text(max_size=40))
def test_any_path_is_answered(path):
    if find(path) is None:
        assert unknown(path).remedy


@pytest.mark.parametrize(
    ("number", "text"), [(1e6, "1,000,000"), (0.5, "0.5"), (0, "0"), (1, "1"), (1e-7, "1e-07")]
)
def test_numbers_as_a_person_writes_them(number, text):
    assert number_text(number) == text
