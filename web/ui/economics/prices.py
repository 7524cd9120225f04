"""What is chosen on the economics page: prices, the capacity gain, and the two deployments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from twin.cost_table import PUBLISHED, PUBLISHED_LINE, PUBLISHED_PRICES, Hardware, PriceRange
from twin.list_prices import HourlyPrice, LineFee, ListPrice, Ownership, Purchase, Rent, prices_of
from twin.parts import Shelf
from twin.reproduction.stored import measured
from twin.scenario import Scenario
from twin.scenario_file import load, shipped_folder

from ..state import PageState
from ..texts.economics import KINDS_OF_PRICE, MONEY

BEFORE, AFTER = "same_dc_88a", "pdd_43a_32b"
USUAL_CHIP = "nvidia-h100-sxm"

DEFAULTS = {
    "b_low": PUBLISHED_PRICES["B"].low, "b_high": PUBLISHED_PRICES["B"].high,
    "line": PUBLISHED_LINE.low, "kind": "rent",
    "output": 4.0, "margin": 0.0, "cached": 0.10, "hit": 0.90, "larger": 0.97,
    "merged": 0.0, "tub_merged": 1.0, "chunk": 16_384, "layer": True,
}  # fmt: skip

KINDS = {"rent": Rent, "ownership": Ownership, "purchase": Purchase}


def state() -> PageState:
    """The controls of the page; the gain and the price of an hour have defaults of their own."""
    chips = {f"a_{kind}": usual_price(kind) for kind in KINDS}
    chips |= {f"b_{kind}": PUBLISHED for kind in KINDS}
    defaults = {**DEFAULTS, **chips, "gain": round(stored_gain().percent, 1)}
    return PageState("economics", defaults, lambda name: 0.0 if name == "a_hour" else None)


@cache
def deployment(name: str) -> Scenario:
    """A shipped deployment."""
    return load(shipped_folder() / f"{name}.yaml")


def both() -> tuple[Hardware, Hardware]:
    """The hardware of the baseline and of the published deployment."""
    before, after = Hardware.of(deployment(BEFORE)), Hardware.of(deployment(AFTER))
    names = MONEY["before"], MONEY["after"]
    return Hardware(names[0], before.chips, before.line), Hardware(
        names[1], after.chips, after.line
    )


@dataclass(frozen=True)
class Gain:
    """How much more the deployment serves than the baseline, in percent, and on what that rests."""

    percent: float
    sd: float | None
    basis: str
    sla: str


@cache
def stored_gain() -> Gain:
    """Claim C06 as it was last computed."""
    claim = next(one for one in measured().claims if one.claim == "C06")
    figure = claim.figures[0]
    if figure.value is None:
        raise ValueError("claim C06 has no value: compute the claims anew")
    basis = MONEY["gain_basis"].format(
        first=claim.seeds[0], last=claim.seeds[-1], load=claim.load, public=claim.public
    )
    return Gain(figure.value, figure.sd, basis, claim.sla)


def chosen_prices(page: PageState) -> tuple[Mapping[str, PriceRange], PriceRange]:
    """Prices of the chips and of the line as they are dragged, with where they come from."""
    low, high = sorted((page["b_low"], page["b_high"]))
    published = PUBLISHED_PRICES["B"]
    own = (low, high) != (published.low, published.high)
    b = PriceRange(low, high, MONEY["own"] if own else PUBLISHED)
    source = PUBLISHED_LINE.source if page["line"] == PUBLISHED_LINE.low else MONEY["own"]
    return {"A": PUBLISHED_PRICES["A"], "B": b}, PriceRange(page["line"], page["line"], source)


@cache
def _shelf() -> Shelf:
    return Shelf(shipped_folder() / "parts")


@cache
def catalogue(kind: str) -> dict[str, tuple[str, ListPrice]]:
    """Chip and price of every published price of a kind, by a name such as `nvidia-h100-sxm:0`."""
    return {
        f"{name}:{i}": (name, price)
        for name, part in _shelf().parts("chips").items()
        for i, price in enumerate(prices_of(part))
        if isinstance(price, KINDS[kind])
    }


@cache
def line_fees() -> list[tuple[str, LineFee]]:
    """Every published fee of a line, those of the deployment's bandwidth first."""
    found = [
        (name, price)
        for name, part in _shelf().parts("lines").items()
        for price in prices_of(part)
        if isinstance(price, LineFee)
    ]
    return sorted(found, key=lambda one: one[1].gbps)


def price_of_a(page: PageState) -> tuple[str, ListPrice]:
    """The published price that stands for chip A, of the kind that is chosen."""
    kind = page["kind"] if page["kind"] in KINDS else "rent"
    known = catalogue(kind)
    return known.get(page[f"a_{kind}"]) or known[usual_price(kind)]


def usual_price(kind: str) -> str:
    """The first price of the chip that stands for A unless another one is chosen."""
    return next(key for key, (chip, _) in catalogue(kind).items() if chip == USUAL_CHIP)


def hour_of_a(page: PageState) -> HourlyPrice | None:
    """The same when it is paid by the hour; None for a purchase, which says nothing of hours."""
    price = price_of_a(page)[1]
    return price if isinstance(price, HourlyPrice) else None


def price_words(chip: str, price: ListPrice) -> str:
    """A published price in a few words, for a menu."""
    value = f"{price.low:,.4g}" if price.low < 10_000 else f"{price.low:,.0f}"
    if price.high != price.low:
        value += f"–{price.high:,.4g}" if price.high < 10_000 else f"–{price.high:,.0f}"
    year = price.year or MONEY["no_year"]
    return f"{chip} · {value} {price.currency}/{KINDS_OF_PRICE['per'][price.kind]} · {year} · " + (
        price.what
    )
