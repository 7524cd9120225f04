"""What both deployments cost: figures, a waterfall between them, and the price list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from twin.cost_table import PUBLISHED, Fall, Hardware, PriceRange, break_even, cost_table, waterfall
from twin.economics import bcr

from ..charts import chart, palette
from ..numbers import DASH, MINUS, Kind, Number, number, numbers
from ..state import PageState
from ..tables import Cell, Column, Row, table
from ..texts.economics import MONEY
from .prices import both, stored_gain

Prices = Mapping[str, PriceRange]


def figures(page: PageState, prices: Prices, line: PriceRange) -> None:
    """Costs, saving, BCR and the prices that break even."""
    before, after = both()
    mine, theirs = cost_table(after, prices, line), cost_table(before, prices, line)
    told = f"{prices['B'].source}; {MONEY['line'].lower()}: {line.source}"
    numbers(
        "economics-cost",
        [
            _cost(before.name, "cost_before", theirs.low, theirs.high, prices["A"].source),
            _cost(after.name, "cost_after", mine.low, mine.high, told),
            _saving(1 - mine.high / theirs.high, 1 - mine.low / theirs.low, told),
            _bcr(page, (mine.low, mine.high), theirs.low),
            *_even(page, before, after, prices, line),
        ],
    )


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Two ends of a range, or one figure where both are the same."""
    first, last = number(low, digits), number(high, digits)
    return first if first == last else f"{first}–{last}"


def _cost(name: str, key: str, low: float, high: float, source: str) -> Number:
    label = MONEY["cost"].format(name=name)
    text = interval(low, high, 4)
    return Number(key, label, text, MONEY["unit"], MONEY["cost_about"], "computed", source)


def _saving(low: float, high: float, source: str) -> Number:
    ends = [f"{value * 100:.1f}".replace("-", MINUS) for value in (low, high)]
    text = ends[0] if ends[0] == ends[1] else " to ".join(ends)
    trend = "better" if low > 0 else "worse" if high < 0 else ""
    return Number(
        "saving", MONEY["saving"], text, "%", MONEY["saving_about"], "computed", source, trend=trend
    )


def gain_ratio(page: PageState) -> float:
    """The capacity of the deployment over that of the baseline."""
    return 1 + page["gain"] / 100


def gain_source(page: PageState) -> str:
    """On what the gain in capacity rests."""
    return MONEY["own"] if "gain" in page.changed else stored_gain().basis


def _bcr(page: PageState, costs: tuple[float, float], baseline: float) -> Number:
    high, low = (bcr(gain_ratio(page), cost, 1.0, baseline) for cost in costs)
    sla = MONEY["bcr_note"].format(sla=stored_gain().sla)
    source = f"{gain_source(page)}. {sla}"
    trend = "" if low is None else "better" if low > 1 else "worse"
    return Number(
        "bcr", MONEY["bcr"], interval(low, high, 4), "×", MONEY["bcr_about"], "computed", source,
        note=sla, trend=trend,
    )  # fmt: skip


def _even(
    page: PageState, before: Hardware, after: Hardware, prices: Prices, line: PriceRange
) -> list[Number]:
    told = []
    for benefit, suffix in ((1.0, "even"), (gain_ratio(page), "bcr")):
        low, high = (
            break_even(
                before, after, "B", {"A": prices["A"].low, "B": price}, line.low, benefit
            )
            for price in (prices["B"].high, prices["B"].low)
        )  # fmt: skip
        source = gain_source(page) if suffix == "bcr" else prices["B"].source
        told.append(_price(f"line_{suffix}", low.line, high.line, source))
        told.append(_price(f"b_{suffix}", low.chip, high.chip, source))
    return [told[0], told[2], told[1], told[3]]


def _price(name: str, low: float | None, high: float | None, source: str) -> Number:
    text = DASH if high is None else interval(low, high)
    note = MONEY["none"] if high is None else ""
    about = MONEY[f"{name}_about"]
    return Number(name, MONEY[name], text, MONEY["unit"], about, "computed", source, note)


def price_list(prices: Prices, line: PriceRange) -> None:
    """Items of both deployments, their prices and what they cost."""
    tables = [cost_table(hardware, prices, line) for hardware in both()]
    items = dict.fromkeys(row.item for one in tables for row in one.rows)
    rows = []
    for item in items:
        found = [next((row for row in one.rows if row.item == item), None) for one in tables]
        price = next(row.price for row in found if row is not None)
        mark: Kind | None = PUBLISHED if price.source == PUBLISHED else None
        told = Cell(
            interval(price.low, price.high), price.low, lines=[price.source], kind=mark
        )  # fmt: skip
        cells = [Cell(item), told]
        rows.append(Row(item, [*cells, *(_item(row) for row in found)]))
    sums = [
        Cell(interval(one.low, one.high, 4), lines=[MONEY["sum"]], value=one.low) for one in tables
    ]
    rows.append(Row("total", [Cell(MONEY["total"]), Cell(""), *sums]))
    columns = [
        Column(MONEY["item"], align="left"),
        Column(MONEY["price"], MONEY["line_about"]),
        *(Column(one.name, MONEY["table_about"]) for one in tables),
    ]  # fmt: skip
    table("economics-list", MONEY["table"], columns, rows, file="cost")


def _item(row) -> Cell:  # noqa: ANN001
    if row is None:
        return Cell(DASH)
    price = interval(row.price.low, row.price.high)
    told = MONEY["cell"].format(count=row.count, price=price, source=row.price.source)
    return Cell(interval(row.cost.low, row.cost.high, 4), row.cost.low, lines=[told])


def fall(prices: Prices, line: PriceRange) -> None:
    """The waterfall from the cost of one to that of the other."""
    before, after = both()
    falls = waterfall(before, after, prices, line)
    colours, ends = palette(), falls[-1]
    labels = [before.name, *(one.label for one in falls[1:]), after.name]
    figure = go.Figure(
        go.Waterfall(
            x=labels, measure=["absolute", *["relative"] * (len(falls) - 1), "total"],
            y=[falls[0].reached_low, *(one.change_low for one in falls[1:]), 0],
            customdata=_told(falls), showlegend=False,
            increasing={"marker": {"color": colours["rld"]}},
            decreasing={"marker": {"color": colours["md"]}},
            totals={"marker": {"color": colours["faint"]}},
            connector={"line": {"color": colours["edge"]}}, hovertemplate=MONEY["hover"],
        )
    )  # fmt: skip
    highs = [max(one.reached_low, one.reached_high) for one in falls]
    highs = [max(pair) for pair in zip(highs, [0, *highs], strict=False)] + [highs[-1]]
    figure.add_scatter(
        x=labels, y=[high + 2.5 for high in highs], mode="text", text=_told(falls),
        textposition="top center",
        showlegend=False, hoverinfo="skip", cliponaxis=False,
    )  # fmt: skip
    if ends.reached_high != ends.reached_low:
        figure.add_scatter(
            x=[*labels[2:-1], after.name], mode="markers", name=MONEY["upper"],
            y=[*(one.reached_high for one in falls[2:]), ends.reached_high],
            marker={"symbol": "diamond", "size": 8, "color": colours["amber"]},
            hovertemplate=MONEY["hover_high"],
        )  # fmt: skip
    top = max(max(one.reached_low, one.reached_high) for one in falls) * 1.15
    figure.update_yaxes(title=MONEY["unit"], range=[0, top])
    figure.update_xaxes(tickangle=0)
    alt = MONEY["alt"].format(
        before=number(falls[0].reached_low, 4), low=number(ends.reached_low, 4),
        high=number(ends.reached_high, 4),
    )  # fmt: skip
    chart(figure, "economics-fall", alt, height=290, name="cost-waterfall")


def _told(falls: Sequence[Fall]) -> list[str]:
    """What stands at each column: at the lower price of B, and at the upper where it differs."""
    first, last = falls[0], falls[-1]
    changes = [_change(one.change_low, one.change_high) for one in falls[1:]]
    reached = interval(last.reached_low, last.reached_high, 4)
    return [interval(first.reached_low, first.reached_high, 4), *changes, reached]


def _change(low: float, high: float) -> str:
    text = interval(low, high)
    return f"+{text}" if low > 0 else text
