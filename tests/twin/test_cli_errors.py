"""Bad words, bad input, runs that fail: one sentence each, an exit code, and no result."""

from __future__ import annotations

import os
import re
import tomllib
from importlib import import_module

import pytest

from twin.cli.arguments import COMMANDS

from .command_line import ROOT, SMALL, called

HELPS = [[], *([command] for command in COMMANDS), ["scenario", "check"]]


@pytest.mark.parametrize("words", HELPS, ids=" ".join)
def test_help_tells_the_exit_codes(capsys, words):
    said = called(capsys, *words, "--help")
    assert said.code == 0
    codes = re.findall(r"^  (\d+) ", said.out.partition("exit codes:")[2], re.M)
    assert codes == ["0", "1", "2", "130", "141"]


def test_the_console_script_is_the_same_entry():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, name = scripts["pdd-twin"].split(":")
    assert getattr(import_module(module), name) is import_module("twin.__main__").main


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["rnu"], "'rnu' is no command; did you mean run?"),
        (["run"], "the following arguments are required: SCENARIO"),
        (["run", *SMALL, "--sede", "3"], "--sede is no option here; did you mean --seed"),
        (["run", *SMALL, "more"], "'more' is one word too many"),
        (["run", *SMALL, "--seeds", "0"], "--seeds: '0' will not do: give a whole number from 1"),
        (["run", *SMALL, "--seed", "-1"], "--seed: '-1' will not do: give a whole number from 0"),
        (["run", *SMALL, "--workers", "two"], "--workers: 'two' will not do"),
        (["scenario"], "the following arguments are required: ACTION"),
        (["run", "pdd_43a"], "'pdd_43a': neither a file nor a shipped scenario; did you mean pdd"),
        (["run", "nowhere.yaml"], "nowhere.yaml: cannot be read: no such file"),
        (["run", "."], ".: cannot be read: is a directory"),
        (["run", *SMALL, "--set", "x"], "--set 'x': write a path, = and a value, such as line"),
        (["run", *SMALL, "--set", "slo.totl_s=3"], "--set slo.totl_s is unknown: did you mean slo"),
        (["run", *SMALL, "--set", "slo.total_s=-3"], "--set slo.total_s is -3: give a number"),
        (["run", *SMALL, "--set", "slo.total_s=.nan"], "slo.total_s is .nan: give a finite number"),
        (["run", *SMALL, "--set", "slo.total_s=.inf"], "slo.total_s is .inf: give a finite number"),
        (["run", *SMALL, "--set", "slo.total_s=1e999"], "slo.total_s is 1e999: give a finite"),
        (["run", *SMALL, "--set", "slo.total_s='3'"], "slo.total_s is '3': give a number above 0"),
        (["run", *SMALL, "--set", "prefill.instances=0"], "prefill.instances is 0: give a whole"),
        (["run", *SMALL, "--set", "main_decode.chips_per_instance=1"], "needs 395 GB for weights"),
        (["run", *SMALL, "--set", "line.rtt_ms=3"], "line.rtt_ms is 3: this scenario has no line"),
        (["run", *SMALL, "--trace", "nowhere.jsonl"], "not readable: No such file or directory"),
        (["run", *SMALL, "--out", "x.txt"], "--out is 'x.txt': end it with .json or .csv"),
        (["run", *SMALL, "--out", "no/x.csv"], "--out is 'no/x.csv': cannot be written"),
        (["trace", os.devnull], "the file is empty: must hold at least one request"),
        (["compare", "same_dc_88a", "singular_flood"], "must have the same workload"),
        (["compare", "same_dc_88a", "same_dc_88a"], "same_dc_88a is named twice: give each a name"),
        (["compare", "bench_4p4d", "--sensitivity"], "--sensitivity: needs a deployment that"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_bad_words_and_bad_input(capsys, words, sentence):
    said = called(capsys, *words)
    assert said.code == 2
    assert sentence in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_all_problems_are_told_at_once(capsys):
    words = ("--set", "slo.total_s=-3", "--set", "workload.hit_shares=[1, 2]")
    said = called(capsys, "run", *SMALL, *words)
    assert said.code == 2
    assert said.err.splitlines()[0] == "error: 2 problems:"
    assert sorted(line.split()[1] for line in said.err.splitlines()[1:]) == [
        "slo.total_s", "workload.hit_shares",
    ]  # fmt: skip
    said = called(capsys, "compare", "nope", "nowhere.yaml")
    assert said.err.count("\n") == 3


BAD_TRACES = {
    "not json": ("{", "line 1"),
    "no time": ('{"input_length": 5, "output_length": 1, "hash_ids": [1]}', "timestamp is absent"),
    "ids do not match": (
        '{"timestamp": 0, "input_length": 600, "output_length": 1, "hash_ids": [1]}',
        "line 1, hash_ids",
    ),
    "nan": ('{"timestamp": NaN, "input_length": 5, "output_length": 1, "hash_ids": [1]}', "NaN"),
}


@pytest.mark.parametrize("name", BAD_TRACES)
@pytest.mark.parametrize("command", [["trace"], ["run", *SMALL, "--trace"]], ids=["trace", "run"])
def test_a_bad_trace_is_told_by_line_and_field(capsys, tmp_path, command, name):
    text, sentence = BAD_TRACES[name]
    file = tmp_path / "t.jsonl"
    file.write_text(f"{text}\n")
    said = called(capsys, *command, str(file))
    assert said.code == 2
    assert "t.jsonl cannot be read as a trace; nothing of it was kept." in said.err
    assert sentence in said.err
    assert said.out == ""


def test_a_trace_of_two_gigabytes_is_refused(capsys, tmp_path):
    file = tmp_path / "huge.jsonl"
    with file.open("wb") as stream:
        stream.truncate(2 * 10**9)
    said = called(capsys, "trace", str(file))
    assert said.code == 2
    assert "huge.jsonl cannot be read as a trace" in said.err


def test_a_run_that_cannot_end_fails(capsys, tmp_path):
    file = tmp_path / "lost.yaml"
    text = (ROOT / "scenarios" / "bench_4p4d.yaml").read_text()
    losses = [
        f"{{at_s: 60, what: instance_lost, pool: main_decode, instance: {i}}}" for i in range(4)
    ]
    file.write_text(f"{text}events: [{', '.join(losses)}]\n")
    said = called(capsys, "run", str(file))
    assert said.code == 1
    assert re.match(
        r"error: run is \d+ requests in flight at [\d.]+ s: nothing has moved", said.err
    )
    assert said.out == ""
