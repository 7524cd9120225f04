"""C19: one-off requests flood the line, and the singular filter keeps them off it."""

from __future__ import annotations

from statistics import fmean

from twin.engine.run import run
from twin.result import Result
from twin.scenario_file import load, shipped_folder, with_setting

SEEDS = range(6)


def runs(filtered: bool) -> list[Result]:
    scenario = load(shipped_folder() / "singular_flood.yaml")
    scenario = with_setting(scenario, "policy.singular_filter", filtered)
    return [run(scenario, seed, series=False) for seed in SEEDS]


def share(results: list[Result]) -> float:
    return fmean(result.sla_ok_share or 0.0 for result in results)


def test_the_share_within_sla_without_and_with_the_filter():
    without, within = runs(filtered=False), runs(filtered=True)
    assert share(without) < 0.3
    assert share(within) > 0.8
    # the filter keeps about the one-off requests on RLD, and only those
    assert all(result.pipelines.filtered == 0 for result in without)
    kept = fmean(result.local_request_share or 0.0 for result in within)
    assert 0.025 < kept < 0.05
