"""C16: one-shot handoff above 64 tokens makes the user wait, catch-up does not."""

from __future__ import annotations

from statistics import fmean

from twin.claims import PDD
from twin.engine.run import run
from twin.result import Result
from twin.scenario_file import load, shipped_folder, with_setting

SEEDS = range(3)


def runs(mode: str) -> list[Result]:
    scenario = with_setting(load(shipped_folder() / f"{PDD}.yaml"), "policy.handoff_mode", mode)
    return [run(scenario, seed, series=False) for seed in SEEDS]


def p99(results: list[Result]) -> float:
    return fmean(result.handoff_gap_s.p99 or 0.0 for result in results)


def test_the_stall_of_catch_up_is_less_than_a_tenth_of_that_of_one_shot():
    one_shot, catch_up = p99(runs("one_shot")), p99(runs("catch_up"))
    assert 0 < catch_up < 0.1 * one_shot
    assert one_shot > 1  # a hiccup that anyone sees
