"""The draws: functions of seed, client and turn; stratified exactly; mapped anew when turned."""

from __future__ import annotations

from math import exp, factorial, lgamma, log, sqrt
from typing import Any

import numpy as np
import pytest

from tests.deployments import shipped
from twin.engine.streams import BLOCKS_KEPT, Columns, Streams
from twin.scenario import HIT_EDGES, Workload
from twin.workload.sessions import (
    gamma_quantiles,
    lognormal_quantiles,
    normal_quantiles,
    stratified,
)

CLIENTS, TURNS = 170, 118


def workload(settings: dict[str, Any] | None = None) -> Workload:
    named = {f"workload.{name}": value for name, value in (settings or {}).items()}
    return shipped("pdd_43a_32b", named).workload


def block(settings: dict[str, Any] | None = None, seed: int = 1, number: int = 0) -> Columns:
    return Streams(workload(settings), seed, CLIENTS, TURNS).block(0, number)


def kinds(drawn: Columns) -> np.ndarray:
    return np.frombuffer(drawn.first, dtype=np.uint8) == 1


class TestStratification:
    """Within a block the distributions are met exactly."""

    @pytest.mark.parametrize("seed", range(3))
    def test_buckets_hold_their_share_within_one(self, seed: int) -> None:
        drawn = block(seed=seed)
        later = np.array(drawn.hit_share)[~kinds(drawn)]
        shares = np.array(workload().hit_shares) / sum(workload().hit_shares)
        found = np.histogram(later, HIT_EDGES)[0]
        assert np.abs(found - shares * len(later)).max() <= 1

    @pytest.mark.parametrize("seed", range(3))
    def test_places_of_first_turns(self, seed: int) -> None:
        """One first turn in each of m equal pieces of U(0, .9)."""
        drawn = block(seed=seed)
        first = np.array(drawn.hit_share)[kinds(drawn)]
        pieces = np.floor(first / 0.9 * len(first)).astype(int)
        assert sorted(pieces.tolist()) == list(range(len(first)))

    @pytest.mark.parametrize("seed", range(3))
    def test_all_requests_have_the_published_hit_rates(self, seed: int) -> None:
        """C17: .143 .10 .06 .09 .14 .22 .24 in the buckets, mean .900; but for the first turn of
        each client, which is a first turn for certain."""
        hits = np.array(block(seed=seed).hit_share).reshape(CLIENTS, TURNS)[:, 1:].ravel()
        found = np.histogram(hits, HIT_EDGES)[0] / len(hits)
        assert found == pytest.approx([0.143, 0.10, 0.06, 0.09, 0.14, 0.22, 0.24], abs=0.006)
        assert hits.mean() == pytest.approx(0.900, abs=0.004)
        assert (hits > 0.95).mean() == pytest.approx(0.75, abs=0.02)

    @pytest.mark.parametrize("seed", range(3))
    def test_prompts_weighted_by_turns_have_the_mean(self, seed: int) -> None:
        prompt = weighted_prompts(block(seed=seed))
        assert prompt.mean() == pytest.approx(64_000, rel=0.01)
        assert np.std(np.log(prompt)) == pytest.approx(0.35, rel=0.04)
        assert np.quantile(prompt, 0.5) == pytest.approx(64_000 * exp(-(0.35**2) / 2), rel=0.02)

    def test_stratified_numbers(self) -> None:
        u = stratified(np.array([0.9, 0.1, 0.5]), np.array([0.2, 0.4, 0.6]))
        assert u == pytest.approx([2.2 / 3, 0.4 / 3, 1.6 / 3])
        assert len(stratified(np.array([]), np.array([]))) == 0


def weighted_prompts(drawn: Columns) -> np.ndarray:
    """The prompt length of every turn: that of the session it belongs to."""
    first = kinds(drawn).reshape(CLIENTS, TURNS)
    lengths = np.array(drawn.prompt).reshape(CLIENTS, TURNS)
    current = np.where(first, np.arange(TURNS), 0)
    latest = np.maximum.accumulate(current, axis=1)
    return np.take_along_axis(lengths, latest, axis=1).ravel()


class TestUniforms:
    """A turned distribution maps the same uniforms."""

    def test_what_is_not_turned_stays(self) -> None:
        before, after = block(), block({"output_tokens_mean": 2000.0, "think_s": 5.0})
        for name in set(Columns._fields) - {"output"}:
            assert getattr(before, name) == getattr(after, name), name
        ratio = np.array(after.output) / np.array(before.output)
        assert ratio == pytest.approx(2.0, abs=0.02)

    def test_turned_buckets_keep_the_order_of_hits(self) -> None:
        shares = (0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1)
        before, after = block(), block({"hit_shares": shares})
        later = ~kinds(before)
        low, high = np.array(before.hit_share)[later], np.array(after.hit_share)[later]
        edges = np.array(HIT_EDGES)
        was, is_now = np.searchsorted(edges, low), np.searchsorted(edges, high)
        assert np.all(is_now <= was)  # more weight on low buckets: nobody moves up
        assert np.array(before.hit_share)[~later] == pytest.approx(
            np.array(after.hit_share)[~later]
        )

    def test_turned_in_a_running_stream_as_from_the_start(self) -> None:
        streams = Streams(workload(), 1, CLIENTS, TURNS)
        streams.block(0, 0)
        streams.turn(workload({"prompt_tokens_mean": 9000.0}))
        assert streams.block(0, 0) == block({"prompt_tokens_mean": 9000.0})

    def test_equal_arguments_equal_numbers_other_arguments_other_ones(self) -> None:
        assert block() == block()
        others = [block(seed=2), block(number=1)]
        others.append(Streams(workload(), 1, CLIENTS, TURNS).block(1, 0))
        for other in others:
            same = np.array(other.first_step) == np.array(block().first_step)
            assert not same.any()

    def test_blocks_are_forgotten_and_drawn_again(self) -> None:
        streams = Streams(workload(), 1, 10, 4)
        first = streams.block(0, 0)
        for number in range(1, BLOCKS_KEPT + 3):
            streams.block(0, number)
        assert len(streams.blocks) == BLOCKS_KEPT
        assert (0, 0) not in streams.blocks
        assert streams.block(0, 0) == first

    @pytest.mark.parametrize(("clients", "turns"), [(171, TURNS), (400, TURNS), (170, 117)])
    def test_neither_other_clients_nor_more_turns_move_those_of_a_client(
        self, clients: int, turns: int
    ) -> None:
        """Capacity is searched over numbers of clients with common random numbers."""
        other = Streams(workload(), 1, clients, turns).block(0, 0)
        for name in ("output", "think", "prediction", "first_step", "jitter"):
            mine = np.array(getattr(block(), name)).reshape(CLIENTS, TURNS)[:, :turns]
            theirs = np.array(getattr(other, name)).reshape(clients, turns)[:CLIENTS, :turns]
            assert np.array_equal(mine, theirs), name
        mine = np.array(block().hit_share).reshape(CLIENTS, TURNS)[:, :turns]
        theirs = np.array(other.hit_share).reshape(clients, turns)[:CLIENTS]
        assert np.corrcoef(mine.ravel(), theirs.ravel())[0, 1] > 0.99  # strata move a little

    def test_a_long_block_is_many_short_ones(self) -> None:
        """128 turns of a run, or four blocks of 32 of an endless twin."""
        long = np.array(Streams(workload(), 1, 10, 128).block(0, 0).first_step).reshape(10, 128)
        streams = Streams(workload(), 1, 10, 32)
        short = [np.array(streams.block(0, n).first_step).reshape(10, 32) for n in range(4)]
        assert np.array_equal(long, np.concatenate(short, axis=1))

    def test_first_arrivals_are_uniform_and_of_all_groups(self) -> None:
        streams = Streams(workload(), 1, 50, 4)
        drawn = [streams.first_arrival(client) for client in range(150)]
        assert len(set(drawn)) == 150
        assert np.mean(drawn) == pytest.approx(0.5, abs=4 * sqrt(1 / 12 / 150))

    def test_purposes_are_independent(self) -> None:
        drawn = block()
        names = ("first_step", "phase", "jitter", "timeout", "think", "prediction", "hit_share")
        table = np.corrcoef([np.array(getattr(drawn, name)) for name in names])
        off = table[~np.eye(len(names), dtype=bool)]
        assert np.abs(off).max() < 4.5 / sqrt(CLIENTS * TURNS)


class TestSessions:
    """Sessions, singles, outputs."""

    def test_first_turns(self) -> None:
        first = kinds(block()).reshape(CLIENTS, TURNS)
        assert first[:, 0].all()
        rest = first[:, 1:]
        expected = 1 / 20
        error = sqrt(expected * (1 - expected) / rest.size)
        assert rest.mean() == pytest.approx(expected, abs=4 * error)

    def test_a_later_block_goes_on_with_sessions(self) -> None:
        first = kinds(block(number=1)).reshape(CLIENTS, TURNS)
        assert first[:, 0].mean() < 0.2

    def test_one_turn_a_session(self) -> None:
        assert kinds(block({"turns_per_session": 1.0})).all()

    def test_outputs(self) -> None:
        out = np.array(block().output)
        assert out.min() >= 1
        assert out.mean() == pytest.approx(1000, abs=4 * 300 / sqrt(len(out)))
        assert out.std() == pytest.approx(300, rel=0.03)
        assert set(block({"output_cv": 0.0}).output) == {1000}

    def test_predictions_scatter_around_the_truth(self) -> None:
        numbers = np.array(block().prediction)
        assert numbers.mean() == pytest.approx(0, abs=4 / sqrt(len(numbers)))
        assert numbers.std() == pytest.approx(1, rel=0.02)

    def test_singles_are_mixed_in(self) -> None:
        share = {"share": 0.035}
        drawn = block({"singular": share})
        singular = np.frombuffer(drawn.singular, dtype=np.uint8) == 1
        error = sqrt(0.035 * 0.965 / len(singular))
        assert singular.mean() == pytest.approx(0.035, abs=4 * error)
        assert not (singular & kinds(drawn)).any()
        prompt, hit, out = (
            np.array(column)[singular] for column in (drawn.prompt, drawn.hit_share, drawn.output)
        )
        assert prompt.mean() == pytest.approx(96_000, rel=0.04)
        assert hit.min() >= 0
        assert hit.max() <= 0.3
        assert out.min() >= 8
        assert out.max() <= 490

    def test_singles_leave_the_others_as_they_are(self) -> None:
        alone, mixed = block(), block({"singular": {"share": 0.05}})
        singular = np.frombuffer(mixed.singular, dtype=np.uint8) == 1
        for name in ("output", "think", "first_step"):
            same = np.array(getattr(alone, name)) == np.array(getattr(mixed, name))
            assert same[~singular].all()


class TestQuantiles:
    """Inverse distribution functions against their closed forms."""

    U = np.array([1e-4, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.9999, 1 - 1e-6])

    def test_gamma_of_shape_one_is_exponential(self) -> None:
        assert gamma_quantiles(self.U, 1.0) == pytest.approx(-np.log1p(-self.U), rel=2e-4)

    @pytest.mark.parametrize("shape", [2, 3, 11, 40])
    def test_gamma_of_whole_shapes(self, shape: int) -> None:
        """P(X <= x) = 1 - exp(-x) sum of x^i / i!, i < shape."""
        for u, x in zip(self.U, gamma_quantiles(self.U, float(shape)).tolist(), strict=True):
            below = 1 - exp(-x) * sum(x**i / factorial(i) for i in range(shape))
            density = exp((shape - 1) * log(x) - x - lgamma(shape))
            # the error of x, to first order, is the error of the probability over the density
            assert abs(below - u) / density < 2e-4 * x + 1e-9 / density

    @pytest.mark.parametrize("cv", [0.1, 0.3, 1.0, 2.0])
    def test_gamma_moments(self, cv: float) -> None:
        u = (np.arange(200_000) + 0.5) / 200_000
        x = gamma_quantiles(u, 1 / cv**2) * cv**2
        assert x.mean() == pytest.approx(1.0, rel=2e-3)
        assert x.std() == pytest.approx(cv, rel=5e-3)

    def test_lognormal_has_the_mean_it_is_given(self) -> None:
        u = (np.arange(200_000) + 0.5) / 200_000
        x = lognormal_quantiles(u, 64_000.0, 0.35)
        assert x.mean() == pytest.approx(64_000, rel=1e-4)
        assert np.median(x) == pytest.approx(64_000 * exp(-(0.35**2) / 2), rel=1e-6)

    def test_normal(self) -> None:
        expected = [-1.959963984540054, -1, 0, 1, 2.326347874040841]
        u = np.array([0.025, 0.15865525393145707, 0.5, 0.8413447460685429, 0.99])
        assert normal_quantiles(u) == pytest.approx(expected, abs=1e-9)

    def test_ends_are_finite(self) -> None:
        ends = np.array([0.0, 1.0 - 2**-53])
        for numbers in (
            normal_quantiles(ends), lognormal_quantiles(ends, 9.0, 3.0), gamma_quantiles(ends, 0.04)
        ):  # fmt: skip
            assert np.isfinite(numbers).all()
