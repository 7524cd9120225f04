"""C07 and C11: what follows exactly, to the digit that was published."""

from __future__ import annotations

import pytest

from twin.claims import PDD, SAME_DC
from twin.economics import cost_units, cost_units_high
from twin.physics.kv import kv_bytes
from twin.scenario_file import load, shipped_folder
from twin.units import GIGA, bytes_per_s_to_gbps


def shipped(name: str):
    return load(shipped_folder() / f"{name}.yaml")


def test_c07_the_saving_at_both_ends_of_the_price_of_b():
    pdd, same = shipped(PDD), shipped(SAME_DC)
    high = cost_units_high(pdd)
    assert high is not None
    assert cost_units(pdd) == pytest.approx(43 + 32 * 1.2 + 0.35)
    assert high == pytest.approx(43 + 32 * 1.3 + 0.35)
    changes = [round(100 * (cost / cost_units(same) - 1), 1) for cost in (cost_units(pdd), high)]
    assert changes == [-7.1, -3.5]


def test_c11_kv_of_80_requests_and_the_line_it_needs():
    nbytes = kv_bytes(80 * 65_536, 4_390, 0.0)
    assert nbytes / GIGA == pytest.approx(23.0, abs=0.05)
    assert bytes_per_s_to_gbps(nbytes) == pytest.approx(184.1, abs=0.05)
    assert bytes_per_s_to_gbps(nbytes / 1.02) == pytest.approx(180.5, abs=0.05)
    assert bytes_per_s_to_gbps(nbytes / 1.02) > 180
