"""What deployments cost beside each other: a table, a waterfall, and the prices that break even.

Costs are in units of one chip A. A price is a range with the place it comes from; every price is an
argument, so that each can be dragged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .list_prices import HourlyPrice, LineFee
from .scenario import Scenario

PUBLISHED = "published"


@dataclass(frozen=True)
class PriceRange:
    """A price in units of one chip A, and where it comes from."""

    low: float
    high: float
    source: str

    def times(self, count: float) -> PriceRange:
        """The price of several."""
        return replace(self, low=self.low * count, high=self.high * count)


PUBLISHED_PRICES: Mapping[str, PriceRange] = {
    "A": PriceRange(1.0, 1.0, "by definition of the unit"),
    "B": PriceRange(1.2, 1.3, PUBLISHED),
}
"""Prices of the chips of the published deployment (claim C07)."""

PUBLISHED_LINE = PriceRange(0.35, 0.35, "computed: with it the published saving comes out exactly")


@dataclass(frozen=True)
class Hardware:
    """What a deployment is paid for: chips by name, and whether it has a line."""

    name: str
    chips: Mapping[str, int]
    line: bool

    @classmethod
    def of(cls, scenario: Scenario) -> Hardware:
        """The hardware of a scenario."""
        chips: dict[str, int] = {}
        for pool in scenario.pools().values():
            chips[pool.chip.name] = chips.get(pool.chip.name, 0) + pool.chips
        return cls(scenario.name, chips, scenario.line is not None)


@dataclass(frozen=True)
class CostRow:
    """One item of a deployment: how many, the price of one, the cost of all."""

    item: str
    count: int
    price: PriceRange
    cost: PriceRange


@dataclass(frozen=True)
class CostTable:
    """The items of a deployment and what they cost together."""

    name: str
    rows: tuple[CostRow, ...]
    low: float
    high: float


def prices_in(scenario: Scenario) -> tuple[dict[str, PriceRange], PriceRange]:
    """The prices a scenario states, of its chips and its line, with their sources."""
    prices, sources = scenario.prices, scenario.sources
    chips = {
        name: PriceRange(
            price,
            prices.chips_high.get(name, price),
            sources.get(f"prices.chips.{name}", "assumed"),
        )
        for name, price in prices.chips.items()
    }
    line = PriceRange(prices.line, prices.line, sources.get("prices.line", "assumed"))
    return chips, line


def cost_table(
    hardware: Hardware,
    prices: Mapping[str, PriceRange] = PUBLISHED_PRICES,
    line: PriceRange = PUBLISHED_LINE,
) -> CostTable:
    """The cost of a deployment item by item; KeyError for a chip without a price."""
    rows = [
        CostRow(f"chip {chip}", count, prices[chip], prices[chip].times(count))
        for chip, count in hardware.chips.items()
    ]
    if hardware.line:
        rows.append(CostRow("line", 1, line, line))
    low, high = sum(row.cost.low for row in rows), sum(row.cost.high for row in rows)
    return CostTable(hardware.name, tuple(rows), low, high)


@dataclass(frozen=True)
class Fall:
    """One step of a waterfall: the change, and what has been reached; at low and at high prices."""

    label: str
    change_low: float
    change_high: float
    reached_low: float
    reached_high: float


def waterfall(
    before: Hardware,
    after: Hardware,
    prices: Mapping[str, PriceRange] = PUBLISHED_PRICES,
    line: PriceRange = PUBLISHED_LINE,
) -> tuple[Fall, ...]:
    """From the cost of one deployment to that of another, chip by chip, the line last.

    The first step is the cost of `before`, the last reaches that of `after`.
    """
    start = cost_table(before, prices, line)
    falls = [Fall(before.name, start.low, start.high, start.low, start.high)]
    for chip in dict.fromkeys([*before.chips, *after.chips]):
        count = after.chips.get(chip, 0) - before.chips.get(chip, 0)
        if count:
            falls.append(_fall(falls[-1], f"{count:+d} chips {chip}", prices[chip].times(count)))
    if before.line != after.line:
        sign = 1 if after.line else -1
        label = "the line" if after.line else "no line"
        falls.append(_fall(falls[-1], label, line.times(sign)))
    return tuple(falls)


def _fall(last: Fall, label: str, change: PriceRange) -> Fall:
    return Fall(
        label, change.low, change.high,
        last.reached_low + change.low, last.reached_high + change.high,
    )  # fmt: skip


@dataclass(frozen=True)
class BreakEven:
    """Highest prices (units of one chip A) at which a deployment still pays against a baseline.

    It pays while cost / benefit is no higher than the baseline's; with equal benefit that is the
    cost alone. None: no price of this item plays a part, or not even a price of 0 would do.
    """

    line: float | None
    chip: float | None


def break_even(
    before: Hardware,
    after: Hardware,
    chip: str,
    prices: Mapping[str, float],
    line: float,
    benefit_ratio: float = 1.0,
) -> BreakEven:
    """The line's price and the price of `chip` at which BCR is 1; `prices` are those of the rest.

    `benefit_ratio` is the benefit of `after` over that of `before`; 1 asks for equal cost.
    """

    def rest(hardware: Hardware) -> float:
        return sum(n * prices[c] for c, n in hardware.chips.items() if c != chip)

    count = after.chips.get(chip, 0) - benefit_ratio * before.chips.get(chip, 0)
    lines = float(after.line) - benefit_ratio * float(before.line)
    room = benefit_ratio * rest(before) - rest(after)
    return BreakEven(
        line=_price(room - count * prices[chip], lines), chip=_price(room - lines * line, count)
    )


def _price(room: float, count: float) -> float | None:
    return room / count if count > 0 and room >= 0 else None


@dataclass(frozen=True)
class LineVerdict:
    """A published price of a line in units of one chip A, beside the price the claim needs.

    `saving` is by how much (a share of the baseline's cost) the deployment is cheaper at the lower
    and upper ends of all ranges; `survives` says whether it is at none, some, or all of them.
    """

    fee: LineFee
    chip: HourlyPrice
    low: float
    high: float
    saving_low: float
    saving_high: float
    survives: str
    words: str


def line_verdict(
    fee: LineFee,
    chip: HourlyPrice,
    before: Hardware,
    after: Hardware,
    prices: Mapping[str, PriceRange] = PUBLISHED_PRICES,
    published: PriceRange = PUBLISHED_LINE,
) -> LineVerdict:
    """Whether the saving survives a published price of the line, told in chips of a stated price.

    The chip's price stands for chip A, which is not named publicly: state it beside the verdict.
    """
    low, high = fee.in_chips(chip)
    price = PriceRange(low, high, fee.source)
    base, told = cost_table(before, prices, price), cost_table(after, prices, price)
    saving_high, saving_low = 1 - told.low / base.low, 1 - told.high / base.high
    survives = "all" if saving_low > 0 else "some" if saving_high > 0 else "none"
    ends = {
        "all": "the saving survives", "some": "the saving survives at some of these prices only",
        "none": "nothing is left of the saving",
    }[survives]  # fmt: skip
    words = (
        f"At {fee.words()} the line costs {low:.2f} to {high:.2f} chips A "
        f"(a chip A at {chip.words()}), {published.low:g} by the claim; {ends}: "
        f"{saving_low:+.1%} to {saving_high:+.1%} of the baseline's cost."
    )
    return LineVerdict(fee, chip, low, high, saving_low, saving_high, survives, words)
