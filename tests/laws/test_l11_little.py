"""L11: Little: X (think + response) = clients; and requests in flight = X x response."""

from __future__ import annotations

import pytest

from tests.deployments import shipped
from tests.given_requests import columns
from tests.laws.judged import over_seeds
from tests.laws.runs import ended, reached
from twin.engine.recorder import SAMPLE_COLUMNS
from twin.engine.simulation import SAMPLE_EVERY_S

FROM_S, TO_S = 400.0, 2400.0

SEEDS = range(10)


@pytest.mark.parametrize(
    ("name", "clients", "think_s"),
    [("same_dc_88a", 150, 40.0), ("pdd_43a_32b", 150, 40.0), ("pdd_43a_32b", 90, 5.0),
     ("cross_dc_plain", 60, 100.0)],
)  # fmt: skip
def test_clients_either_think_or_wait(name: str, clients: int, think_s: float) -> None:
    """X and the response measured over the same window; the think time is the one set."""
    settings = {"workload.clients": clients, "workload.think_s": think_s}
    found, in_flight = [], []
    for seed in SEEDS:
        sim = reached(shipped(name, settings), seed, TO_S)
        arrival, total = columns(sim, "arrival", "total")
        inside = (arrival >= FROM_S) & (arrival + total <= TO_S)
        ends = arrival + total
        rate = ((ends >= FROM_S) & (ends <= TO_S)).sum() / (TO_S - FROM_S)
        found.append(rate * (think_s + total[inside].mean()))
        samples = sim.recorder.series()
        window = samples[:, 0] >= FROM_S
        present = samples[window, SAMPLE_COLUMNS.index("in_flight")].mean()
        in_flight.append(present / (rate * total[inside].mean()))
    told = over_seeds(found)
    assert told.error < 0.02 * clients
    assert told.agrees_with(clients), told
    shared = over_seeds(in_flight)
    assert shared.error < 0.02
    assert shared.agrees_with(1.0), shared


@pytest.mark.parametrize("arrivals", ["sessions", "poisson"])
def test_of_each_course_by_itself(arrivals: str) -> None:
    """From empty to empty: requests in flight, summed over time, are the totals, summed over
    requests; whatever the arrivals and however uneven the course."""
    settings = {"workload.arrivals": arrivals, "workload.rate_rps": 1.5, "run.requests": 1500}
    for seed in range(3):
        sim = ended(shipped("pdd_43a_32b", settings), seed)
        (total,) = columns(sim, "total")
        present = sim.recorder.series()[:, SAMPLE_COLUMNS.index("in_flight")]
        assert present.sum() * SAMPLE_EVERY_S == pytest.approx(float(total.sum()), rel=0.01)
