"""L8: the line alone is M/G/1-PS: mean transfer = size / (rate (1 - load)); fifo is M/G/1.

With the figures of a published fault: the time of a transfer is no constant while the line fills.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import pytest

from tests.deployments import round_pdd
from tests.given_requests import columns, request
from tests.laws.judged import Estimate, over_batches
from tests.laws.runs import ended
from twin.engine.clock import Clock
from twin.engine.line import SharedLine
from twin.engine.summary import summarize

GB = 1e9
TEN_GBPS = 1.25e9
ASKS, TIMER = 0, 1

REQUESTS = 8000
"""Of a run of the whole engine."""

Sizes = Callable[[np.random.Generator, int], np.ndarray]


def transfers(
    rate_rps: float, sizes: np.ndarray, seed: int, fifo: bool, cap: float = inf
) -> np.ndarray:
    """Seconds on the line of each of a Poisson stream of transfers, in order of arrival."""
    clock = Clock()
    line = SharedLine(clock, TIMER, TEN_GBPS, cap, fifo)
    gaps = np.random.default_rng(seed).exponential(1 / rate_rps, len(sizes))
    took = np.zeros(len(sizes))
    asked = request(1, 1)

    def asks(n: int) -> None:
        line.join(asked, float(sizes[n]), clock.now)  # flows are numbered as they come
        if n + 1 < len(sizes):
            clock.at(clock.now + gaps[n + 1], ASKS, n + 1)

    def timer(version: int) -> None:
        for flow in line.departed(version, clock.now):
            took[flow.number] = clock.now - flow.started
            del line.flows[flow.number]

    clock.handlers = [asks, timer]
    clock.at(gaps[0], ASKS, 0)
    while (upcoming := clock.next_time()) is not None:
        clock.advance(upcoming + 1000.0)
    assert not line.flows
    return took


def constant(_: np.random.Generator, count: int) -> np.ndarray:
    return np.full(count, GB)


def exponential(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.exponential(GB, count)


def two_sizes(rng: np.random.Generator, count: int) -> np.ndarray:
    """One in ten is 5.5 times the mean, the others half of it."""
    return np.where(rng.random(count) < 0.1, 5.5 * GB, 0.5 * GB)


def mean_transfer(sizes: Sizes, rate_rps: float, fifo: bool, count: int = 40_000) -> Estimate:
    """Over three seeds of 40,000 transfers, the first tenth left out."""
    pooled = []
    for seed in range(3):
        drawn = sizes(np.random.default_rng(100 + seed), count)
        pooled.append(transfers(rate_rps, drawn, seed, fifo)[count // 10 :])
    return over_batches(np.concatenate(pooled), 60)


@pytest.mark.parametrize("sizes", [constant, exponential, two_sizes])
@pytest.mark.parametrize("rate_rps", [0.5, 1.0])
def test_sharing_knows_only_the_mean_size(sizes: Sizes, rate_rps: float) -> None:
    """T = (1 GB / rate) / (1 - load) whatever the distribution: 1.333 s and 4.00 s."""
    load = rate_rps * GB / TEN_GBPS
    took = mean_transfer(sizes, rate_rps, fifo=False)
    assert took.error < 0.04 * took.mean
    assert took.agrees_with(GB / TEN_GBPS / (1 - load)), took


def test_under_sharing_each_size_is_slowed_alike() -> None:
    sizes = two_sizes(np.random.default_rng(5), 80_000)
    took = transfers(0.75, sizes, 5, fifo=False)  # load .6
    for size in (0.5 * GB, 5.5 * GB):
        slowed = over_batches(took[sizes == size] / (size / TEN_GBPS))
        assert slowed.agrees_with(2.5), (size, slowed)


@pytest.mark.parametrize(
    ("sizes", "second_moment"), [(constant, 1.0), (exponential, 2.0), (two_sizes, 3.25)]
)
@pytest.mark.parametrize("rate_rps", [0.5, 1.0])
def test_fifo_waits_by_the_second_moment(
    sizes: Sizes, second_moment: float, rate_rps: float
) -> None:
    """Pollaczek-Khinchine: W = lambda E[S^2] / (2 (1 - load)); of equal sizes 1.067 and 2.40 s."""
    service = GB / TEN_GBPS
    load = rate_rps * service
    expected = service + rate_rps * second_moment * service**2 / (2 * (1 - load))
    took = mean_transfer(sizes, rate_rps, fifo=True)
    assert took.error < 0.07 * took.mean
    assert took.agrees_with(expected), (expected, took)


@pytest.mark.parametrize(
    ("fifo", "rate_rps", "seconds"),
    [(True, 0.5, 1.067), (True, 1.0, 2.40), (False, 0.5, 1.333), (False, 1.0, 4.00)],
)
def test_published_figures_within_five_percent(fifo: bool, rate_rps: float, seconds: float) -> None:
    """100,000 requests of 1 GB."""
    took = transfers(rate_rps, np.full(100_000, GB), 3, fifo)
    assert took.mean() == pytest.approx(seconds, rel=0.05)


def test_a_cap_turns_the_line_into_many_servers() -> None:
    """f = C / 4 and less than four at a time: none is slowed; a line of 4 servers beyond."""
    few = transfers(0.05, np.full(2000, GB), 1, fifo=False, cap=TEN_GBPS / 4)
    assert np.median(few) == pytest.approx(4 * GB / TEN_GBPS)
    assert few.min() == pytest.approx(4 * GB / TEN_GBPS)


@pytest.mark.parametrize(("discipline", "seconds"), [("fifo", 1.067), ("sharing", 1.333)])
def test_in_the_whole_engine(discipline: str, seconds: float) -> None:
    """The same through arrivals, prefill of no time, the record and the summary."""
    scenario = round_pdd(
        {
            "model.active_params_b": 1e-9,
            "prefill.chip.peak_tflops": 1e5,
            "relay_decode": None,
            "line.bandwidth_gbps": 10,
            "line.discipline": discipline,
            "caches.drc_enabled": False,
            "workload": {
                "arrivals": "poisson", "rate_rps": 0.5, "clients": 100, "turns_per_session": 1,
                "prompt_tokens_mean": 1000, "prompt_sigma": 0, "first_turn_hit_max": 0,
                "output_tokens_mean": 1, "output_cv": 0,
            },
            "run": {"requests": REQUESTS},
        }
    )  # fmt: skip
    pooled, used = [], []
    for seed in range(3):
        sim = ended(scenario, seed)
        arrival, landed = columns(sim, "arrival", "landed_after")
        pooled.append(landed[np.argsort(arrival)][REQUESTS // 10 :])
        said = summarize(sim, series=False)
        assert not said.saturated
        used.append(said.utilisation.line)
    took = over_batches(np.concatenate(pooled), 60)
    assert took.error < 0.02 * took.mean
    assert took.agrees_with(seconds), took
    assert np.mean(used) == pytest.approx(0.4, abs=0.01)
