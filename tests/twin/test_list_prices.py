"""Published prices: kinds and currencies never mix, and each one has its kind, year and source."""

from __future__ import annotations

import pytest

from twin.errors import RunError
from twin.list_prices import LineFee, Ownership, Price, Purchase, Rent, prices_of
from twin.parts import NamedPart, Shelf
from twin.scenario_file import shipped_folder

H100 = "nvidia-h100-sxm"


def shelf(kind: str) -> dict[str, NamedPart]:
    return Shelf(shipped_folder() / "parts").parts(kind)


def told(low: float, high: float, currency: str = "USD"):
    return (low, high, currency, 2026, "test", "test")


def priced() -> list[Price]:
    return [
        price
        for kind in ("chips", "lines")
        for part in shelf(kind).values()
        for price in prices_of(part)
    ]


@pytest.mark.parametrize("number", range(len(priced())))
def test_every_price_on_the_shelf_is_whole(number):
    price = priced()[number]
    assert 0 < price.low <= price.high
    assert price.source and price.what and price.currency in ("USD", "CNY")
    assert price.year is None or 2023 <= price.year <= 2026
    assert price.kind in price.words()
    assert "[" not in price.source
    if isinstance(price, Purchase) and price.currency == "USD":
        assert 5_000 < price.high < 60_000  # of one chip, not of a server or a rack
    if isinstance(price, Rent | Ownership):
        assert price.high < 10


def test_all_four_kinds_stand_on_the_shelf():
    assert {type(price) for price in priced()} == {Rent, Ownership, Purchase, LineFee}


def test_a_three_year_contract_is_a_rent_and_no_cost_of_ownership():
    rents = [p for p in prices_of(shelf("chips")[H100]) if isinstance(p, Rent)]
    owned = [p for p in prices_of(shelf("chips")[H100]) if isinstance(p, Ownership)]
    assert [p.low for p in rents if p.what == "3-year contract"] == [1.3]
    assert [p.low for p in owned] == [1.3, 1.69]


def test_a_ratio_of_two_prices_of_one_kind():
    assert Rent(*told(1, 2)).over(Rent(*told(4, 5))) == pytest.approx((0.2, 0.5))


@pytest.mark.parametrize("other", [Ownership(*told(1, 1)), Purchase(*told(1, 1)),
                                   Rent(*told(1, 1, "CNY"))])  # fmt: skip
def test_other_kinds_and_currencies_are_refused(other):
    with pytest.raises(RunError, match="compare like with like"):
        Rent(*told(1, 1)).over(other)


def test_a_line_in_chips():
    fee = LineFee(*told(1500, 4000), gbps=10)
    assert fee.in_chips(Rent(*told(1.3, 1.3))) == pytest.approx((1.58, 4.21), abs=0.01)
    with pytest.raises(RunError, match="compare like with like"):
        fee.in_chips(Purchase(*told(25_000, 25_000)))  # pyright: ignore[reportArgumentType]
    with pytest.raises(RunError, match="CNY"):
        fee.in_chips(Rent(*told(9, 9, "CNY")))


def test_a_kind_that_is_not_known_is_refused():
    part = NamedPart("x", "", {}, {}, facts={"prices": [{"kind": "gift", "source": "s"}]})
    with pytest.raises(ValueError, match="gift"):
        prices_of(part)
