"""Published prices of one kind, and whether the saving survives a line at a published fee."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from twin.cost_table import (
    PUBLISHED,
    PUBLISHED_LINE,
    PriceRange,
    break_even,
    cost_table,
    line_verdict,
)
from twin.errors import TwinError
from twin.list_prices import HourlyPrice, LineFee, ListPrice

from ..controls import choice, select
from ..heads import section
from ..numbers import number
from ..state import PageState
from ..tables import Cell, Column, Row, table
from ..texts.economics import CATALOGUE, KINDS_OF_PRICE, MONEY
from .cost import interval
from .prices import both, catalogue, hour_of_a, line_fees, price_of_a, price_words


def kinds(page: PageState) -> None:
    """Which kind of price, and which chips stand for A and for B."""
    places = st.columns([1.3, 2, 2], vertical_alignment="bottom")
    with places[0]:
        options = {kind: KINDS_OF_PRICE[kind] for kind in ("rent", "ownership", "purchase")}
        choice(page, "kind", CATALOGUE["kind"], options, about=CATALOGUE["kind_about"])
    known = catalogue(page["kind"])
    words = {key: price_words(*one) for key, one in known.items()}
    words[PUBLISHED] = CATALOGUE["b_published"]
    with places[1]:
        select(
            page, f"a_{page['kind']}", CATALOGUE["a"], list(known), about=CATALOGUE["a_about"],
            words=lambda key: words[key],
        )  # fmt: skip
    with places[2]:
        select(
            page, f"b_{page['kind']}", CATALOGUE["b"], [PUBLISHED, *known],
            about=CATALOGUE["b_about"], words=lambda key: words[key],
        )  # fmt: skip


def ratio_of_b(page: PageState) -> None:
    """What the two chosen prices say of the price of B, with a button that takes it."""
    found = catalogue(page["kind"]).get(page[f"b_{page['kind']}"])
    if found is None:
        return
    (chip_b, b), (chip_a, a) = found, price_of_a(page)
    try:
        low, high = b.over(a)
    except TwinError as error:
        st.info(f"{chip_b}, {chip_a}: {error}")
        return
    ends = {"low": number(low), "high": number(high)}
    st.text(CATALOGUE["ratio"].format(b=chip_b, a=chip_a, **ends))
    st.button(
        CATALOGUE["take"].format(**ends), key="take b",
        on_click=lambda: page.put_all({"b_low": round(low, 3), "b_high": round(high, 3)}),
    )  # fmt: skip


def chip_prices(page: PageState) -> None:
    """All prices of chips of the chosen kind, and each in chips A."""
    a = price_of_a(page)[1]
    rows = [_chip(key, chip, price, a) for key, (chip, price) in catalogue(page["kind"]).items()]
    kind = KINDS_OF_PRICE["per"][a.kind]
    columns = [
        Column(CATALOGUE["chip"], align="left"), Column(CATALOGUE["price"], a.kind, f"per {kind}"),
        Column(CATALOGUE["currency"], align="left"),
        Column(CATALOGUE["in_a"], CATALOGUE["in_a_about"]), Column(CATALOGUE["year"]),
        Column(CATALOGUE["what"], align="left"),
    ]  # fmt: skip
    table("economics-chips", CATALOGUE["chips"], columns, rows, file=f"chips-{page['kind']}")


def _chip(key: str, chip: str, price: ListPrice, a: ListPrice) -> Row:
    told = [price.words(), price.source]
    try:
        in_a = Cell(interval(*price.over(a)), lines=[CATALOGUE["in_a_about"], *told])
    except TwinError as error:
        in_a = Cell(CATALOGUE["none"], lines=[f"{error}"])
    return Row(
        key,
        [
            Cell(chip, lines=told), Cell(_money(price), price.low, lines=told),
            Cell(price.currency), in_a, Cell(_year(price)), Cell(price.what, lines=told),
        ],
    )  # fmt: skip


def _money(price: ListPrice) -> str:
    decimals = 2 if price.high < 100 else 0
    low, high = f"{price.low:,.{decimals}f}", f"{price.high:,.{decimals}f}"
    return low if low == high else f"{low}–{high}"


def _year(price: ListPrice) -> str:
    return str(price.year or MONEY["no_year"])


def lines(page: PageState, prices: Mapping[str, PriceRange]) -> None:
    """Published fees of lines in chips A, and what is left of the saving at each."""
    section(CATALOGUE["lines"], CATALOGUE["lines_about"])
    hour = hour_of_a(page)
    if hour is None:
        st.info(CATALOGUE["purchase"])
    rows = [_published(prices)]
    rows += [
        _fee(f"{name}-{i}", name, fee, hour, prices) for i, (name, fee) in enumerate(line_fees())
    ]
    if hour is not None:
        st.text(_summary(rows, prices))
    columns = [
        Column(CATALOGUE["fee"], CATALOGUE["per_month"], align="left"),
        Column(CATALOGUE["gbps"]),
        Column(CATALOGUE["in_a"], CATALOGUE["lines_about"]),
        Column(CATALOGUE["saving"], MONEY["saving_about"]), Column(CATALOGUE["verdict"]),
        Column(CATALOGUE["year"]), Column(CATALOGUE["what"], align="left"), Column(""),
    ]  # fmt: skip
    pressed = table(
        "economics-lines", CATALOGUE["lines"], columns, rows, stacked=True, file="lines"
    )
    if pressed:
        page.put("line", round(float(pressed), 3))
        st.rerun(scope="fragment")


def _summary(rows: list[Row], prices: Mapping[str, PriceRange]) -> str:
    """How many of the fees leave something of the saving, and what the line may cost."""
    before, after = both()
    words = CATALOGUE["survives"]
    said = [row.cells[4].text for row in rows[1:]]
    counts = {key: said.count(word) for key, word in words.items()}
    ends = [
        break_even(before, after, "B", {"A": prices["A"].low, "B": b}, 0.0).line
        for b in (prices["B"].high, prices["B"].low)
    ]
    even = number(ends[1]) if ends[0] is None else interval(ends[0], ends[1])
    return CATALOGUE["summary"].format(count=sum(counts.values()), even=even, **counts)


def _published(prices: Mapping[str, PriceRange]) -> Row:
    before, after = both()
    base, told = (cost_table(one, prices, PUBLISHED_LINE) for one in (before, after))
    low, high = 1 - told.high / base.high, 1 - told.low / base.low
    price = number(PUBLISHED_LINE.low)
    return Row(
        "published",
        [
            Cell(CATALOGUE["claim_row"], lines=[PUBLISHED_LINE.source]),
            Cell("10", unit=CATALOGUE["gbit"]),
            Cell(price, PUBLISHED_LINE.low, kind="published", lines=[PUBLISHED_LINE.source]),
            _saving(low, high, PUBLISHED_LINE.source), _survives(low, high),
            Cell(CATALOGUE["none"]), Cell(CATALOGUE["claim_what"]), _take(PUBLISHED_LINE.low),
        ],
        role="line",
    )  # fmt: skip


def _fee(
    key: str, name: str, fee: LineFee, hour: HourlyPrice | None, prices: Mapping[str, PriceRange]
) -> Row:
    told = [fee.words(), fee.source, name]
    first = [
        Cell(f"{_money(fee)} {fee.currency}", fee.low, lines=told),
        Cell(f"{fee.gbps:g}", unit=CATALOGUE["gbit"]),
    ]
    last = [Cell(_year(fee)), Cell(fee.what, lines=told)]
    before, after = both()
    try:
        if hour is None:
            return Row(key, [*first, *_refused(CATALOGUE["purchase"]), *last, Cell("")])
        said = line_verdict(fee, hour, before, after, prices)
    except TwinError as error:
        return Row(key, [*first, *_refused(f"{error}"), *last, Cell("")])
    middle = [
        Cell(interval(said.low, said.high), said.low, lines=[said.words]),
        _saving(said.saving_low, said.saving_high, said.words),
        _survives(said.saving_low, said.saving_high),
    ]
    return Row(key, [*first, *middle, *last, _take(said.high)])


def _refused(why: str) -> list[Cell]:
    none = Cell(CATALOGUE["none"], lines=[why])
    return [none, none, Cell(CATALOGUE["refused"], lines=[why])]


def _saving(low: float, high: float, words: str) -> Cell:
    ends = [number(share * 100, 2) for share in (low, high)]
    return Cell(" to ".join(dict.fromkeys(ends)), low * 100, "%", lines=[words])


def _survives(low: float, high: float) -> Cell:
    said = "all" if low > 0 else "some" if high > 0 else "none"
    trend = "better" if low > 0 else "worse" if high <= 0 else ""
    return Cell(CATALOGUE["survives"][said], trend=trend)


def _take(price: float) -> Cell:
    return Cell(CATALOGUE["press"], press=f"{price:.6g}")
