"""`trace` and `scenario check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .command_line import ROOT, called
from .test_cli_run import SAMPLE

TRACE_KEYS = {
    "requests", "input_tokens", "output_tokens", "mean_hit", "token_weighted_hit", "share_ge_95",
    "buckets", "lru",
}  # fmt: skip


def test_json_of_a_trace(capsys):
    data = called(capsys, "trace", str(SAMPLE), "--json").json()
    assert set(data) == TRACE_KEYS
    rates = [round(data[key], 3) for key in ("mean_hit", "token_weighted_hit", "share_ge_95")]
    assert rates == [0.911, 0.921, 0.521]
    assert data["requests"] == 307
    assert len(data["buckets"]) == 7
    assert sum(data["buckets"]) == pytest.approx(1)
    assert [set(row) for row in data["lru"]] == [{"tokens", "mean_hit", "share_ge_95"}] * 5


def test_a_trace_without_ids_says_nothing_of_hits(capsys, tmp_path):
    trace = tmp_path / "azure.csv"
    trace.write_text(
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n"
    )
    said = called(capsys, "trace", str(trace), "--json")
    data = said.json()
    assert (data["input_tokens"], data["mean_hit"], data["lru"]) == (4808, None, None)
    assert "note: azure.csv:" in said.err
    assert called(capsys, "trace", str(trace), "--json", "--quiet").err == ""
    text = called(capsys, "trace", str(trace)).out
    assert ["mean", "hit", "–"] in [line.split() for line in text.splitlines()]


def test_the_published_trace_to_its_last_digit(capsys, public_traces: Path):
    text = called(capsys, "trace", str(public_traces / "agentic_90min.mooncake.jsonl.gz")).out
    told = {" ".join(line.split()) for line in text.splitlines()}
    assert told >= {
        "requests 5,102",
        "input tokens 646,209,398",
        "output tokens 2,361,783",
        "mean hit 0.9440",
        "token-weighted hit 0.9569",
        "share >= 95 % 0.8759",
        "7.6 % 4.8 % 2.4 % 4.2 % 8.2 % 23.3 % 49.5 %",
        "1 M tokens 0.214 0.181",
        "2 M tokens 0.491 0.441",
        "4 M tokens 0.785 0.726",
        "6 M tokens 0.911 0.844",
        "8 M tokens 0.944 0.876",
    }


@pytest.mark.parametrize(
    ("file", "requests"),
    [
        ("agentic_90min.mooncake.jsonl.gz", 5_102),
        ("mooncake_conversation_trace.jsonl", 12_031),
        ("AzureLLMInferenceTrace_code.csv", 8_819),
        ("agentic_sessions.weka.jsonl.gz", 2_411),
    ],
)
def test_public_traces_run_to_their_end(capsys, public_traces: Path, file, requests):
    data = called(capsys, "run", "pdd_43a_32b", "--trace", public_traces / file, "--json").json()
    all_of_them = {"arrived": requests, "finished": requests, "refused": 0, "in_flight": 0}
    assert data["requests"] == all_of_them


def test_shipped_scenarios_are_sound(capsys):
    files = [str(path) for path in sorted((ROOT / "scenarios").glob("*.yaml"))]
    data = called(capsys, "scenario", "check", *files, "--json").json()
    assert [entry["file"] for entry in data] == files
    assert all(entry["ok"] and entry["problems"] == [] for entry in data)
    assert len({entry["digest"] for entry in data}) == len(files)


def test_everything_wrong_in_a_file_is_told_with_its_line(capsys, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(
        "extends: pdd_43a_32b.yaml\nname: mine\nline: {bandwith_gbps: 25}\n"
        "workload:\n  clients: -3\n"
    )
    (tmp_path / "pdd_43a_32b.yaml").write_text(
        (ROOT / "scenarios" / "pdd_43a_32b.yaml").read_text()
    )
    said = called(capsys, "scenario", "check", str(file), "same_dc_88a")
    assert said.code == 2
    lines = said.out.splitlines()
    assert lines[0] == f"{file}: 2 problems"
    assert lines[1].startswith(f"  {file}:3 line.bandwith_gbps is unknown: did you mean line.band")
    assert lines[2].startswith(f"  {file}:5 workload.clients is -3: give a whole number at least 1")
    assert lines[3].startswith("same_dc_88a: ok, digest ")
    wrong = called(capsys, "scenario", "check", str(file), "--json")
    assert wrong.code == 2
    assert [p["found"] for p in json.loads(wrong.out)[0]["problems"]] == ["unknown", "-3"]
