"""Prices of chips and lines as published, of kinds that never mix: rent, ownership, purchase, fee.

A rent is paid for an hour of a chip, the cost of ownership spreads purchase, power and space over
hours, a purchase is paid once, and a line costs a fee per month. Two prices have a ratio only when
both are of one kind and currency, and a line can be told in chips only by an hourly price of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from .errors import Problem, RunError
from .parts import NamedPart

HOURS_PER_MONTH = 730.0
"""Hours of a mean month: 8,760 / 12."""


@dataclass(frozen=True)
class ListPrice:
    """A published price, from `low` to `high` in `currency` per `per`; year None: not given."""

    kind: ClassVar[str] = ""
    per: ClassVar[str] = ""

    low: float
    high: float
    currency: str
    year: int | None
    what: str
    source: str

    def over(self, other: Self) -> tuple[float, float]:
        """The ratio to another price of the same kind and currency: lowest and highest.

        Raises RunError where the two cannot be compared.
        """
        if type(other) is not type(self):
            raise _not_comparable("kinds", self.kind, other.kind)
        if other.currency != self.currency:
            raise _not_comparable("currencies", self.currency, other.currency)
        return self.low / other.high, self.high / other.low

    def words(self) -> str:
        """The price in words, with its kind and year."""
        value = f"{self.low:,g}" if self.low == self.high else f"{self.low:,g} to {self.high:,g}"
        year = "year not given" if self.year is None else str(self.year)
        return f"{value} {self.currency} per {self.per} ({self.kind}, {year}; {self.what})"


def _not_comparable(what: str, one: str, other: str) -> RunError:
    problem = Problem(f"the {what} of two prices", f"{one} and {other}", "compare like with like")
    return RunError(problem)


@dataclass(frozen=True)
class HourlyPrice(ListPrice):
    """A price of one chip for one hour."""

    per: ClassVar[str] = "chip and hour"


@dataclass(frozen=True)
class Rent(HourlyPrice):
    """What a provider asks for a chip."""

    kind: ClassVar[str] = "rent"


@dataclass(frozen=True)
class Ownership(HourlyPrice):
    """Total cost of owning a chip: purchase, power and space spread over its hours."""

    kind: ClassVar[str] = "cost of ownership"


@dataclass(frozen=True)
class Purchase(ListPrice):
    """What a chip costs once; of a server or module the share of one of its chips."""

    kind: ClassVar[str] = "purchase"
    per: ClassVar[str] = "chip"


@dataclass(frozen=True)
class LineFee(ListPrice):
    """What a line of `gbps` costs for a month."""

    kind: ClassVar[str] = "fee"
    per: ClassVar[str] = "month"

    gbps: float

    def in_chips(self, chip: HourlyPrice) -> tuple[float, float]:
        """The line in units of a chip that runs all month: lowest and highest.

        Raises RunError for other currencies and for a purchase, which says nothing of months.
        """
        if not isinstance(chip, HourlyPrice):
            raise _not_comparable("kinds", self.kind, chip.kind)
        if chip.currency != self.currency:
            raise _not_comparable("currencies", self.currency, chip.currency)
        return self.low / (chip.high * HOURS_PER_MONTH), self.high / (chip.low * HOURS_PER_MONTH)


Price = Rent | Ownership | Purchase | LineFee


def prices_of(part: NamedPart) -> list[Price]:
    """All prices on the shelf for a chip or a line, in the order of the file."""
    found = [price for entry in part.facts.get("prices", ()) for price in _prices(entry)]
    monthly = part.facts.get("usd_per_month")
    if monthly is not None:
        gbps = float(part.values["bandwidth_gbps"])
        value = float(monthly["value"])
        found.append(LineFee(value, value, "USD", None, part.about, monthly["source"], gbps))
    return found


def _prices(entry: dict[str, Any]) -> Iterator[Price]:
    kind = str(entry["kind"]).partition(",")[0]
    told = (entry.get("year"), str(entry.get("what", "")), str(entry["source"]))
    if kind == "rent":
        yield Rent(float(entry["low"]), float(entry["high"]), "USD", *told)
    elif kind == "total cost":
        yield from _costs_of_owners(entry)
    elif kind == "purchase":
        chips = int(entry.get("chips", 1))
        low, high = (float(entry[end]) / chips for end in ("low", "high"))
        yield Purchase(low, high, str(entry["currency"]), *told)
    elif kind == "fee":
        low, high = float(entry["low"]), float(entry["high"])
        yield LineFee(low, high, str(entry["currency"]), *told, gbps=float(entry["gbps"]))
    else:
        raise ValueError(f"a price of kind {kind!r}: rent, total cost, purchase and fee are known")


def _costs_of_owners(entry: dict[str, Any]) -> Iterator[Price]:
    """One figure by owner; what a renter pays for three years is a rent."""
    year, source = entry.get("year"), str(entry["source"])
    owners = {"own_hyperscaler": "a hyperscaler", "own_neocloud": "a smaller cloud"}
    for key, owner in owners.items():
        if key in entry:
            value = float(entry[key])
            yield Ownership(value, value, "USD", year, f"owned by {owner}", source)
    if "rent_3yr" in entry:
        value = float(entry["rent_3yr"])
        yield Rent(value, value, "USD", year, "3-year contract", source)
