"""Profiles in scenario files: as points or as CSV, validated, and silent where not used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.deployments import shipped
from twin.errors import ScenarioError
from twin.scenario import Scenario
from twin.scenario_file import check, dumps, from_data, load, loads, with_setting
from twin.settings import setting_at

BASE = """\
name: case
model: pdd_744b
prefill:
  chip: A
  instances: 2
  chips_per_instance: 8
  profile: {prefill: PREFILL}
main_decode: {chip: A, instances: 1, chips_per_instance: 8, profile: {itl: ITL}}
prices: {chips: {A: 1}}
"""

GOOD = "[{tokens: 1000, seconds: 0.5}, {tokens: 2000, seconds: 0.5}]"
ITL = "[{batch: 1, itl_ms: 9}]"


def text(prefill: str = GOOD, itl: str = ITL) -> str:
    return BASE.replace("PREFILL", prefill).replace("ITL", itl)


def told(scenario: str) -> list[str]:
    with pytest.raises(ScenarioError) as error:
        loads(scenario, "case.yaml")
    return [problem.sentence() for problem in error.value.problems]


def test_points_stand_in_the_scenario_and_survive_writing() -> None:
    scenario = loads(text())
    assert scenario.prefill.profile is not None
    assert [p.seconds for p in scenario.prefill.profile.prefill] == [0.5, 0.5]
    assert loads(dumps(scenario)) == scenario
    assert scenario.digest() != with_setting(scenario, "prefill.profile", None).digest()


@pytest.mark.parametrize(
    ("prefill", "itl", "sentences"),
    [
        (
            "[{tokens: 1000, seconds: 0.5}, {tokens: 1000, seconds: 0.6}]", ITL,
            ["case.yaml:7 prefill.profile.prefill[1].tokens is 1000.0: must be above that of the "
             "point before (1000)"],
        ),
        (
            "[{tokens: 1000, seconds: 0.5}, {tokens: 3000, seconds: 0.4}]", ITL,
            ["case.yaml:7 prefill.profile.prefill[1].seconds is 0.4: must not be below that of the "
             "point before (0.5)"],
        ),
        (
            "[{tokens: 1000, seconds: 0.5}]", ITL,
            ["case.yaml:7 prefill.profile.prefill is 1 point: give at least 2, or none at all"],
        ),
        (
            GOOD, "[{batch: 2, itl_ms: 9}]",
            ["case.yaml:8 main_decode.profile.itl[0].batch is 2: the first point must be that of "
             "batch 1"],
        ),
        (
            "[{tokens: 1000, seconds: 0}, {tokens: yes, seconds: 1}]", "[{batch: 1}]",
            ["case.yaml:7 prefill.profile.prefill[0].seconds is 0: give a number above 0, at most "
             "1,000,000, in s",
             "case.yaml:7 prefill.profile.prefill[1].tokens is 'yes': give a number above 0, at "
             "most 100,000,000, in tokens",
             "case.yaml:8 main_decode.profile.itl[0].itl_ms is absent: give a number above 0, at "
             "most 1,000,000, in ms (Time between two tokens of a request, in ms)"],
        ),
        (
            "7", ITL,
            ["case.yaml:7 prefill.profile.prefill is 7: give a list of points with tokens, seconds "
             "each, or the name of a CSV file with these columns"],
        ),
        (
            "[{tokens: 1000, second: 0.5}]", ITL,
            ["case.yaml:7 prefill.profile.prefill[0].second is unknown: did you mean "
             "prefill.profile.prefill[].seconds?",
             "case.yaml:7 prefill.profile.prefill[0].seconds is absent: give a number above 0, at "
             "most 1,000,000, in s (Time of its prefill on one instance, in seconds)"],
        ),
        (
            "../secret.csv", ITL,
            ["case.yaml:7 prefill.profile.prefill is '../secret.csv': give points, or the name of "
             "a CSV file beside this one, such as times.csv"],
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_place_value_and_remedy(
    prefill: str, itl: str, sentences: list[str]
) -> None:
    assert sorted(told(text(prefill, itl))) == sorted(sentences)


def filed(tmp_path: Path, csv: str, name: str = "times.csv") -> Path:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(csv, encoding="utf-8")
    path = tmp_path / "case.yaml"
    path.write_text(text(name), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["times.csv", "measured/times.csv"])
def test_points_come_from_a_csv_file_beside_it(tmp_path: Path, name: str) -> None:
    path = filed(tmp_path, "seconds, tokens\n0.5,1000\n\n0.5,2e3\n", name)
    scenario = load(path)
    assert scenario.digest() == loads(text()).digest()
    assert "csv" not in dumps(scenario)  # values, no references


def test_the_files_of_what_is_extended_lie_beside_that(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: prfaas_selective.yaml\nname: mine\n", encoding="utf-8")
    assert load(path).digest() == shipped("prfaas_selective").digest()


@pytest.mark.parametrize(
    ("csv", "sentence"),
    [
        ("tokens,seconds\n1000,0.5\n900,0.6\n",
         "times.csv:3 prefill.profile.prefill[1].tokens is 900.0: must be above that of the point "
         "before (1000)"),
        ("tokens,seconds\n1000,fast\n2000,1\n",
         "times.csv:2 prefill.profile.prefill[0].seconds is 'fast': give a number above 0, at most "
         "1,000,000, in s"),
        ("tokens,seconds\n1000,nan\n2000,1\n",
         "times.csv:2 prefill.profile.prefill[0].seconds is nan: give a number above 0, at most "
         "1,000,000, in s"),
        ("tokens,seconds\n1000,1,7\n2000,1\n",
         "times.csv:2 prefill.profile.prefill[0] is a row of 3 cells: take as many as there are "
         "columns (2)"),
        ("tokens,seconds\n1000\n2000,1\n",
         "times.csv:2 prefill.profile.prefill[0].seconds is absent: give a number above 0, at most "
         "1,000,000, in s (Time of its prefill on one instance, in seconds)"),
        ("length,seconds\n1000,1\n",
         "case.yaml:7 prefill.profile.prefill is 'times.csv': times.csv:1 'length, seconds': the "
         "first line must name the columns tokens, seconds"),
        ("",
         "case.yaml:7 prefill.profile.prefill is 'times.csv': times.csv:1 absent: the first line "
         "must name the columns tokens, seconds"),
        ("tokens,seconds\n1000,1\n",
         "case.yaml:7 prefill.profile.prefill is 1 point: give at least 2, or none at all"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_csv_file(tmp_path: Path, csv: str, sentence: str) -> None:
    found = [p.sentence().replace(f"{tmp_path}/", "") for p in check(filed(tmp_path, csv))]
    assert found == [sentence]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = filed(tmp_path, "")
    (tmp_path / "times.csv").unlink()
    (found,) = check(path)
    assert found.remedy.endswith("times.csv cannot be read: no such file or directory")
    (tmp_path / "times.csv").write_bytes(b"tokens,seconds\n\xff,1\n")
    assert "save it as UTF-8" in check(path)[0].remedy
    (tmp_path / "times.csv").write_text("tokens,seconds\n" + "1,1\n" * 100_000)
    assert "at most 256 KB" in check(path)[0].remedy


def test_values_from_elsewhere_name_no_files() -> None:
    """Stored and sent scenarios hold values: what is no file of a person reads no file."""
    data = loads(text()).model_dump(mode="json")
    data["prefill"]["profile"]["prefill"] = "profiles/hybrid_1t_prefill_8xh200.csv"
    with pytest.raises(ScenarioError, match="give a list of points"):
        from_data(data)


def test_measured_memory_takes_the_place_of_the_sum() -> None:
    """The model does not fit into one chip; who measured it there knows better."""
    small = {"chips_per_instance: 8": "chips_per_instance: 1"}
    alone = text().replace(*next(iter(small.items())))
    assert all("main_decode.chips_per_instance" in line for line in told(alone))
    slots = alone.replace("profile: {itl:", "profile: {slots: 3, itl:")
    assert loads(slots).main_decode.profile is not None


def quiet_paths(scenario: Scenario) -> dict[str, Any]:
    data = scenario.model_dump(mode="json")
    return {
        "prefill_b": data.get("prefill_b"),
        "model.kv_profile": data["model"].get("kv_profile"),
        "prefill.profile": data["prefill"].get("profile"),
        **{
            f"policy.{name}": data["policy"].get(name)
            for name in (
                "selective_prefill", "selective_threshold_tokens", "layerwise_transfer"
            )
        },
        **{
            f"workload.{name}": data["workload"].get(name)
            for name in ("prompt_tokens_min", "prompt_tokens_max")
        },
    }  # fmt: skip


def test_what_is_not_used_is_not_written_and_keeps_the_digest() -> None:
    """The digest of the published deployment does not change because profiles exist."""
    scenario = shipped("pdd_43a_32b")
    assert set(quiet_paths(scenario).values()) == {None}
    used = shipped("prfaas_selective")
    told = {path for path, value in quiet_paths(used).items() if value is not None}
    assert told == set(quiet_paths(used)) - {"policy.selective_threshold_tokens"}  # at its default
    assert loads(dumps(used)).digest() == used.digest()


def test_prefill_in_b_needs_a_b() -> None:
    lines = text().splitlines()
    beside = "prefill_b: {chip: A, instances: 1, chips_per_instance: 8}"
    assert told("\n".join([*lines, beside])) == [
        "case.yaml:10 prefill_b is given: prefill in B needs a datacenter_b"
    ]


def test_bounds_of_the_prompt_length_must_be_in_order() -> None:
    workload = "workload: {prompt_tokens_min: 900, prompt_tokens_max: 900}"
    assert told("\n".join([*text().splitlines(), workload])) == [
        "case.yaml:10 workload.prompt_tokens_min is 900.0: must be below prompt_tokens_max (900)"
    ]


def test_every_column_has_its_sentence() -> None:
    for path in ("prefill.profile.prefill[].seconds", "main_decode.profile.itl[].itl_ms",
                 "model.kv_profile[].kv_bytes"):  # fmt: skip
        assert setting_at(path).doc.endswith(".")
        assert setting_at(path).unit
