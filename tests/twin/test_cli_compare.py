"""`compare` and `capacity`: their JSON, worker counts, claims, sensitivity."""

from __future__ import annotations

import csv
import io
from statistics import fmean

import pytest

from twin.claims import CROSS_DC, FITTED, PDD, SAME_DC, Fitted
from twin.cli.compare_table import band, claims_table, sensitivity_table
from twin.compare import Job, compare
from twin.scenario_file import load, shipped_folder, with_settings
from twin.sensitivity import sensitivity, settings_of
from twin.verdicts import MEASURES, Evidence, verdicts

from .command_line import called, without_cpu
from .test_cli_run import KEYS, SAMPLE

FEW = ("--set", "run.requests=1500", "--set", "workload.clients=20")


def test_json_has_the_keys_that_programs_rely_on(capsys):
    words = ("compare", SAME_DC, PDD, *FEW, "--set", "workload.think_s=5", "--seeds", "2")
    data = called(capsys, *words, "--json", "--workers", "1").json()
    assert data["baseline"] == SAME_DC
    assert "20 clients" in data["basis"]
    assert "P(total <= 30 s) = 0.9" in data["basis"]
    assert [result["scenario"] for result in data["results"]] == [SAME_DC, PDD]
    for result in data["results"]:
        assert set(result) >= KEYS | {"capacity_rps", "bcr", "capacity_spread", "runs"}
        assert result["capacity_rps"] == pytest.approx(fmean(result["capacity_spread"]["values"]))
        assert [run["seed"] for run in result["runs"]] == result["seeds"] == [0, 1]
        p50 = [run["ttft_s"]["p50"] for run in result["runs"]]
        assert result["ttft_s"]["p50"] == pytest.approx(fmean(p50))
    first, second = data["results"]
    assert first["bcr"] == 1
    per_cost = [r["capacity_rps"] / r["cost_units"] for r in (first, second)]
    assert second["bcr"] == pytest.approx(per_cost[1] / per_cost[0])
    assert data["claims"] == []  # these are not the deployments that claims speak of


def test_prefill_in_both_sites_beside_pdd_on_the_same_requests(capsys, tmp_path):
    """The row of what is prefilled in B stands there where one of them does that, and only then."""
    words = ("compare", PDD, "selective_42a_32b", *FEW, "--no-capacity", "--workers", "1")
    printed = called(capsys, *words, "--out", str(tmp_path / "both.csv")).out
    (row,) = [line.split() for line in printed.splitlines() if line.startswith("prefilled in B")]
    assert row[4] == "–"
    assert 30 < float(row[5]) < 80
    assert "prefilled in B" not in called(capsys, "compare", SAME_DC, PDD, *words[3:]).out
    read = list(csv.DictReader(io.StringIO((tmp_path / "both.csv").read_text())))
    assert [r["beside_request_share"] == "" for r in read] == [True, False]
    one, two = called(capsys, *words, "--json").json()["results"]
    assert one["requests"]["arrived"] == two["requests"]["arrived"] == 1500
    assert one["kv_bytes"] == pytest.approx(two["kv_bytes"], rel=0.05)  # of the same draws


def test_the_number_of_workers_changes_nothing(capsys):
    words = ("compare", SAME_DC, PDD, *FEW, "--seeds", "2", "--no-capacity", "--json")
    alone = called(capsys, *words, "--workers", "1").json()
    shared = called(capsys, *words, "--workers", "2").json()
    assert without_cpu(alone) == without_cpu(shared)
    assert alone["results"][1]["capacity_rps"] is None
    assert alone["results"][1]["bcr"] is None


def test_a_setting_of_the_line_is_set_where_there_is_a_line(capsys):
    words = ("compare", SAME_DC, PDD, *FEW, "--set", "line.bandwidth_gbps=2", "--no-capacity")
    data = called(capsys, *words, "--json").json()
    plain = called(capsys, *words[:-3], "--no-capacity", "--json").json()
    assert data["results"][0]["digest"] == plain["results"][0]["digest"]
    assert data["results"][1]["digest"] != plain["results"][1]["digest"]


def test_deployments_serve_the_same_trace(capsys):
    words = ("compare", SAME_DC, PDD, "--trace", str(SAMPLE), "--json", "--workers", "1")
    data = called(capsys, *words).json()
    assert "307 requests of agents_small" in data["basis"]
    assert all(r["requests"]["finished"] == 307 for r in data["results"])
    assert data["results"][0]["p_hit"] == data["results"][1]["p_hit"]
    assert data["results"][0]["capacity_rps"] is None


def test_csv_has_a_row_for_each_deployment(capsys, tmp_path):
    out = tmp_path / "c.csv"
    called(capsys, "compare", SAME_DC, PDD, *FEW, "--no-capacity", "--out", str(out))
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [row["scenario"] for row in rows] == [SAME_DC, PDD]
    assert float(rows[1]["cost_units"]) == 81.75


def test_capacity_is_where_the_share_is_just_reached(capsys):
    words = ("--set", "run.requests=1500", "--set", "workload.think_s=5", "--seeds", "2")
    data = called(capsys, "capacity", PDD, *words, "--json", "--workers", "1").json()
    assert data["load_setting"] == "workload.clients"
    for search in data["searches"]:
        met = [r for r in search["runs"] if r["sla_ok_share"] >= 0.9]
        missed = [r for r in search["runs"] if r["sla_ok_share"] < 0.9]
        most, least = max(r["load"] for r in met), min(r["load"] for r in missed)
        assert most <= search["load"] <= least
    text = called(capsys, "capacity", PDD, *words, "--workers", "1").out
    assert f"{data['capacity_rps']:.3f}" in text


# --- claims


@pytest.fixture(scope="module")
def published():
    """The deployments that claims speak of, with few requests."""
    few = {"run.requests": 1200, "workload.clients": 40, "workload.think_s": 8}
    names = (SAME_DC, CROSS_DC, PDD)
    return {name: with_settings(load(shipped_folder() / f"{name}.yaml"), few) for name in names}


@pytest.fixture(scope="module")
def found(published):
    return compare(list(published.values()), seeds=(0, 1))


def test_every_band_is_judged(found):
    judged = verdicts(Evidence.of(found))
    assert len(judged) == len(MEASURES)
    assert all(v.value is not None for v in judged)
    assert all(len(v.values) == (1 if v.claim == "C07" else 2) for v in judged)
    assert all(v.inside == ((v.low or -1e9) <= (v.value or 0) <= (v.high or 1e9)) for v in judged)


def test_figures_are_those_of_the_comparison(found):
    judged = {(v.claim, v.unit, v.low): v for v in verdicts(Evidence.of(found))}
    same, cross, pdd = found.results
    c01 = judged["C01", "s", 3.2]
    assert c01.values == [run.ttft_s.p50 for run in same.runs]
    c05 = judged["C05", "%", -60]
    p50 = [fmean(run.ttft_s.p50 for run in r.runs) for r in (pdd, cross)]
    assert c05.value == pytest.approx(100 * (p50[0] / p50[1] - 1))
    bcr = judged["C08", "%", 29]
    assert bcr.value == pytest.approx(100 * (pdd.bcr - 1))
    high = judged["C08", "%", 24]
    assert high.value == pytest.approx(100 * (pdd.bcr_high_price - 1))


def test_claims_without_evidence_are_left_out(found):
    whole = Evidence.of(found)
    without = Evidence({PDD: whole.runs[PDD]}, {}, {})
    assert {v.claim for v in verdicts(without)} == {"C09", "C10", "C12", "C13"}
    assert verdicts(Evidence({}, {}, {})) == []


def test_the_table_says_in_and_out(found):
    judged = verdicts(Evidence.of(found))
    text = claims_table(judged, 2)
    for verdict in judged:
        line = next(x for x in text.splitlines() if verdict.about in x)
        assert (" OUT " in line) == (verdict.inside is False)
    assert "bands are for the mean of 6 seeds, these are 2" in text
    c07 = next(v for v in judged if v.claim == "C07")
    assert band(c07) == "exactly -7.1 %"


def test_claims_are_judged_only_of_the_deployments_as_shipped(capsys):
    words = ("compare", PDD, "--no-capacity", "--json", "--workers", "1")
    as_shipped = called(capsys, *words).json()
    assert {c["claim"] for c in as_shipped["claims"]} == {"C09", "C10", "C12", "C13"}
    changed = called(capsys, *words, "--set", "run.requests=900").json()
    assert changed["claims"] == []
    said = called(capsys, *words, "--set", "run.requests=900", "--sensitivity")
    assert said.code == 2
    assert "--sensitivity: needs a deployment that claims speak of" in said.err


def test_a_parameter_left_as_it_is_moves_no_figure(published, found):
    evidence = Evidence.of(found)
    some = [FITTED["load"], FITTED["decode efficiency of B"]]
    moved = sensitivity(published, evidence, (0, 1), factors=(1.0,), parameters=some)
    before = verdicts(evidence)
    assert [change.parameter for change in moved.changes] == [one.name for one in some]
    assert all(change.verdicts == before for change in moved.changes)


@pytest.mark.parametrize(
    ("name", "jobs"),
    [
        ("load", 3),  # runs of three deployments; capacity is a search over the load
        ("per-flow cap", 2 + 1),
        ("decode efficiency of B", 1 + 1),
        ("decode efficiency of A", 3 + 2),
    ],
)
def test_only_what_a_parameter_touches_is_run_anew(published, found, monkeypatch, name, jobs):
    asked: list[Job] = []

    def carried_out(work, wanted, workers):
        asked.extend(wanted)
        raise InterruptedError

    monkeypatch.setattr("twin.sensitivity.carried_out", carried_out)
    with pytest.raises(InterruptedError):
        sensitivity(published, Evidence.of(found), (0,), factors=(1.1,), parameters=[FITTED[name]])
    assert len(asked) == jobs
    assert all(job.scenario != published[job.scenario.name] for job in asked)


def test_a_changed_parameter_moves_the_figures_that_hang_on_it(published, found):
    evidence = Evidence.of(found)
    moved = sensitivity(
        published, evidence, (0, 1), factors=(0.5,), parameters=[FITTED["per-flow cap"]]
    )
    (change,) = moved.changes
    assert change.settings == {"line.per_flow_cap_gbps": 5.0}
    before = {(v.claim, v.about): v.value for v in verdicts(evidence)}
    after = {(v.claim, v.about): v.value for v in change.verdicts}
    c01, c02 = ("C01", "same-DC, 88 A: TTFT P50"), ("C02", "cross-DC, unoptimised: TTFT P50")
    assert (after[c02] or 0) > (before[c02] or 0) + 0.5
    assert after[c01] == before[c01]
    assert {v.claim for v in change.outside} <= {v.claim for v in change.verdicts}
    text = sensitivity_table(moved)
    assert all(v.about in text for v in change.outside)


def test_a_parameter_of_a_chip_is_that_of_all_its_pools(published):
    efficiency = FITTED["decode efficiency of A"]
    assert settings_of(efficiency, published[PDD]) == {
        "prefill.chip.decode_bandwidth_share": 0.43,
        "relay_decode.chip.decode_bandwidth_share": 0.43,
    }
    assert settings_of(FITTED["per-flow cap"], published[SAME_DC]) == {}
    assert settings_of(Fitted("x", "chip none.decode_bandwidth_share"), published[PDD]) == {}
