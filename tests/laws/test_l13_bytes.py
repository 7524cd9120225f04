"""L13: h = 1 with m_s >= L sends nothing, h = 0 with DRC off sends L b."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deployments import round_pdd, shipped
from tests.given_requests import columns, request, rows, served, simulation
from tests.laws.runs import ended
from tests.small_scenarios import scenarios
from twin.policy import P_D
from twin.scenario import Scenario


def test_nothing_is_sent_where_all_is_held() -> None:
    given_turns = [(0.0, request(1000, 50)), (9.0, request(1000, 50, hit=1000, first_turn=False))]
    sim = simulation(round_pdd(), given_turns)
    sim.advance(8.0)
    assert sim.pipeline.drc.held(request(1000, 1)) == 1050  # m_s = L + out
    sim.advance_to_end()
    line = sim.pipeline.line
    assert line is not None
    assert rows(sim)[1]["nbytes"] == 0
    assert rows(sim)[1]["landed_after"] == 0
    assert line.asked_bytes == 1e9  # the first turn only


@pytest.mark.parametrize("hit", [0, 700])
def test_everything_is_sent_where_nothing_is_held(hit: float) -> None:
    scenario = round_pdd({"caches.drc_enabled": False})
    given_turns = [(9.0 * n, request(1000, 50, hit=hit, first_turn=not n)) for n in range(3)]
    told = served(scenario, given_turns)
    assert [told[n]["nbytes"] for n in range(3)] == [1e9] * 3
    assert [told[n]["md_hit"] for n in range(3)] == [0] * 3


def test_in_whole_runs() -> None:
    """All hits 1 but the first: only first turns cross; DRC off: everything does."""
    held = {
        "workload.hit_shares": [0, 0, 0, 0, 0, 0, 1.0], "workload.first_turn_hit_max": 0.0,
        "run.requests": 1500, "workload.clients": 60, "policy.drc_held_aligned": True,
    }  # fmt: skip
    sim = ended(shipped("pdd_43a_32b", held), 1)
    prompt, hit, nbytes = columns(sim, "prompt", "hit", "nbytes")
    assert np.allclose(nbytes, (prompt - hit) * 46_488)
    off = ended(shipped("pdd_43a_32b", {"caches.drc_enabled": False, "run.requests": 500}), 1)
    prompt, nbytes = columns(off, "prompt", "nbytes")
    assert np.allclose(nbytes, prompt * 46_488)


def test_a_hybrid_models_state_is_sent_in_any_case() -> None:
    scenario = round_pdd({"model.fixed_state_mb": 50})
    given_turns: list[Any] = [
        (0.0, request(1000, 50)), (9.0, request(1000, 50, hit=1000, first_turn=False))
    ]  # fmt: skip
    told = served(scenario, given_turns)
    assert told[0]["nbytes"] == 1.05e9
    assert told[0]["transfer"] == pytest.approx(1.05 / 50 + 0.01)  # by RDMA it goes along too
    assert told[1]["nbytes"] == 0.05e9


@settings(max_examples=40)
@given(scenarios(with_events=False), st.integers(0, 3))
def test_never_less_than_what_is_new_nor_more_than_the_prompt(
    scenario: Scenario, seed: int
) -> None:
    sim = ended(scenario, seed)
    prompt, hit, md_hit, nbytes, pipeline = columns(
        sim, "prompt", "hit", "md_hit", "nbytes", "pipeline"
    )
    assert np.all((md_hit >= 0) & (md_hit <= hit + 1e-9))
    sent = nbytes > 0
    assert np.allclose(nbytes[sent], (prompt - md_hit)[sent] * 46_488)
    assert np.all(nbytes[pipeline == P_D] == 0)
