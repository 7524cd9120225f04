"""Raw series of samples: their identity, their true times, and what is known of their family."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["counter", "gauge", "histogram", "summary", "untyped"]
Labels = tuple[tuple[str, str], ...]

STALE_BITS = 0x7FF0000000000002
"""The NaN by which Prometheus ends a series (value.StaleNaN of its source)."""

STALE_MARKER = float(np.array([STALE_BITS], np.uint64).view(np.float64)[0])

_LABEL = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_.:]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?')
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


def stale_markers(count: int) -> NDArray[np.float64]:
    """So many stale markers with their very bits."""
    return np.full(count, STALE_BITS, np.uint64).view(np.float64)


def is_stale(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which values are the stale marker, by its bits: an ordinary NaN is none."""
    return np.ascontiguousarray(values, np.float64).view(np.uint64) == STALE_BITS


@dataclass(frozen=True, order=True)
class SeriesId:
    """Name of the sample and its labels, sorted by name."""

    name: str
    labels: Labels

    @classmethod
    def of(cls, name: str, labels: Mapping[str, str]) -> SeriesId:
        """The series of a name and labels in any order; empty labels are none."""
        return cls(name, tuple(sorted((k, v) for k, v in labels.items() if v != "")))

    def label(self, name: str) -> str | None:
        """The value of a label, None where it has none."""
        return next((value for key, value in self.labels if key == name), None)

    def without(self, *names: str) -> SeriesId:
        """The same series less some labels."""
        return SeriesId(self.name, tuple(pair for pair in self.labels if pair[0] not in names))

    @property
    def text(self) -> str:
        """As it is written in a page; the identity in the store."""
        if not self.labels:
            return self.name
        told = ",".join(f'{key}="{_escaped(value)}"' for key, value in self.labels)
        return f"{self.name}{{{told}}}"

    @classmethod
    def parse(cls, text: str) -> SeriesId:
        """Read what `text` writes; ValueError for anything else."""
        name, brace, rest = text.partition("{")
        if not brace:
            return cls(name, ())
        labels, at, end = [], 0, len(rest) - 1
        if not rest.endswith("}"):
            raise ValueError(f"no closing brace in {text!r}")
        while at < end:
            found = _LABEL.match(rest, at, end)
            if found is None:
                raise ValueError(f"no label at {rest[at : at + 20]!r}")
            labels.append((found[1], re.sub(r'\\[\\"n]', lambda m: _ESCAPES[m[0]], found[2])))
            at = found.end()
        return cls(name, tuple(sorted(labels)))


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


@dataclass(frozen=True)
class Series:
    """Samples of one series: Unix ms, strictly ascending, and values; markers keep their bits."""

    id: SeriesId
    time_ms: NDArray[np.int64]
    value: NDArray[np.float64]


@dataclass(frozen=True)
class Family:
    """What a page announces of a name."""

    name: str
    kind: Kind
    help: str = ""
    unit: str = ""


PARTS: Mapping[Kind, tuple[str, ...]] = {
    "histogram": ("_bucket", "_sum", "_count", "_created", "_gsum", "_gcount"),
    "summary": ("_sum", "_count", "_created"),
    "counter": ("_total", "_created"),
}
"""Endings of a family's samples; a family may itself end in one of another kind."""


def family_of(name: str, families: Mapping[str, Family]) -> Family | None:
    """The family of a sample: what is announced decides, never the ending of a name.

    `vllm:iteration_tokens_total_sum` belongs to a histogram that is called `..._total`, and a gauge
    may be called so too. None where nothing was announced.
    """
    if name in families:
        return families[name]
    for kind, endings in PARTS.items():
        for ending in endings:
            found = families.get(name.removesuffix(ending)) if name.endswith(ending) else None
            if found is not None and found.kind == kind:
                return found
    return None


@dataclass(frozen=True)
class Trouble:
    """A line of a page that could not be read."""

    line: int
    text: str
    why: str


@dataclass(frozen=True)
class Page:
    """A page as it was read: families by name, samples with their own time (ms) or None."""

    families: Mapping[str, Family]
    samples: Sequence[tuple[SeriesId, float, int | None]]
    troubles: Sequence[Trouble] = ()


@dataclass(frozen=True)
class Gap:
    """A time without samples: of one target of a source, or of the whole source (None)."""

    source: str
    target: str | None
    from_ms: int
    to_ms: int
    reason: str
