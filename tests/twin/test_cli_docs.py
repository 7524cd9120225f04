"""docs/command-line.md tells the truth: its examples, options, exit codes and keys."""

from __future__ import annotations

import os
import re

import pytest

from twin.cli.arguments import EXIT_CODES
from twin.cli.tables import table

from .command_line import SMALL, called
from .examples import PAGE, examples, printed, shape, without_cpu

TEXT = PAGE.read_text("utf-8")
EXAMPLES = examples(TEXT)


@pytest.mark.parametrize(("words", "output"), EXAMPLES, ids=[words for words, _ in EXAMPLES])
def test_an_example_prints_what_it_says(words, output):
    """To the digit in CI; elsewhere another processor may round a logarithm otherwise."""
    told = without_cpu if os.environ.get("CI") else shape
    assert told(printed(words)) == told(output)


def test_every_command_has_an_example():
    commands = {words.split()[0] for words, _ in EXAMPLES}
    assert commands == {
        "run", "compare", "capacity", "claims", "prefill-service", "trace", "scenario",
        "calibrate-hardware",
    }  # fmt: skip


def test_another_form_is_seen():
    assert shape("TTFT  4.19 ± 0.3 s") == shape("TTFT 5 s")
    assert shape("TTFT 4 s") != shape("TTFT 4 ms") != shape("TTFT – s")
    assert shape(table([["a", "1"], ["b", "2"]], "<>")) != shape("a 1")


def rows(heading: str) -> set[str]:
    """What the first column of the tables under a heading names."""
    part = re.split(rf"^#+ {heading}$", TEXT, flags=re.M)[1].split("\n#")[0]
    cells = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`([\w ]+)`", cell)}


def test_every_key_of_a_run_is_told(capsys):
    one = called(capsys, "run", *SMALL, "--json").json()
    several = called(capsys, "run", *SMALL, "--json", "--seeds", "2", "--workers", "1").json()
    assert rows("Of a run") == set(several) == set(one) | {"seeds", "sd", "runs"}


def test_every_key_of_a_comparison_is_told(capsys):
    words = ("compare", *SMALL, "--json", "--no-capacity")
    data = called(capsys, *words).json()
    assert set(data["results"][0]) == rows("Of a run") | rows("Of compare")
    part = TEXT.partition("### Of compare")[2].partition("| key")[0]
    assert set(re.findall(r"`(\w+)`", part)) >= set(data)


def test_every_key_of_a_hardware_fit_is_told(capsys):
    data = called(capsys, "calibrate-hardware", "--json").json()
    told = set(re.findall(r"`(\w+)`", TEXT.partition("### Of calibrate-hardware")[2]))
    inner = [data["default"][0], data["groups"][0], data["points"][0], data["errors"]["default"]]
    assert {key for part in (data, *inner) for key in part} <= told
    assert rows("Of calibrate-hardware") == set(data)


def test_exit_codes_are_those_of_the_help():
    told = dict(re.findall(r"^\| (\d+) \| (.*?) \|$", TEXT, re.M))
    assert told == dict(re.findall(r"^  (\d+) +(.*)$", EXIT_CODES, re.M))


def test_options_are_those_of_the_help(capsys):
    known = set()
    for command in (
        "run", "compare", "capacity", "claims", "prefill-service", "trace", "calibrate-hardware",
    ):  # fmt: skip
        known |= set(re.findall(r"--[a-z-]+", called(capsys, command, "--help").out))
    assert set(re.findall(r"`(--[a-z-]+)", TEXT)) <= known
    assert known - set(re.findall(r"--[a-z-]+", TEXT)) == {"--help"}
