"""Every name of the vocabulary on a generated page of its own (synthetic): read, with its unit."""

from __future__ import annotations

import re

import pytest

from tests.twin.telemetry.synthetic import scraped
from twin.telemetry.quantities import QUANTITIES
from twin.telemetry.signals import Moment, reading
from twin.telemetry.targets import Targets
from twin.telemetry.vocabulary import Alternative, alternatives, unmapped

MOMENT = Moment(60_000, 60_000, 60_000)
TARGET = {"job": "synthetic", "instance": "x:1"}

WAYS = [
    pytest.param(quantity, way, id=f"{quantity}-{number}-{way.names[0]}")
    for quantity in QUANTITIES
    for number, way in enumerate(alternatives(quantity))
]


def unit_of(name: str) -> float:
    """What one of a name's own units is in ours, from the name alone."""
    if re.search(r"_us(_|$)", name) or re.search("mooncake.*latency", name):
        return 1e-6
    if re.search(r"_ms(_|$)", name):
        return 1e-3
    if re.search(r"_mb(_|$)", name):
        return 1e6
    return 0.01 if name.endswith("GPU_UTIL") else 1.0


def labels(where: dict[str, str]) -> str:
    """Labels that fit: of a pattern its first choice, of one that must not fit another value."""
    told = {
        key: "other" if value.startswith("!~") else value.removeprefix("~").partition("|")[0]
        for key, value in where.items()
    }
    return "{" + ",".join(f'{k}="{v}"' for k, v in told.items() if v) + "}"


def line(kind: str, name: str, where: dict[str, str], value: float) -> str:
    return f"# TYPE {name} {kind}\n{name}{labels(where)} {value!r}\n"


def page(way: Alternative, late: bool) -> str:
    """A page of that alternative alone, at the beginning of a minute or at its end."""
    first, where = way.names[0], {**way.where, **(way.needs or {})}
    size = 120.0 if late else 0.0
    if way.how == "gauge":
        return line("gauge", first, dict(way.where), 60.0 if first.endswith("GPU_UTIL") else 0.6)
    if way.how == "unreliable":
        return line("gauge", first, {}, 0.6)
    if way.how == "gauge_ratio":
        whole = line("gauge", way.names[1], dict(way.below), 10.0)
        return line("gauge", first, dict(way.where), 6.0) + whole
    if way.how == "histogram":
        told = labels(dict(way.where)).strip("{}")
        le = f"{told}," if told else ""
        return (
            f"# TYPE {first} histogram\n"
            f'{first}_bucket{{{le}le="1"}} {size / 2}\n{first}_bucket{{{le}le="4"}} {size}\n'
            f'{first}_bucket{{{le}le="+Inf"}} {size}\n{first}_sum{{{told}}} {size * 1.5}\n'
            f"{first}_count{{{told}}} {size}\n"
        )
    if way.how == "rate":
        return line("counter", first, where, size)
    if way.how == "part":
        rest = way.plus or first
        other = {} if way.plus else {**dict(way.of or {}), **dict(way.needs or {})}
        return line("counter", first, dict(way.where), size) + line(
            "counter", rest, other, 3 * size
        )
    if way.how == "moved":
        return line("counter", first, {}, size / 1e6) + line("counter", way.names[1], {}, 2 * size)
    below = line("counter", way.names[1], dict(way.below), 2 * size)
    return line("counter", first, where, size) + below


def expected(quantity: str, way: Alternative) -> float:
    """From what the page says, by hand."""
    unit = unit_of("_".join((way.names[0], *way.where.values())))
    if way.how in ("gauge", "gauge_ratio"):
        return 0.6
    if way.how == "histogram":
        return 1.5 * unit
    if way.how == "rate":
        return 2.0 * unit  # 120 in a minute
    if way.how == "part":
        return 0.25  # one of four
    return 0.5 * (unit if QUANTITIES[quantity].unit else 1.0)  # 120 of 240


@pytest.mark.parametrize(("quantity", "way"), WAYS)
def test_a_page_that_says_it_in_this_way_alone(quantity, way):
    series, families = scraped([(0, page(way, False)), (60_000, page(way, True))], TARGET)
    targets = Targets(series, families, kv_bytes_per_token=1.0)
    found = reading("any", quantity, targets, MOMENT)
    assert unmapped((one.id.name for one in series), families) == ()
    if way.how == "unreliable":
        assert (found.state, found.reason) == ("error", f"unreliable ({way.mark})")
        return
    assert (found.state, found.reason) == ("value", "")
    assert found.value == pytest.approx(expected(quantity, way))
    assert all(name in found.source for name in way.names)
    if way.how == "histogram":
        median = reading("any", quantity, targets, MOMENT, q=0.5)
        assert median.value == pytest.approx(unit_of(way.names[0]))
