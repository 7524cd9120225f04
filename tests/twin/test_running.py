"""A running twin: what a turn does to the numbers that are told of it."""

from __future__ import annotations

import pytest

from tests.deployments import shipped
from twin.errors import TurnError
from twin.running import RunningTwin

WARM_S = 1500.0


def warmed() -> RunningTwin:
    twin = RunningTwin(shipped("pdd_43a_32b"), shipped("same_dc_88a"), seed=1)
    twin.advance(WARM_S)
    return twin


def test_a_price_changes_cost_at_once_and_nothing_else() -> None:
    twin = warmed()
    before = twin.tiles()
    twin.turn("prices.line", 5.35)
    after = twin.tiles()
    assert after["cost_units"] == before["cost_units"] + 5
    assert after["bcr"] < before["bcr"]
    for name in ("from_s", "requests", "ttft_p50_s", "goodput_rps", "before"):
        assert after[name] == before[name]


def test_an_sla_judges_the_requests_that_were() -> None:
    twin = warmed()
    before = twin.tiles()
    twin.turn("slo.total_s", 10.0)
    after = twin.tiles()
    assert after["goodput_rps"] < 0.7 * before["goodput_rps"]
    assert not after["before"] and after["ttft_p50_s"] == before["ttft_p50_s"]


def test_after_a_turn_of_the_course_the_numbers_are_those_before_it() -> None:
    twin = warmed()
    asked = twin.tiles()["requests"]
    twin.turn("line.bandwidth_gbps", 5)
    assert twin.tiles()["before"] and twin.tiles()["requests"] == asked
    twin.advance(WARM_S + 300)
    said = twin.tiles()
    assert not said["before"] and said["from_s"] == WARM_S


def test_a_price_of_no_chip_here_is_refused() -> None:
    twin = RunningTwin(shipped("pdd_43a_32b"), shipped("same_dc_88a"))
    with pytest.raises(TurnError, match="chips here are A, B"):
        twin.turn("prices.chips.Z", 3)
    twin.turn("prices.chips.B", 1.25)  # the baseline is turned along and has no B


def test_a_long_forecast_tells_all_of_it() -> None:
    twin = warmed()
    packed = twin.checkpoint()
    short = RunningTwin.at(packed).forecast(1200)
    long = RunningTwin.at(packed).forecast(4800)
    assert long["time_s"][: len(short["time_s"])] == short["time_s"]
    assert long["tiles"]["requests"] > 3.5 * short["tiles"]["requests"]
    assert long["tiles"]["goodput_rps"] == pytest.approx(short["tiles"]["goodput_rps"], rel=0.15)
