"""`run`: the keys and meaning of its JSON, several seeds, settings, traces, courses."""

from __future__ import annotations

import csv
import io
import json
from statistics import fmean, stdev

import pytest

from twin.scenario_file import load, shipped_folder, with_setting

from .command_line import ROOT, SMALL, SMALL_PDD, called, without_cpu

SAMPLE = ROOT / "scenarios" / "traces" / "agents_small.mooncake.jsonl"

KEYS = {
    "scenario", "digest", "seed", "ttft_s", "itl_s", "total_s", "stages_s", "throughput_rps",
    "sla_ok_share", "goodput_rps", "rld_token_share", "relay_request_share",
    "local_request_share", "p_hit", "md_hit", "line_gbps", "cost_units", "requests", "events",
    "cpu_s",
}  # fmt: skip
QUANTILES = {"mean", "p50", "p90", "p99"}
TTFT_STAGES = ("queue_p", "prefill", "transfer", "queue_slot", "first_step", "output_overhead")


def test_json_has_the_keys_that_programs_rely_on(capsys):
    said = called(capsys, "run", *SMALL_PDD, "--json")
    data = said.json()
    assert set(data) >= KEYS
    assert all(set(data[times]) >= QUANTILES for times in ("ttft_s", "itl_s", "total_s"))
    assert set(data["requests"]) == {"arrived", "finished", "refused", "in_flight"}
    assert said.err == ""


def test_json_says_of_the_run_what_the_engine_says(capsys):
    data = called(capsys, "run", *SMALL_PDD, "--json", "--seed", "3").json()
    scenario = with_setting(load(shipped_folder() / "pdd_43a_32b.yaml"), "run.requests", 600)
    assert (data["scenario"], data["seed"]) == ("pdd_43a_32b", 3)
    assert data["digest"] == scenario.digest()
    assert data["requests"] == {"arrived": 600, "finished": 600, "refused": 0, "in_flight": 0}
    stages = data["stages_s"]
    assert sum(stages[s] for s in TTFT_STAGES) == pytest.approx(data["ttft_s"]["mean"])
    assert sum(stages.values()) == pytest.approx(data["total_s"]["mean"])
    within = data["sla_ok_share"] * data["throughput_rps"]
    assert data["goodput_rps"] == pytest.approx(within)
    assert data["cpu_s"] > 0


def test_what_a_run_cannot_say_is_null_and_a_dash(capsys):
    data = called(capsys, "run", *SMALL, "--json").json()
    assert data["line_gbps"] is None
    assert data["md_hit"] is None
    text = called(capsys, "run", *SMALL).out
    assert ["MD", "hit", "–", "%"] in [line.split() for line in text.splitlines()]


def test_the_table_tells_what_the_json_tells(capsys):
    data = called(capsys, "run", *SMALL_PDD, "--json").json()
    text = called(capsys, "run", *SMALL_PDD).out
    times = [f"{data['ttft_s'][q]:,.2f}" for q in ("mean", "p50", "p90", "p99", "max")]
    assert ["TTFT", "s", *times] in [line.split() for line in text.splitlines()]
    assert f"within SLA {100 * data['sla_ok_share']:.1f} %" in " ".join(text.split())
    assert "600 arrived = 600 finished + 0 refused + 0 in flight" in text
    assert data["digest"][:12] in text


@pytest.mark.parametrize("workers", ["1", "2"])
def test_several_seeds_are_each_run_and_then_averaged(capsys, workers):
    words = ("run", *SMALL, "--json", "--seed", "5", "--seeds", "3", "--workers", workers)
    data = called(capsys, *words).json()
    runs = data["runs"]
    assert data["seeds"] == [run["seed"] for run in runs] == [5, 6, 7]
    alone = called(capsys, "run", *SMALL, "--json", "--seed", "6").json()
    assert without_cpu(runs[1]) == without_cpu(alone)
    p90 = [run["ttft_s"]["p90"] for run in runs]
    assert len(set(p90)) == 3
    assert data["ttft_s"]["p90"] == pytest.approx(fmean(p90))
    assert data["sd"]["ttft_s"]["p90"] == pytest.approx(stdev(p90))
    assert data["requests"]["arrived"] == 1500
    assert data["seed"] is None
    assert data["line_gbps"] is None


def test_a_set_changes_the_run_and_is_typed(capsys):
    before = called(capsys, "run", *SMALL_PDD, "--json").json()
    words = ("--set", "line.bandwidth_gbps=5", "--set", "line.slow_start=false")
    after = called(capsys, "run", *SMALL_PDD, *words, "--json").json()
    assert after["digest"] != before["digest"]
    assert after["transfer_s"]["p90"] > before["transfer_s"]["p90"]


def test_settings_that_only_fit_together_are_changed_together(capsys):
    words = ("--set", "run.requests=null", "--set", "run.duration_s=600")
    data = called(capsys, "run", "bench_4p4d", *words, "--json").json()
    assert data["requests"]["arrived"] > 1000
    assert data["window"]["to_s"] == 570


def test_a_trace_is_replayed_and_every_request_accounted_for(capsys):
    words = ("run", "pdd_43a_32b", "--trace", str(SAMPLE), "--json", "--seeds", "2")
    said = called(capsys, *words, "--workers", "1")
    data = said.json()
    assert data["requests"] == {"arrived": 307, "finished": 307, "refused": 0, "in_flight": 0}
    assert data["workload"].startswith("trace agents_small.mooncake.jsonl")
    assert data["p_hit"] == pytest.approx(0.921, abs=0.0005)
    assert data["runs"][0]["ttft_s"] != data["runs"][1]["ttft_s"]  # a seed draws the rest


def test_the_course_over_time_is_told_on_demand(capsys, tmp_path):
    assert called(capsys, "run", *SMALL_PDD, "--json").json()["series"] is None
    out = tmp_path / "course.csv"
    words = ("run", *SMALL_PDD, "--series", "--out", str(out))
    text = called(capsys, *words).out
    series = called(capsys, "run", *SMALL_PDD, "--series", "--json").json()["series"]
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [float(row["time_s"]) for row in rows] == series["time_s"]
    for name in ("local_share", "p_hit", "md_hit", "relay_batch", "line_flows"):
        told = [None if row[name] == "" else float(row[name]) for row in rows]
        assert told == series["values"][name]
    head = next(line for line in text.splitlines() if line.startswith("time s"))
    assert head.split()[:8] == ["time", "s", "local", "P", "hit", "MD", "hit", "RLD"]


def test_the_collapse_shows_in_the_course(capsys):
    """Local share, P hit and MD hit over time: claim C18 as a course."""
    words = ("run", "p_rld_collapse", "--series", "--json", "--set", "run.duration_s=3600")
    free = called(capsys, *words).json()
    held = called(capsys, *words, "--set", "policy.drc_held_aligned=true").json()
    late = slice(len(free["series"]["time_s"]) // 2, None)

    def mean(data: dict, name: str) -> float:
        return fmean(v for v in data["series"]["values"][name][late] if v is not None)

    assert mean(free, "p_hit") - mean(free, "md_hit") > 0.2
    assert mean(held, "p_hit") - mean(held, "md_hit") < 0.02
    assert mean(free, "local_share") > 4 * mean(held, "local_share")


def test_without_a_drc_its_hit_rate_is_unknown_all_along(capsys):
    words = ("run", "cross_dc_plain", "--set", "run.requests=600", "--series", "--json")
    course = called(capsys, *words).json()["series"]["values"]
    assert set(course["md_hit"]) == {None}
    assert set(course["p_hit"]) > {None}


def test_out_holds_what_standard_output_says(capsys, tmp_path):
    out = tmp_path / "run.json"
    said = called(capsys, "run", *SMALL, "--json", "--out", str(out))
    assert json.loads(out.read_text()) == said.json()
    rows = tmp_path / "run.csv"
    called(capsys, "run", *SMALL, "--seeds", "2", "--workers", "1", "--out", str(rows))
    first, second = csv.DictReader(io.StringIO(rows.read_text()))
    assert (first["seed"], second["seed"]) == ("0", "1")
    assert float(first["ttft_s.p50"]) == said.json()["ttft_s"]["p50"]
    assert first["md_hit"] == ""
