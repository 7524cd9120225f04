"""L4: output tokens = RLD tokens + MD tokens."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.given_requests import columns
from tests.laws.runs import ended
from tests.small_scenarios import scenarios
from twin.engine.pools import DecodePool
from twin.engine.simulation import Simulation
from twin.scenario import Scenario


def decoded(sim: Simulation, name: str, pool: DecodePool | None) -> float:
    """Tokens of a pool by its ITL count: batch x time / ITL, which knows no request."""
    if pool is None:
        return 0.0
    counted = [cells for _, kind, cells in sim.recorder.itl if kind == name]
    return sum(tokens for cells in [*counted, pool.itl_tokens] for tokens in cells.values())


@settings(max_examples=60)
@given(scenarios(), st.integers(0, 3))
def test_every_token_is_made_once(scenario: Scenario, seed: int) -> None:
    sim = ended(scenario, seed)
    p = sim.pipeline
    out, relay_made = columns(sim, "out", "relay_made")
    assert np.all((relay_made >= 0) & (relay_made <= out))
    assert np.all(relay_made == np.floor(relay_made))
    assert sum((p.rld_tokens, p.md_tokens)) == out.sum()
    assert p.rld_tokens == relay_made.sum()


@settings(max_examples=60)
@given(scenarios(with_events=False), st.integers(0, 3))
def test_the_batches_made_what_the_requests_got(scenario: Scenario, seed: int) -> None:
    """MD makes just the tokens it is left with; RLD wastes less than one a handoff, unless it
    catches up beyond the end of the answer."""
    sim = ended(scenario, seed)
    p = sim.pipeline
    sim.advance(sim.now + 1.0)
    assert np.isclose(decoded(sim, "main", p.main), p.md_tokens, rtol=1e-9, atol=1e-6)
    by_relay = decoded(sim, "relay", p.relay)
    assert by_relay >= p.rld_tokens * (1 - 1e-9) - 1e-6
    (gap,) = columns(sim, "gap")
    handoffs = int((gap >= 0).sum())
    if scenario.policy.handoff_mode == "one_shot":
        assert by_relay <= p.rld_tokens + handoffs * 2 + 1e-6
