"""Reads a `/metrics` page: Prometheus's text format 0.0.4 and 1.0.0, and OpenMetrics.

What is half is not read at all: a page that ends within a line, an OpenMetrics page without its
`# EOF`, a login page, JSON. In a whole page a line that cannot be read is left out and told with
its number, and the rest is kept: one misspelt family must not blind an operator to all others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..errors import Problem, TwinError, shown
from .series import Family, Kind, Page, SeriesId, Trouble

MIB = 2**20
MOST_BYTES = 8 * MIB
MOST_SERIES = 20_000
MOST_TROUBLES = 100
MOST_MS = 253_402_300_800_000
"""The year 10,000: what is later is no time."""

KINDS: Mapping[str, Kind] = {
    "counter": "counter", "gauge": "gauge", "histogram": "histogram", "summary": "summary",
    "gaugehistogram": "histogram", "info": "gauge", "stateset": "gauge", "untyped": "untyped",
    "unknown": "untyped",
}  # fmt: skip

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\\n]|\\.)*)"\s*(,|$)')
_VALUE = re.compile(r"[-+0-9.eEnNaAiIfF]+")
_WHOLE = re.compile(r"-?[0-9]{1,16}")
_HEAD = re.compile(r'[^{\s]+\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\}')
_ESCAPE = re.compile(r"\\(.)")
_PLAIN = {"n": "\n"}

Heads = dict[str, SeriesId]
"""Series by the text before the value: a page says the same ones again with each scrape."""


class PageError(TwinError):
    """A page that is no page of metrics, or only half of one; nothing of it was kept."""


def read_page(
    body: bytes, content_type: str = "", *, most_series: int = MOST_SERIES,
    most_bytes: int = MOST_BYTES, heads: Heads | None = None,
) -> Page:  # fmt: skip
    """Families and samples of a page; PageError as the rule above has it, or over a cap.

    `heads` holds the series of this page afterwards: given again with the next page of the same
    target, that one is read faster. A series that a page says twice counts once, the first time.
    """
    text = _text(body, content_type, most_bytes)
    open_metrics = "openmetrics" in content_type.lower()
    if open_metrics and not text.rstrip().endswith("# EOF"):
        raise _no("the page", "cut off: it has no # EOF", "scrape it again")
    if text and not text.endswith("\n"):
        raise _no("the page", "cut off within its last line", "scrape it again")
    reader = _Reader(open_metrics, most_series, heads or {})
    page = reader.read(text)
    if heads is not None:
        heads.clear()
        heads.update(reader.used)
    return page


def _text(body: bytes, content_type: str, most_bytes: int) -> str:
    if len(body) > most_bytes:
        found = f"{len(body):,} bytes long"
        raise _no("the page", found, f"take at most {most_bytes:,}: drop metrics at the target")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _no(
            "the page", f"no UTF-8 at byte {error.start}", "is it a page of metrics?"
        ) from None
    start = text[:200].lstrip().lower()
    if start.startswith(("<!doctype", "<html", "<head", "<?xml")) or "text/html" in content_type:
        raise _no(
            "the page", "HTML", "a login or a proxy may stand before it; give /metrics itself"
        )
    if start.startswith(("{", "[")) or "application/json" in content_type:
        raise _no(
            "the page", "JSON", "give the Prometheus page (TensorRT-LLM: /prometheus/metrics)"
        )
    return text


def _no(place: str, found: str, remedy: str) -> PageError:
    return PageError(Problem(place, found, remedy))


class _Reader:
    def __init__(self, open_metrics: bool, most_series: int, heads: Heads) -> None:
        self.open_metrics, self.most_series, self.heads = open_metrics, most_series, heads
        self.used: Heads = {}
        self.kinds: dict[str, Kind] = {}
        self.helps: dict[str, str] = {}
        self.units: dict[str, str] = {}
        self.samples: list[tuple[SeriesId, float, int | None]] = []
        self.troubles: list[Trouble] = []

    def read(self, text: str) -> Page:
        bad = 0
        for number, line in enumerate(text.split("\n"), start=1):
            if not line or line.isspace():
                continue
            try:
                if line[0] == "#":
                    self.comment(line)
                else:
                    self.samples.append(self.sample(line.rstrip("\r")))
            except ValueError as error:
                bad += 1
                if bad <= MOST_TROUBLES:
                    self.troubles.append(Trouble(number, shown(line), str(error)))
            if len(self.samples) > self.most_series:
                found = f"more than {self.most_series:,} series long"
                raise _no("the page", found, "drop labels with many values at the target")
        if bad and not self.samples:
            first = self.troubles[0]
            raise _no(f"the page, line {first.line}", first.text, first.why)
        untyped: dict[str, Kind] = dict.fromkeys(self.helps, "untyped")
        names = untyped | self.kinds
        families = {
            name: Family(name, kind, self.helps.get(name, ""), self.units.get(name, ""))
            for name, kind in names.items()
        }
        return Page(families, self.once(), self.troubles)

    def once(self) -> list[tuple[SeriesId, float, int | None]]:
        """Samples without those that say a series a second time; these are told."""
        seen = {(one, at) for one, _, at in self.samples}
        if len(seen) == len(self.samples):
            return self.samples
        kept = []
        for sample in self.samples:
            if (key := (sample[0], sample[2])) in seen:
                seen.remove(key)
                kept.append(sample)
            elif len(self.troubles) < MOST_TROUBLES:
                self.troubles.append(Trouble(0, shown(sample[0].text), "a series said twice"))
        return kept

    def comment(self, line: str) -> None:
        parts = line.rstrip("\r").split(None, 3)
        if len(parts) < 3 or parts[0] != "#":
            return
        word, name, rest = parts[1], parts[2], parts[3] if len(parts) > 3 else ""
        if word == "TYPE":
            kind = KINDS.get(rest.strip())
            if kind is None:
                raise ValueError(f"no type of a metric: {shown(rest)}")
            self.kinds[name] = kind
        elif word == "HELP":
            self.helps[name] = _unescaped(rest)
        elif word == "UNIT":
            self.units[name] = rest.strip()

    def sample(self, line: str) -> tuple[SeriesId, float, int | None]:
        if self.open_metrics and " # " in line:
            line = _without_exemplar(line)
        end = line.rfind("}")
        cut = end + 1 if end >= 0 else _first_space(line)
        head, rest = line[:cut], line[cut:].split()
        if not 1 <= len(rest) <= 2:
            raise ValueError("a sample is a name, labels, a value, and at most a time")
        found = self.heads.get(head) or _series(head)
        self.used[head] = found
        return found, _number(rest[0]), self.time(rest[1]) if len(rest) == 2 else None

    def time(self, text: str) -> int:
        """A sample's own time in ms: seconds in OpenMetrics, whole ms in text."""
        if not (_VALUE if self.open_metrics else _WHOLE).fullmatch(text):
            raise ValueError(f"no time: {shown(text)}")
        at = float(text) * (1000 if self.open_metrics else 1)
        if not abs(at) < MOST_MS:
            raise ValueError(f"a time beyond all times: {shown(text)}")
        return round(at)


def _without_exemplar(line: str) -> str:
    """Up to the ` # ` that no label's value holds."""
    found = _HEAD.match(line)
    start = found.end() if found else 0
    return line[:start] + line[start:].partition(" # ")[0]


def _first_space(line: str) -> int:
    for index, letter in enumerate(line):
        if letter in " \t":
            return index
    raise ValueError("no value")


def _series(head: str) -> SeriesId:
    name, brace, rest = head.partition("{")
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise ValueError(f"no name of a metric: {shown(name)}")
    if brace and not rest.endswith("}"):
        raise ValueError("no closing brace")
    labels: dict[str, str] = {}
    inner = rest[:-1] if brace else ""
    at = 0
    while inner[at:].strip():
        found = _LABEL.match(inner, at)
        if found is None:
            raise ValueError(f"no label: {shown(inner[at:])}")
        if found[1] in labels:
            raise ValueError(f"label {found[1]} twice")
        labels[found[1]] = _unescaped(found[2])
        at = found.end()
    return SeriesId.of(name, _one_edge(labels))


def _one_edge(labels: dict[str, str]) -> dict[str, str]:
    """`le` and `quantile` as one number is written everywhere: 1 and 1.0 are the same bucket."""
    for name in ("le", "quantile"):
        if name in labels:
            labels[name] = edge(labels[name])
    return labels


def edge(text: str) -> str:
    """A bucket's edge in one way of writing: `1.0`, `0.005`, `+Inf`; ValueError for no number."""
    value = _number(text)
    return "+Inf" if value == float("inf") else repr(value)


def _number(text: str) -> float:
    if not _VALUE.fullmatch(text):
        raise ValueError(f"no number: {shown(text)}")
    return float(text)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda m: _PLAIN.get(m[1], m[1]), text) if "\\" in text else text
