"""The figures of Prefill-as-a-Service beside the twin's: the fitted ones and the others."""

from __future__ import annotations

import pytest

from tests.deployments import changed, shipped
from twin.engine.recorder import REQUEST_COLUMNS
from twin.engine.simulation import Simulation
from twin.physics.profile import prefill_curve, value
from twin.prefill_service import (
    DEPLOYMENTS,
    HOMOGENEOUS,
    NAIVE,
    RATE_RPS,
    SELECTIVE,
    Figure,
    balance_rps,
    deployment,
    figures,
    fitted,
    prompt_lengths,
)


@pytest.fixture(scope="module")
def told() -> dict[tuple[str, str], Figure]:
    """Every figure over two seeds."""
    return {(f.deployment, f.figure): f for f in figures(seeds=(0, 1), workers=2)}


def test_every_published_figure_is_within_its_band(told: dict[tuple[str, str], Figure]) -> None:
    published = [f for f in told.values() if f.public is not None]
    assert len(published) == 10
    outside = [(f.deployment, f.figure, f.value) for f in published if not f.inside]
    assert not outside
    assert len(told) == 11


def test_only_what_was_fitted_is_called_a_fit(told: dict[tuple[str, str], Figure]) -> None:
    fits = {key for key, f in told.items() if f.kind == "fit"}
    assert fits == {(SELECTIVE, "throughput"), (HOMOGENEOUS, "throughput")}


def test_the_order_of_the_three(told: dict[tuple[str, str], Figure]) -> None:
    """Selection by length beats the same chips without it, and both beat the one kind of chip."""

    def ours(name: str, about: str) -> float:
        found = told[name, about].value
        assert found is not None
        return found

    rates = [ours(name, "throughput") for name in (SELECTIVE, NAIVE, HOMOGENEOUS)]
    assert rates == sorted(rates, reverse=True)
    # published: +54 % and +32 %
    assert 1.40 < rates[0] / rates[2] < 1.65
    assert 1.20 < rates[0] / rates[1] < 1.45
    waits = [ours(name, "TTFT mean") for name in (NAIVE, SELECTIVE, HOMOGENEOUS)]
    assert waits == sorted(waits)
    # whatever its way, the prompt at P90 is prefilled on H200: published 3.51 s of both
    assert ours(NAIVE, "TTFT P90") == pytest.approx(ours(SELECTIVE, "TTFT P90"), rel=0.03)


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_a_saturated_run_goes_at_the_pace_of_its_busiest_pool(
    told: dict[tuple[str, str], Figure], name: str
) -> None:
    """A figure that needs no engine: instances over the mean prefill time of the requests there."""
    least = min(balance_rps(deployment(name)).values())
    assert told[name, "throughput"].value == pytest.approx(least, rel=0.02)


def test_the_shipped_profiles_of_h20_are_what_the_fit_gives() -> None:
    selective, homogeneous = deployment(SELECTIVE), deployment(HOMOGENEOUS)
    fit = fitted(selective)
    for pool in (selective.prefill_b, homogeneous.prefill):
        assert pool is not None and pool.profile is not None
        assert [p.tokens for p in pool.profile.prefill] == [p.tokens for p in fit.prefill]
        for shipped_point, point in zip(pool.profile.prefill, fit.prefill, strict=True):
            assert shipped_point.seconds == pytest.approx(point.seconds, abs=0.006)
    for scenario in (selective, homogeneous, deployment(NAIVE)):
        profile = scenario.main_decode.profile
        assert profile is not None
        assert profile.slots == fit.slots == 19
        assert profile.itl[-1].batch == fit.slots
        assert profile.itl[-1].itl_ms == 25  # 40 tokens/s


def test_the_fit_reproduces_what_it_was_fitted_to() -> None:
    selective, homogeneous = deployment(SELECTIVE), deployment(HOMOGENEOUS)
    assert balance_rps(selective)["prefill_b"] == pytest.approx(RATE_RPS[SELECTIVE], rel=0.005)
    assert balance_rps(homogeneous)["prefill"] == pytest.approx(RATE_RPS[HOMOGENEOUS], rel=0.005)


def test_the_published_points_and_sizes() -> None:
    scenario = deployment(SELECTIVE)
    assert scenario.prefill.profile is not None
    points = scenario.prefill.profile.prefill
    assert [(p.tokens, p.seconds) for p in points] == [
        (1000, 0.44), (8000, 0.72), (32_000, 1.84), (128_000, 7.40)
    ]  # fmt: skip
    mib = [round(p.kv_bytes / 2**20, 1) for p in scenario.model.kv_profile]
    assert mib == [190.8, 308.9, 701.3, 2316.3]
    shape = {k: (p.instances, p.chips) for k, p in scenario.pools().items()}
    assert shape == {"prefill": (4, 32), "main_decode": (5, 40), "prefill_b": (3, 24)}
    assert {k: p.instances for k, p in deployment(NAIVE).pools().items()} == {
        "prefill": 4, "main_decode": 8
    }  # fmt: skip
    assert {k: p.chips for k, p in deployment(HOMOGENEOUS).pools().items()} == {
        "prefill": 72, "main_decode": 24
    }  # fmt: skip
    assert scenario.policy.selective_threshold_tokens == 19_400
    assert scenario.line is not None
    assert scenario.line.bandwidth_gbps == 100


def test_the_engine_draws_the_published_prompts() -> None:
    """Log-normal (9.90, 1.00) cut to 128 and 128,000: quantiles, bounds and a constant output."""
    scenario = shipped(SELECTIVE, {"run.requests": 4000})
    sim = Simulation(scenario, seed=5, total=4000)
    sim.advance_to_end()
    table = sim.recorder.table()
    prompts = sorted(table[:, REQUEST_COLUMNS.index("prompt")].tolist())
    exact = prompt_lengths(scenario.workload, 4000)
    assert prompts[0] >= 128
    assert prompts[-1] <= 128_000
    for share in (0.1, 0.5, 0.9):
        at = int(share * 4000)
        assert prompts[at] == pytest.approx(exact[at], rel=0.01)
    assert sum(n > 19_400 for n in prompts) / 4000 == pytest.approx(0.495, abs=0.003)
    assert set(table[:, REQUEST_COLUMNS.index("out")]) == {1024}


def test_the_threshold_is_near_the_best_one() -> None:
    """Where both prefill pools are full at once: a quarter less or more serves fewer requests."""

    def served(threshold: float) -> float:
        setting = {"policy.selective_threshold_tokens": threshold}
        return min(balance_rps(changed(deployment(SELECTIVE), setting)).values())

    best = served(19_400)
    assert served(14_500) < best
    assert served(24_300) < best


def test_what_the_published_p90_of_ttft_is() -> None:
    """The reason for the load basis: 3.51 s is the bare prefill of the prompt at P90."""
    scenario = deployment(NAIVE)
    assert scenario.prefill.profile is not None
    profile = prefill_curve(scenario.prefill.profile.prefill)
    assert profile is not None
    lengths = prompt_lengths(scenario.workload)
    assert value(profile, lengths[int(0.9 * len(lengths))]) == pytest.approx(3.51, rel=0.03)
