"""Numbers, tables and charts as they are told: units, dashes, kinds, cells that are no formulas."""

from __future__ import annotations

import pytest

from web.plain_csv import of_rows
from web.ui.charts import DASHES, DEPLOYMENTS, ROLES, faded
from web.ui.numbers import KINDS, Number, badge, number, percent, seconds, spread
from web.ui.theme import DARK, LIGHT


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (None, 3, "–"), (float("nan"), 3, "–"), (0, 3, "0"), (2.8664, 3, "2.87"),
        (14.02, 3, "14.0"),
        (170.0, 3, "170"), (12345.6, 3, "12,346"), (0.0123, 3, "0.01"), (-45.0, 3, "−45.0"),
        (60.0, 0, "60"), (81.754, 4, "81.75"),
    ],
)  # fmt: skip
def test_a_number_has_the_digits_that_tell_something(value, digits, text):
    assert number(value, digits) == text


def test_seconds_and_shares_choose_their_unit():
    assert seconds(0.3504) == ("350", "ms")
    assert seconds(4.1712) == ("4.17", "s")
    assert seconds(30.02) == ("30.0", "s")
    assert seconds(None) == percent(None) == ("–", "")
    assert percent(0.9283) == ("92.8", "%")
    assert spread(None) == "" and spread(0.123) == "± 0.12"


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_explains_itself(kind):
    one = Number("x", "X", "1", "s", "What it means.", kind)
    assert one.lines() == ["What it means.", KINDS[kind]]
    assert (badge(kind) is None) == (kind in ("simulated", "computed"))


def test_no_cell_of_a_table_is_a_formula():
    text = of_rows(["=a", "b"], [["+1", -1.5], [None, "@x"], ["-45 chips A", "ok"]])
    assert text.splitlines() == ["'=a,b", "'+1,-1.5", ",'@x", "'-45 chips A,ok"]


def test_colours_of_charts_are_those_of_the_theme():
    for theme in (LIGHT, DARK):
        assert {theme[name] for name in ROLES.values()} <= set(theme.values())
    assert len(DEPLOYMENTS) == len(DASHES) == len(set(DASHES)) == 4
    assert set(DEPLOYMENTS) <= set(ROLES)
    assert faded("#2f6fe0", 0.5) == "rgba(47, 111, 224, 0.5)"
