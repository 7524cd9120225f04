"""The project's own small trace: made by the program, the same bytes everywhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from twin.workload.cache_profile import profile
from twin.workload.sample_trace import SYSTEM_BLOCKS, sample_trace_text
from twin.workload.traces import Trace, read_trace

SAMPLE = Path(__file__).parents[3] / "scenarios" / "traces" / "agents_small.mooncake.jsonl"


@pytest.fixture(scope="module")
def sample() -> Trace:
    return read_trace(SAMPLE)


def test_the_file_is_what_the_program_makes():
    assert SAMPLE.read_bytes() == sample_trace_text().encode()
    assert SAMPLE.stat().st_size < 200_000


def test_another_seed_makes_another_trace():
    assert sample_trace_text(seed=1) != sample_trace_text(seed=2)


def test_it_is_an_agent_trace(sample: Trace):
    assert sample.notes == ()
    assert 250 <= len(sample) <= 350
    assert len(sample.sessions) == 24
    assert (np.diff(sample.arrival_s) >= 0).all()
    shared = [r.blocks[:SYSTEM_BLOCKS] for r in sample.requests() if r.blocks is not None]
    assert set(shared) == {tuple(range(SYSTEM_BLOCKS))}


def test_ids_are_chained_so_equal_ids_mean_equal_prefixes(sample: Trace):
    before: dict[int, tuple[int, ...]] = {}
    for request in sample.requests():
        blocks = request.blocks or ()
        for i, block in enumerate(blocks):
            assert before.setdefault(block, blocks[:i]) == blocks[:i]


def test_only_the_system_prompt_is_shared_between_sessions(sample: Trace):
    owner: dict[int, int | None] = {}
    for request in sample.requests():
        for block in (request.blocks or ())[SYSTEM_BLOCKS:]:
            assert owner.setdefault(block, request.session) == request.session


def test_its_hits_lie_where_agents_lie(sample: Trace):
    found = profile(sample, [200_000, 10**9])
    assert found.mean_hit is not None
    assert found.token_weighted_hit is not None
    assert found.share_ge_95 is not None
    assert found.lru is not None
    told = f"{found.mean_hit:.3f}, token-weighted {found.token_weighted_hit:.3f}"
    assert told in SAMPLE.with_name("README.md").read_text()
    assert 0.88 < found.mean_hit < 0.96
    assert found.share_ge_95 > 0.5
    assert found.lru[0].mean_hit < found.mean_hit - 0.2
    assert found.lru[1].mean_hit == found.mean_hit
