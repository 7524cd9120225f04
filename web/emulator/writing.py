"""Writing a page in Prometheus's text format, with numbers as each program prints them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from math import inf, isnan

from .families import Family
from .histogram import Counters

Number = Callable[[float], str]
Labels = Sequence[tuple[str, str]]


def _special(value: float) -> str | None:
    if isnan(value):
        return "NaN"
    return {inf: "+Inf", -inf: "-Inf"}.get(value)


def python_number(value: float) -> str:
    """As Python's client prints it: always a float, 1e+06 and above with an exponent."""
    said = _special(value)
    if said is not None:
        return said
    text = repr(float(value))
    dot = text.find(".")
    if value > 0 and dot > 6 and "e" not in text:
        mantissa = f"{text[0]}.{text[1:dot]}{text[dot + 1 :]}".rstrip("0.")
        return f"{mantissa}e+{dot - 1:02d}"
    return text


def go_number(value: float) -> str:
    """As Go's client prints it: whole numbers without a point, else as Python's."""
    text = python_number(value)
    return text.removesuffix(".0")


def rust_number(value: float) -> str:
    """As Rust's client prints it: whole numbers without a point, never an exponent."""
    said = _special(value)
    if said is not None:
        return said
    return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")


def escaped(value: str) -> str:
    """A label value as it stands between quotes."""
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def series(name: str, labels: Labels, value: float, number: Number) -> str:
    """One line of a page."""
    inner = ",".join(f'{key}="{escaped(text)}"' for key, text in labels)
    return f"{name}{{{inner}}} {number(value)}" if inner else f"{name} {number(value)}"


class PageWriter:
    """Writes families under a prefix with common labels; `created_s` adds `_created` gauges."""

    def __init__(
        self, prefix: str, labels: Mapping[str, str], number: Number,
        created_s: float | None = None, sort_labels: bool = True,
    ) -> None:  # fmt: skip
        self.prefix = prefix
        self.labels = dict(labels)
        self.number = number
        self.created_s = created_s
        self.sort_labels = sort_labels
        self.lines: list[str] = []

    def _labels(self, more: Labels = ()) -> Labels:
        every = [*self.labels.items(), *((key, value) for key, value in more if key)]
        return sorted(every) if self.sort_labels else every

    def _line(self, name: str, value: float, more: Labels = ()) -> None:
        self.lines.append(series(name, self._labels(more), value, self.number))

    def head(self, name: str, kind: str, text: str) -> None:
        """The two lines before a family."""
        self.lines += [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]

    def gauge(self, family: Family, values: Mapping[str, float], shown: str | None = None) -> None:
        """A gauge with its values by label value."""
        name = self.prefix + (shown or family.name)
        self.head(name, "gauge", family.help)
        for label in family.values:
            self._line(name, values.get(label, 0.0), [(family.label, label)])

    def counter(
        self, family: Family, counters: Counters, shown: str | None = None,
        value: float | None = None,
    ) -> None:  # fmt: skip
        """A counter, shown whole; `value` stands for what `counters` have of it."""
        base = self.prefix + (shown or family.name)
        self.head(f"{base}_total", "counter", family.help)
        for label in family.values:
            total = counters.get(family.name, label) if value is None else value
            self._line(f"{base}_total", float(round(total)), [(family.label, label)])
        self._created(base, family)

    def histogram(self, family: Family, counters: Counters, shown: str | None = None) -> None:
        """A histogram: its buckets, count and sum."""
        name, seen = self.prefix + (shown or family.name), counters.histograms[family.name]
        self.head(name, "histogram", family.help)
        total = 0
        for bound, total in seen.cumulative():
            self._line(f"{name}_bucket", total, [("le", self.number(bound))])
        self._line(f"{name}_count", total)
        self._line(f"{name}_sum", seen.sum)
        self._created(name, family)

    def _created(self, base: str, family: Family) -> None:
        if self.created_s is None:
            return
        self.head(f"{base}_created", "gauge", family.help)
        for label in family.values:
            self._line(f"{base}_created", self.created_s, [(family.label, label)])

    def bare(
        self, name: str, kind: str, text: str, samples: Iterable[tuple[Labels, float]]
    ) -> None:
        """A family without prefix and common labels."""
        self.head(name, kind, text)
        self.lines += [series(name, labels, value, self.number) for labels, value in samples]

    def text(self) -> str:
        """The page."""
        return "\n".join(self.lines) + "\n"
