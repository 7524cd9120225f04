"""BCR over bandwidth and hit rate: the cells are searches on runs, coarse ones first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployments import shipped
from twin.bcr_map import BcrMap, Cell, MapPlan, Told, as_map, bcr_cells, levels
from twin.economics import bcr, cost_units
from twin.errors import RunError
from twin.scenario_file import with_settings
from twin.search import capacity
from twin.workload.hit_shares import shares_with_mean

SMALL = MapPlan(bandwidths_gbps=(4.0, 40.0, 80.0), mean_hits=(0.8, 0.93), requests=1_500)
PDD, SAME = shipped("pdd_43a_32b"), shipped("same_dc_88a")


@pytest.fixture(scope="module")
def told() -> list[Told]:
    return list(bcr_cells(PDD, SAME, SMALL, workers=2))


def at(cells: list[Told], gbps: float, hit: float) -> Cell:
    return next(t.cell for t in cells if (t.cell.bandwidth_gbps, t.cell.mean_hit) == (gbps, hit))


def test_every_cell_comes_once_and_coarse_ones_first(told):
    places = [(t.cell.row, t.cell.column) for t in told]
    assert sorted(places) == [(r, c) for r in range(2) for c in range(3)]
    assert [t.done for t in told] == [1, 2, 3, 4, 5, 6]
    assert {t.of for t in told} == {6}
    order = [t.cell.level for t in told]
    assert order == sorted(order)


def test_a_cell_is_what_two_searches_say(told):
    change = {"workload.hit_shares": shares_with_mean(PDD.workload, 0.93), "run.requests": 1_500}
    mine = capacity(with_settings(PDD, change | {"line.bandwidth_gbps": 40.0})).rps
    theirs = capacity(with_settings(SAME, change)).rps
    cell = at(told, 40.0, 0.93)
    assert (cell.capacity_rps, cell.baseline_rps) == (mine, theirs)
    assert cell.bcr == bcr(mine, cost_units(PDD), theirs, cost_units(SAME))


def test_a_thin_line_does_not_pay_and_a_thick_one_does(told):
    for hit in SMALL.mean_hits:
        thin, thick = at(told, 4.0, hit).bcr, at(told, 40.0, hit).bcr
        assert thin is not None and thick is not None
        assert thin < 1 < thick
    # beyond what P can produce, bandwidth changes nothing much
    one, two = at(told, 40.0, 0.93), at(told, 80.0, 0.93)
    assert one.capacity_rps == pytest.approx(two.capacity_rps, rel=0.05)


def test_the_map_marks_where_bcr_is_one_and_where_one_stands(told):
    found = as_map(PDD, [t.cell for t in told], SMALL)
    assert found.complete
    assert found.present_gbps == 10
    assert found.present_hit == pytest.approx(0.9, abs=0.001)
    assert len(found.line) == 2
    for gbps, hit in found.line:
        assert 4 < gbps < 40
        assert hit in SMALL.mean_hits


def test_an_unfinished_map_has_holes_and_no_zeros():
    found: BcrMap = as_map(PDD, [], SMALL)
    assert not found.complete
    assert found.bcr == ((None,) * 3, (None,) * 3)
    assert found.line == ()


def test_workers_change_no_cell(told):
    again = list(bcr_cells(PDD, SAME, SMALL, workers=1))
    by_place = {(t.cell.row, t.cell.column): t.cell for t in told}
    assert all(by_place[t.cell.row, t.cell.column] == t.cell for t in again)


def test_a_map_can_be_left_early():
    cells = bcr_cells(PDD, SAME, SMALL)
    assert next(cells).done == 1
    cells.close()  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(StopIteration):
        next(cells)


def test_more_bandwidth_costs_what_the_plan_says():
    plan = MapPlan((5.0, 10.0, 20.0), (0.9,), 400, line_price_per_gbps=0.035)
    costs = {t.cell.bandwidth_gbps: t.cell.cost for t in bcr_cells(PDD, SAME, plan)}
    assert costs == {
        5.0: pytest.approx(81.4 + 0.175), 10.0: pytest.approx(81.75), 20.0: pytest.approx(82.1)
    }  # fmt: skip


@given(rows=st.integers(1, 20), columns=st.integers(1, 20))
def test_levels_cover_a_grid(rows, columns):
    found = [place for level in levels(rows, columns) for place in level]
    assert sorted(found) == [(r, c) for r in range(rows) for c in range(columns)]
    assert {(0, 0), (rows - 1, columns - 1)} <= set(levels(rows, columns)[0])


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(RunError, match="line is absent"):
        bcr_cells(SAME, SAME, SMALL)
    with pytest.raises(RunError, match="mean hit rate"):
        bcr_cells(PDD, SAME, MapPlan((10.0,), (0.99,)))
    with pytest.raises(RunError, match="rising"):
        MapPlan(bandwidths_gbps=(10.0, 5.0))
    with pytest.raises(RunError, match="seeds"):
        MapPlan(seeds=())
