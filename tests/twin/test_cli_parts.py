"""Tables, progress, exports, averages and workers by themselves."""

from __future__ import annotations

import csv
import io
import json
import math
import os

import pytest

from twin.averages import mean_of, sd_of
from twin.claims import CLAIMS, FITTED, Band, claim
from twin.cli.console import json_text
from twin.cli.export import csv_text, flat
from twin.cli.progress import Progress
from twin.cli.tables import count, number, spread, table
from twin.errors import RunError
from twin.parallel import carried_out
from twin.verdicts import MEASURES


def test_columns_are_aligned():
    text = table([["", "a", "b"], ["long name", "1.5", "x"], ["n", "12.25"]], "<><")
    assert text.splitlines() == ["               a  b", "long name    1.5  x", "n          12.25"]


def test_numbers():
    assert number(1234.567, 1, "s") == "1,234.6 s"
    assert number(None, 1, "s") == "–"
    assert number(0.5, 0, "%", 100, sign=True) == "+50 %"
    assert spread(4.19, 0.31, unit="s") == "4.19 ± 0.31 s"
    assert spread(4.19, None) == spread(4.19, 0.0) == "4.19"
    assert (count(20000.0), count(0.5), count(None)) == ("20,000", "0.5", "–")


class Clock:
    """Seconds that pass when told."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_elsewhere_is_a_line_now_and_then():
    clock, stream = Clock(), io.StringIO()
    with Progress("running", stream, clock) as progress:
        for second in range(1, 26):
            clock.now = float(second)
            progress(second, 50)
    assert stream.getvalue().splitlines() == [
        "running: 20 %, 10 s so far, 40 s to go", "running: 40 %, 20 s so far, 30 s to go",
    ]  # fmt: skip


def test_progress_on_a_terminal_is_a_bar_that_goes_away():
    clock, stream = Clock(), Terminal()
    with Progress("running", stream, clock) as progress:
        for tenth in range(1, 11):
            clock.now = tenth / 5
            progress(tenth / 10)
    drawn = stream.getvalue().split("\r")
    assert "[###############...............] running: 50 %" in stream.getvalue()
    assert drawn[-1] == ""
    assert set(drawn[-2]) == {" "}


def test_short_or_quiet_work_says_nothing():
    clock, stream = Clock(), io.StringIO()
    with Progress("running", stream, clock) as progress:
        progress(0.5)
    assert stream.getvalue() == ""
    with Progress("running", None, clock) as progress:
        clock.now = 100.0
        progress(0.5)


def test_nested_results_become_flat_rows():
    assert flat({"a": {"b": 1, "c": [2, None]}, "runs": [1], "troubles": ["x", "y"]}) == {
        "a.b": 1, "a.c.0": 2, "a.c.1": None, "troubles": "x; y",
    }  # fmt: skip


def test_json_is_ascii_and_has_null_for_what_is_not_finite():
    text = json_text({"a": [math.nan, math.inf, -math.inf, 1.5], "b": "\u2013"})
    assert text.isascii()
    assert json.loads(text) == {"a": [None, None, None, 1.5], "b": "\u2013"}


def test_csv_starts_no_formula():
    text = csv_text([{"name": "=1+1", "n": -1.5, "b": True}, {"name": "@x", "more": None}])
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[0] == {"name": "'=1+1", "n": "-1.5", "b": "true", "more": ""}
    assert rows[1]["name"] == "'@x"


def test_a_mean_of_what_is_partly_unknown_is_unknown():
    assert mean_of([1, 2]) == 1.5
    assert mean_of([3, 3]) == 3
    assert isinstance(mean_of([3, 3]), int)
    assert mean_of([1, None]) is None
    assert sd_of([1, None, 3]) is None
    assert sd_of([1]) is None
    assert sd_of([1, 3]) == pytest.approx(2**0.5)


# --- workers


def square(number: int) -> int:
    if number == 99:
        os._exit(7)
    if number < 0:
        raise ValueError("negative")
    return number * number


@pytest.mark.parametrize("workers", [1, 2])
def test_all_jobs_are_carried_out(workers):
    assert sorted(carried_out(square, range(6), workers)) == [0, 1, 4, 9, 16, 25]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_job_comes_through(workers):
    with pytest.raises(ValueError, match="negative"):
        list(carried_out(square, [1, -1, 2], workers))


def test_a_worker_that_dies_is_an_error_of_the_run():
    with pytest.raises(RunError, match="a worker process is gone"):
        list(carried_out(square, [99, 1], 2))


def test_who_stops_early_leaves_no_worker():
    answers = carried_out(square, range(50), 2)
    assert next(answers) >= 0
    answers.close()  # type: ignore[attr-defined]
    assert list(answers) == []


# --- claims as data


def test_claims_are_complete():
    assert [c.id for c in CLAIMS] == [f"C{n:02d}" for n in range(1, 25)]
    assert {(c.id, b.label) for c in CLAIMS for b in c.bands} >= set(MEASURES)
    assert all(c.bands for c in CLAIMS)
    assert all(bool(c.fitted_by) == (c.kind == "fit") for c in CLAIMS)
    compared = {claim for claim, _ in MEASURES}
    assert {name for c in CLAIMS if c.id in compared for name in c.fitted_by} == set(FITTED)
    assert claim("C09").public == "6.2 %"


def test_a_band_holds_its_ends():
    band = Band(1.0, 2.0, "s")
    assert [band.holds(v) for v in (0.999, 1.0, 2.0, 2.001)] == [False, True, True, False]
    assert Band(None, 1.0, "s").holds(-5)
    assert not Band(None, 1.0, "s").holds(1.5)
