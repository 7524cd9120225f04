"""Changing one setting: on the command line, in a running twin, by a scripted event."""

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from twin.errors import ScenarioError
from twin.scenario import Part, Scenario
from twin.scenario_file import (
    check,
    dumps,
    from_data,
    load,
    loads,
    parse_setting,
    shipped_folder,
    source_of,
    with_setting,
)
from twin.settings import Setting
from twin.settings import settings as all_settings

SMALL = """\
name: small
model: pdd_744b
prefill: {chip: A, instances: 1, chips_per_instance: 8}
main_decode: {chip: A, instances: 1, chips_per_instance: 8}
"""


def refused(make) -> str:
    with pytest.raises(ScenarioError) as raised:
        make()
    return raised.value.text()


def value_at(scenario: Scenario, path: str) -> Any:
    value: Any = scenario
    for step in path.split("."):
        value = value[step] if isinstance(value, dict) else getattr(value, step)
    return value.model_dump(mode="json") if isinstance(value, Part) else value


PDD = load(shipped_folder() / "pdd_43a_32b.yaml")


def value_for(setting: Setting) -> st.SearchStrategy:
    """Values that a setting takes by its own bounds."""
    if setting.kind == "switch":
        return st.booleans()
    if setting.kind == "choice":
        return st.sampled_from(setting.choices)
    low = 0.0 if setting.low is None else setting.low
    high = 1e6 if setting.high is None else setting.high
    if setting.kind == "whole":
        return st.integers(int(low), int(high))
    return st.floats(low, high, exclude_min=setting.low_open, exclude_max=setting.high_open)


FREE = [
    setting
    for setting in all_settings()
    if setting.kind in ("number", "whole", "switch", "choice")
    and setting.path.startswith(("line.", "workload.", "policy.", "slo.", "caches.", "prefill."))
    and not setting.path.startswith("workload.singular.")
]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_changed_setting_survives_writing_and_loading(data):
    setting = data.draw(st.sampled_from(FREE))
    value = data.draw(value_for(setting))
    try:
        changed = with_setting(PDD, setting.path, value)
    except ScenarioError as error:
        # Within its bounds a value may only be refused for what it must fit.
        assume(any("give a" in problem.remedy for problem in error.problems))
        raise
    assert value_at(changed, setting.path) == value
    assert loads(dumps(changed)).digest() == changed.digest()
    assert (changed.digest() == PDD.digest()) == (value == value_at(PDD, setting.path))


@given(st.text(st.characters(codec="utf-8"), max_size=120))
@settings(deadline=None)
def test_any_title_survives(title):
    assert loads(dumps(with_setting(PDD, "title", title))).title == title


def test_a_setting_is_changed_checked_and_loses_its_source():
    changed = with_setting(PDD, "line.bandwidth_gbps", 25)
    assert changed.line is not None
    assert changed.line.bandwidth_gbps == 25
    assert source_of(PDD, "line.bandwidth_gbps") != "assumed"
    assert source_of(changed, "line.bandwidth_gbps") == "assumed"
    assert source_of(changed, "line.rtt_ms") == source_of(PDD, "line.rtt_ms")
    assert PDD.line is not None
    assert PDD.line.bandwidth_gbps == 10


def test_groups_prices_and_parts_can_be_set():
    assert with_setting(PDD, "workload.singular", {"share": 0.1}).workload.singular is not None
    assert with_setting(PDD, "prices.chips.B", 1.3).prices.chips == {"A": 1.0, "B": 1.3}
    swapped = with_setting(PDD, "main_decode.chip", "A")
    assert swapped.main_decode.chip == PDD.prefill.chip
    assert source_of(swapped, "main_decode.chip.memory_gb").startswith("assumed: as an A100")
    assert with_setting(PDD, "line", "metro-100g").line != PDD.line


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("line.bandwidth_gbps", 0, "line.bandwidth_gbps is 0: give a number above 0"),
        ("line.bandwidth_gbps", "25", "is '25': give a number"),
        ("line.bandwidth_gbps", math.nan, "is nan: give a number"),
        ("line.bandwidth_gbps", True, "is true: give a number"),
        ("line.rtt", 3, "did you mean line.rtt_ms?"),
        ("line", None, "main decode stands in datacenter_b"),
        ("main_decode.chips_per_instance", 1, "take more chips"),
        ("workload.singular.share", 0.1, "this scenario has no workload.singular; give that"),
        ("events[0].at_s", 1, "give the whole of events"),
        ("prices.chips.B", -1, "above 0"),
        ("prices.chips.B", None, "give a number above 0"),
    ],
)
def test_a_setting_that_cannot_be_so(path, value, words):
    assert words in refused(lambda: with_setting(PDD, path, value))


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("line.bandwidth_gbps=25", "line.bandwidth_gbps", 25),
        (" line.bandwidth_gbps = 2.5e1", "line.bandwidth_gbps", 25.0),
        ("line.bandwidth_gbps=null", "line.bandwidth_gbps", None),
        ("policy.p_rld=true", "policy.p_rld", True),
        ("workload.hit_shares=[1, 0, 0, 0, 0, 0, 0]", "workload.hit_shares", [1, 0, 0, 0, 0, 0, 0]),
        ("line=dedicated_100g", "line", "dedicated_100g"),
        ("title=a=b", "title", "a=b"),
    ],
)
def test_settings_on_the_command_line(text, path, value):
    assert parse_setting(text) == (path, value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("line.bandwidth_gbps", "write a path, = and a value"),
        ("=3", "write a path, = and a value"),
        ("line.bandwith_gbps=3", "did you mean line.bandwidth_gbps?"),
        ("line.rtt_ms=.inf", "line.rtt_ms is .inf: give a finite number"),
        ("line.rtt_ms=&a 3", "anchors"),
        ("line.rtt_ms=[1", "cannot be read"),
    ],
)
def test_settings_on_the_command_line_that_cannot_be_read(text, words):
    assert words in refused(lambda: parse_setting(text))


def test_plain_data_is_checked_like_a_file():
    data = PDD.model_dump(mode="json")
    assert from_data(data) == PDD
    bad = data | {"slo": {"total_s": math.inf}, "polcy": {}, "sources": {"nowhere": "x"}}
    text = refused(lambda: from_data(bad, "the request"))
    assert text.startswith("3 problems in the request:")
    assert "slo.total_s is inf" in text
    assert "did you mean policy?" in text
    assert "sources.nowhere" in text
    assert data == PDD.model_dump(mode="json")


# Scripted events.


def events_told(events: str, tmp_path: Path) -> list[str]:
    path = tmp_path / "case.yaml"
    path.write_text(SMALL + "events:\n" + events, encoding="utf-8")
    return [problem.sentence().partition(" ")[2] for problem in check(path)]


def test_events_are_checked_in_the_state_they_meet(tmp_path):
    assert (
        events_told(
            "  - {at_s: 9, what: instance_lost, pool: main_decode, instance: 2}\n"
            "  - {at_s: 5, what: turn, setting: main_decode.instances, value: 3}\n"
            "  - {at_s: 6, what: turn, setting: prices.chips.A, value: 2}\n",
            tmp_path,
        )
        == []
    )


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        ("what: line_cut", "events[0].what is line_cut: this scenario has no line"),
        (
            "what: instance_lost, pool: relay_decode",
            "events[0].pool is relay_decode: the pools here are prefill, main_decode",
        ),
        (
            "what: instance_lost, pool: prefill, instance: 1",
            "events[0].instance is 1: prefill has instances 0 to 0 then",
        ),
        (
            "what: turn, setting: line.bandwith_gbps, value: 1",
            "events[0].setting is 'line.bandwith_gbps': did you mean line.bandwidth_gbps?",
        ),
        (
            "what: turn, setting: prefill.chips_per_instance, value: 16",
            "events[0].setting is 'prefill.chips_per_instance': "
            "it cannot be turned while a twin runs",
        ),
        (
            "what: turn, setting: workload.think_s, value: -3",
            "events[0].value is -3: workload.think_s: give a number at least 0,",
        ),
        (
            "what: turn, setting: workload.think_s",
            "events[0].value is null: workload.think_s: give",
        ),
        ("what: turn, setting: line.rtt_ms, value: 3", "events[0].value is 3: line.rtt_ms: this"),
    ],
)
def test_events_that_cannot_happen(event, sentence, tmp_path):
    (found,) = events_told(f"  - {{at_s: 1, {event}}}\n", tmp_path)
    assert found.startswith(sentence)


def test_every_live_setting_can_be_turned_to_what_it_is():
    whole = with_setting(PDD, "workload.singular", {"share": 0.01})
    whole = with_setting(whole, "prefill_b", whole.main_decode.model_dump(mode="json"))
    whole = with_setting(whole, "policy.relay_scaling", {"least": 2})
    live = [setting.path for setting in all_settings() if setting.live]
    assert "line.bandwidth_gbps" in live
    for path in live:
        assert with_setting(whole, path, value_at(whole, path)).digest() == whole.digest()
