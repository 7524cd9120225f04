"""L19: host speed, sleeps and load change no result (a fault of a comparable product)."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.deployments import shipped
from tests.laws.told import text
from twin.engine import pools, run
from twin.engine.clock import Clock
from twin.scenario import Scenario

SCENARIO_REQUESTS = 100
SEED = 7


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    whole = {"run.warmup_s": 0, "run.warmup_share": 0, "workload.clients": 20}
    return shipped("pdd_43a_32b", {"run.requests": SCENARIO_REQUESTS, **whole})


@pytest.fixture(scope="module")
def reference(scenario: Scenario) -> str:
    said = run.run(scenario, SEED)
    assert said.window.requests >= 40
    assert said.ttft_s.p99 is not None
    return text(said)


def sleepy(function: Callable[..., Any], seconds: Callable[[int], float]) -> Callable[..., Any]:
    """The same function, now and then delayed by `seconds(call)`."""
    calls = 0

    def slow(*given: Any) -> Any:
        nonlocal calls
        calls += 1
        time.sleep(seconds(calls))
        return function(*given)

    return slow


def test_a_slow_model_of_latency_tells_the_same(
    monkeypatch: pytest.MonkeyPatch, scenario: Scenario, reference: str
) -> None:
    """First calls slow, later ones fast, as a predictor with a cold cache is."""
    delays = sleepy(pools.prefill_seconds, lambda call: 0.05 if call < 10 else 0.001)
    monkeypatch.setattr(pools, "prefill_seconds", delays)
    steps = sleepy(pools.step_seconds, lambda call: 0.002 if call % 20 == 0 else 0.0)
    monkeypatch.setattr(pools, "step_seconds", steps)
    assert text(run.run(scenario, SEED)) == reference


def test_slow_handlers_tell_the_same(
    monkeypatch: pytest.MonkeyPatch, scenario: Scenario, reference: str
) -> None:
    """Every event may take its time; the clock is nobody's wall clock."""
    ordinary = Clock.advance

    def advance(self: Clock, until: float) -> None:
        waits = (0.01, 0.0, 0.003)
        self.handlers = [
            sleepy(handler, lambda call: waits[call % 3] if call < 30 else 0.0)
            for handler in self.handlers
        ]
        ordinary(self, until)

    monkeypatch.setattr(Clock, "advance", advance)
    assert text(run.run(scenario, SEED)) == reference


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def test_a_busy_host_tells_the_same(scenario: Scenario, reference: str) -> None:
    with busy_loops(2):
        assert [text(run.run(scenario, SEED)) for _ in range(3)] == [reference] * 3


def test_a_wall_clock_that_jumps_tells_the_same(
    monkeypatch: pytest.MonkeyPatch, scenario: Scenario, reference: str
) -> None:
    jumps = iter(range(10**9))
    for name in ("time", "monotonic", "perf_counter"):
        monkeypatch.setattr(time, name, lambda: 1e6 * next(jumps))
    assert text(run.run(scenario, SEED)) == reference
