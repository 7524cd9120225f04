"""The published traces, to the last digit of their reference values."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from twin.workload.cache_profile import TraceProfile, profile
from twin.workload.mooncake import write_mooncake
from twin.workload.traces import Trace, read_trace


def rates(found: TraceProfile) -> tuple[float, ...]:
    values = (found.mean_hit, found.token_weighted_hit, found.share_ge_95)
    return tuple(round(v, 4) for v in values if v is not None)


def ids_of(trace: Trace) -> int:
    return 0 if trace.block_numbers is None else len(trace.block_numbers)


@pytest.fixture(scope="module")
def agentic(public_traces: Path) -> Trace:
    return read_trace(public_traces / "agentic_90min.mooncake.jsonl.gz")


@pytest.fixture(scope="module")
def conversation(public_traces: Path) -> Trace:
    return read_trace(public_traces / "mooncake_conversation_trace.jsonl")


@pytest.fixture(scope="module")
def sessions(public_traces: Path) -> Trace:
    return read_trace(public_traces / "agentic_sessions.weka.jsonl.gz")


def test_conversation(conversation: Trace):
    found = profile(conversation, ())
    assert (found.requests, found.input_tokens, found.output_tokens) == (
        12_031, 144_793_823, 4_122_048,
    )  # fmt: skip
    assert ids_of(conversation) == 288_500
    assert rates(found) == (0.4078, 0.3734, 0.0922)
    assert rates(profile(conversation, (), partial_blocks=True)) == (0.4094, 0.3736, 0.0977)


def test_agentic_90min(agentic: Trace):
    found = profile(agentic)
    assert (found.requests, found.input_tokens, found.output_tokens) == (
        5_102, 646_209_398, 2_361_783,
    )  # fmt: skip
    assert ids_of(agentic) == 1_264_696
    assert len(agentic.sessions) == 108
    assert rates(found) == (0.9440, 0.9569, 0.8759)
    assert found.buckets is not None
    assert [round(100 * b, 1) for b in found.buckets] == [7.6, 4.8, 2.4, 4.2, 8.2, 23.3, 49.5]
    assert found.lru is not None
    assert [(r.tokens, round(r.mean_hit, 3), round(r.share_ge_95, 3)) for r in found.lru] == [
        (1_000_000, 0.214, 0.181), (2_000_000, 0.491, 0.441), (4_000_000, 0.785, 0.726),
        (6_000_000, 0.911, 0.844), (8_000_000, 0.944, 0.876),
    ]  # fmt: skip
    assert agentic.notes == ("requests with output 0, kept: 2",)


def test_agentic_sessions(sessions: Trace):
    assert len(sessions) == 2_411
    assert len(sessions.sessions) == 46
    assert sessions.chains is not None
    assert len(sessions.chains) == 46 + 9
    assert sum(chain.turns for chain in sessions.chains) == 2_411
    assert rates(profile(sessions, ())) == (0.9475, 0.9550, 0.8793)
    assert "requests with output 0, kept: 4" in sessions.notes
    assert "turns without think_time or the api_time before, taken as 0 s: 20" in sessions.notes


def test_subagents_start_right_after_the_reply_that_called_them(sessions: Trace):
    """t - duration_ms puts siblings at one moment, so t is when the result was back."""
    assert sessions.chains is not None
    starts = sorted(round(c.start_s, 1) for c in sessions.chains if c.start_s > 0)
    assert starts == [19.5] * 6 + [385.6, 1101.4, 1101.4]


def test_azure_code(public_traces: Path):
    trace = read_trace(public_traces / "AzureLLMInferenceTrace_code.csv")
    found = profile(trace)
    assert (found.requests, found.input_tokens, found.output_tokens) == (
        8_819, 18_059_974, 245_896,
    )  # fmt: skip
    assert found.mean_hit is None
    assert trace.duration_s == pytest.approx(57 * 60, abs=60)


def test_written_and_read_again(agentic: Trace, public_traces: Path):
    stream = io.StringIO()
    write_mooncake(agentic, stream)
    again = read_trace(stream.getvalue().encode())
    assert again.digest == agentic.digest


def test_joined_to_512_tokens_the_sessions_keep_their_hits(sessions: Trace):
    """Larger blocks can only lose the end of a hit: less than 512 tokens a request."""
    stream = io.StringIO()
    write_mooncake(sessions, stream)
    again = profile(read_trace(stream.getvalue().encode()), ())
    before = profile(sessions, ())
    assert again.input_tokens == before.input_tokens
    assert again.token_weighted_hit is not None
    assert before.token_weighted_hit is not None
    lost = (before.token_weighted_hit - again.token_weighted_hit) * before.input_tokens
    assert 0 <= lost < 512 * before.requests


@pytest.mark.parametrize(
    ("sample", "form", "rows"),
    [
        ("mooncake.jsonl", "mooncake", 5),
        ("azure_2023.csv", "azure", 5),
        ("azure_2024.csv", "azure", 4),
        ("azure_2025_multimodal.csv", "azure", 3),
        ("weka_session.json", "weka", 2),
    ],
)
def test_samples_of_known_formats(public_traces: Path, sample: str, form: str, rows: int):
    trace = read_trace(public_traces / "format_samples" / sample)
    assert trace.format == form
    assert len(trace) >= rows
