"""Aggregated serving: what each part of a step adds, and in which direction."""

from __future__ import annotations

import numpy as np
import pytest

from twin.physics.aggregated import (
    Efficiencies,
    FullSpeed,
    fixed_seconds,
    interleaved_share,
    seconds,
)

WHOLE = Efficiencies(1, 1, 1, 1, 1, 0, 0, 0)
ZERO = FullSpeed(0, 0, 0, 0, 0, 0, 0, 0, 0)


def test_the_greater_of_memory_and_compute_and_all_else_on_top():
    assert seconds(ZERO._replace(memory_s=3, compute_s=2), WHOLE) == 3
    assert seconds(ZERO._replace(memory_s=1, compute_s=2), WHOLE) == 2
    full = ZERO._replace(memory_s=3, compute_s=2, prefill_s=10, collective_s=20, exchange_s=40)
    assert seconds(full, WHOLE) == 73
    assert seconds(full, WHOLE._replace(prefill_mfu=0.5)) == 83


def test_a_prefill_alone_reads_the_weights_while_it_computes():
    full = ZERO._replace(memory_s=3, prefill_s=2, alone=1)
    assert seconds(full, WHOLE) == 3
    assert seconds(full, WHOLE._replace(prefill_mfu=0.25)) == 8


def test_fixed_time_of_layers():
    full = ZERO._replace(layers=80, parallel_layers=80, moe_layers=10)
    reached = Efficiencies(1, 1, 1, 1, 1, 30, 20, 100)
    assert fixed_seconds(full, reached) == pytest.approx(0.005)


def test_prefill_of_the_others():
    assert interleaved_share(1, 100) == 0
    assert interleaved_share(65, 64) == 1


def test_every_share_that_grows_shortens_a_step():
    full = FullSpeed(*[np.array([1.0, 2.0])] * 8, alone=np.array([0, 1]))
    now = seconds(full, Efficiencies(0.5, 0.5, 0.5, 0.5, 0.5, 1, 1, 1))
    better = seconds(full, Efficiencies(0.6, 0.6, 0.6, 0.6, 0.6, 1, 1, 1))
    assert np.all(better < now)
