"""An observed run is the same run, and what is told of it adds up to what the engine counts."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings

from tests.deployments import round_pdd, shipped
from tests.given_requests import ListLoad, request
from tests.laws.told import SETTINGS, text
from tests.small_scenarios import scenarios
from twin.engine.checkpoint import digest
from twin.engine.journey import Journey
from twin.engine.observer import MD, PB, RLD, Observer, P, tokens_made
from twin.engine.simulation import Simulation
from twin.engine.summary import summarize
from twin.scenario import Scenario


class Told:
    """Adds up what it is told."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.made: Counter[str] = Counter()
        self.batch_tokens: dict[str, float] = defaultdict(float)
        self.virtual: dict[str, float] = defaultdict(float)
        self.line_bytes = 0.0
        self.by_line = 0
        self.events: list[tuple[float | str, ...]] = []

    def arrived(self, j: Journey) -> None:
        self.seen["arrived"] += 1

    def prefilled(self, pool: str, j: Journey) -> None:
        self.seen[f"prefilled {pool}"] += 1

    def kv_came(
        self, pool: str, j: Journey | None, held: float, nbytes: float, seconds: float
    ) -> None:
        self.seen[f"kv {pool}"] += 1
        self.events.append(("kv", pool, nbytes, seconds))
        self.line_bytes += nbytes if pool == MD else 0

    def joined(self, pool: str, index: int, j: Journey) -> None:
        self.seen[f"joined {pool}"] += 1
        self.events.append(("joined", pool))

    def decoded(self, pool: str, index: int, batch: int, each: float, itl_s: float) -> None:
        self.batch_tokens[pool] += batch * each
        assert itl_s > 0 and each > 0

    def left(self, pool: str, index: int, j: Journey, made: int, virtual: float) -> None:
        self.seen[f"left {pool}"] += 1
        self.made[pool] += made
        self.virtual[pool] += virtual
        self.events.append(("left", pool, made))

    def lost(self, pool: str, index: int) -> None:
        self.seen[f"lost {pool}"] += 1

    def came_back(self, pool: str, index: int) -> None:
        self.seen[f"back {pool}"] += 1

    def finished(self, j: Journey, last: float) -> None:
        self.seen["finished"] += 1


def observed(scenario: Scenario, seed: int, chunk_s: float) -> tuple[Simulation, Told]:
    sim, told = Simulation(scenario, seed=seed, total=scenario.run.requests), Told()
    Observer(sim, told)
    while not sim.over:
        sim.advance(sim.now + max(chunk_s, sim.now / 10))
    return sim, told


def check_sums(sim: Simulation, told: Told) -> None:
    p, seen = sim.pipeline, told.seen
    assert seen["arrived"] == p.counts["arrived"]
    assert seen["finished"] == p.counts["finished"]
    done = seen[f"prefilled {P}"] + seen[f"prefilled {PB}"]
    assert done == p.counts["arrived"] + p.counts["redone"]
    for pool, tokens in ((RLD, p.rld_tokens), (MD, p.md_tokens)):
        assert told.made[pool] == tokens
        assert seen[f"joined {pool}"] == seen[f"left {pool}"]
        assert told.batch_tokens[pool] == pytest.approx(told.virtual[pool], rel=1e-6, abs=1e-6)


@given(scenarios(requests=100))
@settings(max_examples=25)
def test_an_observed_run_is_the_same_and_adds_up(scenario: Scenario) -> None:
    sim, told = observed(scenario, 5, 7.0)
    plain = Simulation(scenario, seed=5, total=scenario.run.requests)
    while not plain.over:
        plain.advance(plain.now + max(7.0, plain.now / 10))
    assert (digest(sim), text(summarize(sim))) == (digest(plain), text(summarize(plain)))
    check_sums(sim, told)


def test_where_everything_happens() -> None:
    scenario = shipped("pdd_43a_32b", SETTINGS)
    sim, told = observed(scenario, 7, 3.0)
    check_sums(sim, told)
    assert told.seen[f"lost {MD}"] == told.seen[f"back {MD}"] == 1
    assert sim.pipeline.counts["landed_late"] > 0


def test_all_that_crosses_the_line_comes() -> None:
    scenario = shipped("thin_line", {"run": {"requests": 1500, "duration_s": None}})
    sim, told = observed(scenario, 2, 3.0)
    sim.advance(sim.now + 10_000)
    line = sim.pipeline.line
    assert line is not None and not line.flows
    assert told.seen[f"kv {MD}"] == sim.pipeline.counts["landed"]
    assert told.line_bytes == pytest.approx(line.asked_bytes, rel=1e-9)


def test_one_request_by_hand() -> None:
    """1,000 tokens: RDMA 30 ms, line 1 s, RLD 20 ms a step until the ids go over."""
    sim, told = Simulation(round_pdd(), ListLoad([(0.0, request(1000, 100))])), Told()
    Observer(sim, told)
    sim.advance(0.4 + 0.03 + 0.5)
    (j,) = sim.pipeline.live.values()
    assert tokens_made(sim.pipeline, j, sim.now) == 25  # 0.5 s of steps of 20 ms
    sim.advance(100.0)
    made = sim.pipeline.rld_tokens
    assert told.events == [
        ("kv", RLD, pytest.approx(1e9), pytest.approx(0.03)),
        ("joined", RLD),
        ("kv", MD, pytest.approx(1e9), pytest.approx(1.0)),
        ("left", RLD, made),
        ("joined", MD),
        ("left", MD, 100 - made),
    ]
    assert 48 <= made <= 60
