"""Scenario files: what they may say, and what a person reads when they say something wrong."""

from pathlib import Path

import pytest

from twin.errors import ScenarioError
from twin.scenario import Scenario
from twin.scenario_file import (
    check,
    dumps,
    load,
    loads,
    shipped_folder,
    source_of,
)

SMALL = """\
name: small
model: pdd_744b
prefill: {chip: A, instances: 1, chips_per_instance: 8}
main_decode: {chip: A, instances: 1, chips_per_instance: 8}
"""

CHIPS = """\
references: {sheet: the data sheet}
parts:
  A:
    values: {peak_tflops: 312, memory_gb: 80, memory_tbytes_per_s: 2}
    sources: {peak_tflops: "measured [sheet]", memory_gb: "[sheet]"}
incomplete:
  Z:
    lacks: {memory_tbytes_per_s: no figure is public, memory_gb: no figure is public}
    values: {peak_tflops: 100}
"""


def sentences(text: str, tmp_path: Path) -> list[str]:
    """What is said about a file of this text, its folder left out."""
    path = tmp_path / "case.yaml"
    path.write_text(text, encoding="utf-8")
    return [p.sentence().replace(f"{tmp_path}/", "") for p in check(path)]


# Round trips.


def test_what_is_written_loads_to_the_same_scenario():
    for path in shipped_folder().glob("*.yaml"):
        scenario = load(path)
        again = loads(dumps(scenario))
        assert again == scenario
        assert again.digest() == scenario.digest()


# Everything wrong is told at once, with its line.

WRONG = """\
name: bad one!
titel: hello
model: pdd_744c
prefill: {chip: A, instances: 0, chips_per_instance: 8}
relay_decode: {chip: A, instances: -3, chips_per_instance: 8.5}
main_decode:
  chip: {part: A, decode_bandwith_share: .45}
  instances: "4"
  chips_per_instance: true
line:
  bandwidth_gbps: 1e999
  rtt_ms: 5
  rtt_ms: 6
  jitter_share: .nan
  discipline: lifo
workload:
  clients: 1e300
  hit_shares: [0.5, .5, .5]
  think_s: Infinity
policy: {load_gate_low: 60, load_gate: yes}
run: {requests: 10, duration_s: 5}
prices: {chips: {A: 1, "b@d": 2}}
events:
  - {at_s: 5, what: turn}
  - {at_s: 5, what: explode}
sources:
  line.bandwith_gbps: x
  relay_decode.instances: 5
"""


def test_everything_wrong_is_told_at_once_in_the_order_of_the_file(tmp_path):
    found = [line.split(" ")[:2] for line in sentences(WRONG, tmp_path)]
    assert [place.removeprefix("case.yaml:") + " " + path for place, path in found] == [
        "1 name",
        "2 titel",
        "3 model",
        "4 prefill.instances",
        "5 relay_decode.instances",
        "5 relay_decode.chips_per_instance",
        "7 main_decode.chip.decode_bandwith_share",
        "8 main_decode.instances",
        "9 main_decode.chips_per_instance",
        "11 line.bandwidth_gbps",
        "13 line.rtt_ms",
        "14 line.jitter_share",
        "15 line.discipline",
        "17 workload.clients",
        "18 workload.hit_shares",
        "19 workload.think_s",
        "20 policy.load_gate",
        "21 run.requests",
        "22 prices.chips.b@d",
        "24 events[0].setting",
        "25 events[1].what",
        "27 sources.line.bandwith_gbps",
        "28 sources.relay_decode.instances",
    ]


def test_sentences_are_for_people(tmp_path):
    text = "\n".join(sentences(WRONG, tmp_path))
    for jargon in ("http", "pydantic", "input_value", "Input should", "type=", "ValidationError"):
        assert jargon not in text


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("polcy: {}", "case.yaml:5 polcy is unknown: did you mean policy?"),
        (
            "policy: {relay_threshold: 1}",
            "case.yaml:5 policy.relay_threshold is unknown: did you mean policy.relay_threshold_s?",
        ),
        (
            "workload: {clients: -5}",
            "case.yaml:5 workload.clients is -5: give a whole number at least 1, at most 200,000",
        ),
        (
            "slo: {total_s: 1e9}",
            "case.yaml:5 slo.total_s is 1000000000.0: "
            "give a number above 0, at most 1,000,000, in s",
        ),
        ("slo: {total_s: .NaN}", "case.yaml:5 slo.total_s is .NaN: give a finite number"),
        (
            "slo: {total_s: Infinity}",
            "case.yaml:5 slo.total_s is 'Infinity': give a number above 0, at most 1,000,000, in s",
        ),
        (
            "policy: {p_rld: 1}",
            "case.yaml:5 policy.p_rld is 1: give true or false",
        ),
        (
            "policy:",
            "case.yaml:5 policy is null: give a mapping of relay_scaling, relay_threshold_s,",
        ),
        ("prefill: {}", "case.yaml:5 prefill is given twice: keep one; the first stands in line 3"),
        (
            "datacenter_b: {name: B}",
            "case.yaml line is absent: main decode stands in datacenter_b, so a line is needed",
        ),
        (
            "prices: {chips: {B: 1}}",
            "case.yaml:5 prices.chips.A is absent: chip A is used and needs a price",
        ),
        (
            "sources: {line.rtt_ms: me}",
            "case.yaml:5 sources.line.rtt_ms is a source for what is absent: "
            "this scenario has no line",
        ),
        (
            "sources: {nowhere: me}",
            "case.yaml:5 sources.nowhere is a source for what is no setting: known here are",
        ),
        (
            "sources: {prefill.chip: me}",
            "case.yaml:5 sources.prefill.chip is a source for what is no setting: name one of its",
        ),
    ],
)
def test_one_thing_wrong_is_one_sentence(lines, sentence, tmp_path):
    found = sentences(SMALL + lines + "\n", tmp_path)
    assert len([line for line in found if line.startswith(sentence)]) == 1, found
    assert len(found) == 1 or "twice" in sentence


def test_a_pool_of_no_chips_and_one_too_small(tmp_path):
    none = SMALL.replace("chips_per_instance: 8", "chips_per_instance: 0", 1)
    assert sentences(none, tmp_path) == [
        "case.yaml:3 prefill.chips_per_instance is 0: give a whole number at least 1, at most 4,096"
    ]
    small = SMALL.replace("chips_per_instance: 8", "chips_per_instance: 5", 1)
    (sentence,) = sentences(small, tmp_path)
    assert sentence.startswith("case.yaml:3 prefill.chips_per_instance is 5: model pdd_744b needs")
    assert "395 GB" in sentence
    assert "take more chips" in sentence


def test_an_unknown_key_does_not_hide_what_does_not_fit(tmp_path):
    text = SMALL.replace("chips_per_instance: 8", "chips_per_instance: 1", 1) + "polcy: {}\n"
    found = sentences(text, tmp_path)
    assert len(found) == 2
    assert "prefill.chips_per_instance" in found[0]
    assert "polcy" in found[1]


@pytest.mark.parametrize("keys", ["key{}: 1\n", "  key{}: me\n"], ids=["settings", "sources"])
def test_a_flood_of_problems_is_cut_and_says_so(keys, tmp_path):
    head = "sources:\n" if keys.startswith(" ") else ""
    text = SMALL + head + "".join(keys.format(n) for n in range(2000))
    found = sentences(text, tmp_path)
    assert len(found) == 101
    assert found[-1] == "case.yaml is not told whole: there is more; mend these first"


@pytest.mark.parametrize("text", ["", "- 1\n", "just words\n", "3\n"])
def test_a_file_without_settings(text, tmp_path):
    assert sentences(text, tmp_path) == [
        "case.yaml is no mapping: write settings as key: value, beginning with name:"
    ]


def test_load_raises_what_check_tells(tmp_path):
    (tmp_path / "case.yaml").write_text(WRONG)
    problems = check(tmp_path / "case.yaml")
    with pytest.raises(ScenarioError) as raised:
        load(tmp_path / "case.yaml")
    assert list(raised.value.problems) == problems
    assert raised.value.headline.startswith(f"{len(problems)} problems in ")
    with pytest.raises(ScenarioError, match="no such file"):
        load(tmp_path / "none.yaml")


# Parts by name.


def test_a_part_brings_values_and_sources_and_yields_to_what_is_given(tmp_path):
    (tmp_path / "chips.yaml").write_text(CHIPS)
    (tmp_path / "models.yaml").write_text((shipped_folder() / "parts/models.yaml").read_text())
    text = SMALL.replace("chip: A", "chip: {part: A, memory_gb: 96}", 1)
    scenario = loads(text, parts_dir=tmp_path)
    assert (scenario.prefill.chip.name, scenario.prefill.chip.memory_gb) == ("A", 96)
    assert scenario.main_decode.chip.memory_gb == 80
    assert source_of(scenario, "prefill.chip.peak_tflops") == "measured the data sheet"
    assert source_of(scenario, "main_decode.chip.memory_gb") == "the data sheet"
    assert source_of(scenario, "prefill.chip.memory_gb") == "assumed"
    assert source_of(scenario, "prefill.chip.memory_tbytes_per_s") == "assumed"


def test_an_own_source_beats_that_of_the_part():
    text = SMALL + "sources: {prefill.chip.memory_gb: me}\n"
    assert source_of(loads(text), "prefill.chip.memory_gb") == "me"


def test_a_part_that_is_not_there(tmp_path):
    (sentence,) = sentences(SMALL.replace("pdd_744b", "pdd_744"), tmp_path)
    assert sentence == (
        "case.yaml:2 model is 'pdd_744': models.yaml has no such part; did you mean pdd_744b?"
    )
    (sentence,) = sentences(SMALL.replace("chip: A", "chip: Q", 1), tmp_path)
    assert "there are A, B, nvidia-a100-sxm-80g" in sentence
    assert "more" in sentence


def test_an_incomplete_part_wants_what_it_lacks(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/chips.yaml").write_text(CHIPS)
    (tmp_path / "parts/models.yaml").write_text(
        (shipped_folder() / "parts/models.yaml").read_text()
    )
    (sentence,) = sentences(SMALL.replace("chip: A", "chip: Z", 1), tmp_path)
    assert sentence == (
        "case.yaml:3 prefill.chip is 'Z': without a source for memory_tbytes_per_s, memory_gb "
        "(no figure is public); give this yourself: {part: Z, memory_tbytes_per_s: ...}"
    )
    given_half = SMALL.replace("chip: A", "chip: {part: Z, memory_gb: 80}", 1)
    assert "memory_tbytes_per_s (no figure" in sentences(given_half, tmp_path)[0]
    whole = "chip: {part: Z, memory_gb: 80, memory_tbytes_per_s: 1}"
    text = SMALL.replace("chip: A", whole, 1) + "prices: {chips: {A: 1, Z: 1}}\n"
    assert sentences(text, tmp_path) == []


def test_parts_that_cannot_be_used_are_told_where_they_are_named(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/models.yaml").write_text("parts: {pdd_744b: 3}\n")
    found = sentences(SMALL, tmp_path)
    assert any(s.startswith("case.yaml:2 model is 'pdd_744b': names a part, but") for s in found)
    assert any("chips.yaml: cannot be read: no such file" in s for s in found)


def test_a_wrong_value_of_a_part_is_told_with_its_place_in_the_parts(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/chips.yaml").write_text(CHIPS.replace("memory_gb: 80", "memory_gb: -8"))
    (tmp_path / "parts/models.yaml").write_text(
        (shipped_folder() / "parts/models.yaml").read_text()
    )
    found = sentences(SMALL, tmp_path)
    assert found[0].startswith("parts/chips.yaml:4 prefill.chip.memory_gb is -8")


# Extending another file.

BASE = (
    SMALL.replace("name: small", "name: base\ntitle: Base")
    + """\
datacenter_b: {name: B}
line: {bandwidth_gbps: 10, rtt_ms: 7, per_flow_cap_gbps: 3}
workload: {clients: 100, hit_shares: low}
run: {requests: 500}
prices: {chips: {A: 1, B: 2}}
sources:
  line.bandwidth_gbps: carrier
  line.rtt_ms: measured
  workload.clients: counted
  prices.chips.B: shop
"""
)


def extended(text: str, folder: Path) -> Scenario:
    (folder / "base.yaml").write_text(BASE)
    (folder / "child.yaml").write_text("extends: base.yaml\nname: child\n" + text)
    return load(folder / "child.yaml")


def test_mappings_merge_lists_replace_and_null_takes_back(tmp_path):
    child = extended(
        "workload: {clients: null, hit_shares: [1, 0, 0, 0, 0, 0, 0]}\n"
        "line: {bandwidth_gbps: 25, per_flow_cap_gbps: null}\n"
        "run: {requests: null, duration_s: 60}\n"
        "prices: {chips: {B: null}}\n",
        tmp_path,
    )
    assert child.line is not None
    assert (child.line.bandwidth_gbps, child.line.rtt_ms) == (25, 7)
    assert child.line.per_flow_cap_gbps is None
    assert child.workload.clients == 170
    assert child.workload.hit_shares == (1, 0, 0, 0, 0, 0, 0)
    assert (child.run.requests, child.run.duration_s) == (None, 60)
    assert child.prices.chips == {"A": 1}


def test_what_is_overridden_loses_its_source_and_the_rest_keeps_it(tmp_path):
    child = extended("line: {bandwidth_gbps: 25}\nprices: {chips: {B: 3}}\n", tmp_path)
    assert source_of(child, "line.bandwidth_gbps") == "assumed"
    assert source_of(child, "line.rtt_ms") == "measured"
    assert source_of(child, "prices.chips.B") == "assumed"
    assert source_of(child, "workload.clients") == "counted"
    own = extended("line: {bandwidth_gbps: 25}\nsources: {line.bandwidth_gbps: me}\n", tmp_path)
    assert source_of(own, "line.bandwidth_gbps") == "me"


def test_a_named_part_replaces_the_whole_of_what_was_there(tmp_path):
    child = extended("line: metro-100g\n", tmp_path)
    assert child.line is not None
    assert (child.line.bandwidth_gbps, child.line.per_flow_cap_gbps) == (100, 10)
    assert "measured" not in source_of(child, "line.rtt_ms")


def test_a_group_can_be_taken_away(tmp_path):
    child = extended("line: null\ndatacenter_b: null\n", tmp_path)
    assert child.line is None
    assert child.datacenter_b is None
    assert "line.rtt_ms" not in child.sources


def test_name_and_title_are_not_inherited(tmp_path):
    assert extended("", tmp_path).title == ""
    (tmp_path / "child.yaml").write_text("extends: base.yaml\n")
    (problem,) = check(tmp_path / "child.yaml")
    assert "name is absent" in problem.sentence()


def test_places_name_the_file_a_value_stands_in(tmp_path):
    (tmp_path / "base.yaml").write_text(BASE.replace("rtt_ms: 7", "rtt_ms: -7"))
    (tmp_path / "child.yaml").write_text("extends: base.yaml\nname: child\nrun: {requests: 0}\n")
    places = {p.place.rpartition("/")[2] for p in check(tmp_path / "child.yaml")}
    assert places == {"base.yaml:7 line.rtt_ms", "child.yaml:3 run.requests"}


@pytest.mark.parametrize(
    "name", ["../base.yaml", "/etc/passwd", "sub/base.yaml", "base.txt", "..yaml", "3", "[a]"]
)
def test_only_a_file_beside_it_can_be_extended(name, tmp_path):
    (tmp_path / "base.yaml").write_text(BASE)
    found = sentences(f"extends: {name}\n{SMALL}", tmp_path)
    assert found[0].startswith("case.yaml:1 extends is ")
    assert "give the name of a file beside it" in found[0]


def test_one_level_only(tmp_path):
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "middle.yaml").write_text("extends: base.yaml\n" + SMALL)
    found = sentences("extends: middle.yaml\nname: top\n", tmp_path)
    assert found == [
        "case.yaml:1 extends is 'middle.yaml': it extends another file itself; one level is taken"
    ]
    assert "no such file" in "\n".join(sentences(f"extends: none.yaml\n{SMALL}", tmp_path))


def test_what_an_unusable_file_might_have_is_not_asked_for(tmp_path):
    found = sentences("extends: none.yaml\nname: top\nline: {bandwith_gbps: 5}\n", tmp_path)
    assert [sentence for sentence in found if "absent" in sentence] == []
    assert len(found) == 3, "the file twice, by its place and by its name, and the unknown key"


def test_shipped_scenarios_are_extended_from_anywhere(tmp_path):
    (tmp_path / "case.yaml").write_text("extends: pdd_43a_32b.yaml\nname: mine\n")
    shipped = load(shipped_folder() / "pdd_43a_32b.yaml")
    assert load(tmp_path / "case.yaml").line == shipped.line
    (tmp_path / "pdd_43a_32b.yaml").write_text(BASE)  # a file beside it goes first
    assert load(tmp_path / "case.yaml").line != shipped.line


def test_a_file_cannot_extend_itself(tmp_path):
    found = sentences(f"extends: case.yaml\n{SMALL}", tmp_path)
    assert len(found) == 1
    assert "one level" in found[0]


def test_an_instance_comes_back_only_after_it_was_lost(tmp_path):
    back = "  - {at_s: 20, what: instance_back, pool: main_decode, instance: 0}\n"
    lost = "  - {at_s: 10, what: instance_lost, pool: main_decode, instance: 0}\n"
    assert sentences(f"{SMALL}events:\n{back}{lost}", tmp_path) == []  # in order of their times
    (found,) = sentences(f"{SMALL}events:\n{back}", tmp_path)
    assert found.endswith("events[0].what is instance_back: this instance is not lost then")
