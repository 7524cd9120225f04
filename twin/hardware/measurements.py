"""The measurements that come with the twin: rows of aggregated serving and published points."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .. import plain_yaml
from ..errors import Problem, RunError
from ..parts import with_references
from ..scenario_file import shipped_folder
from .catalogue import ALIASES

Kind = Literal["tpot", "decode", "prefill rate", "first token"]

NO_BATCH = "not predictable: the source does not tell the batch"

DRAFTED_PER_STEP = 2
"""Tokens of a request that a step with one layer of multi-token prediction computes."""


@dataclass(frozen=True)
class Measurement:
    """One measured time in s, per step and request, per prompt, or per prompt token and chip.

    `requests` are in flight together on `chips` chips (kind tpot), or decode on each chip (kind
    decode). `shown` is the figure as it was published, in `unit`. `why_not` says why it cannot be
    predicted, else it is empty. `ttft_s` is told with rows and is not fitted.
    """

    id: str
    model: str
    chip: str
    precision: str
    kind: Kind
    chips: int
    requests: float
    input_tokens: int
    output_tokens: int
    seconds: float
    shown: float
    unit: str
    tokens_per_step: float = 1.0
    drafted: int = 1
    ttft_s: float | None = None
    source: str = ""
    why_not: str = ""
    point: str = ""
    in_rows: bool = False
    kv: str | None = None

    @property
    def group(self) -> tuple[str, str]:
        """Model and chip; what is left out together. Other names of a model are no other model."""
        return ALIASES.get(self.model, self.model), self.chip

    def as_shown(self, seconds: float) -> float:
        """A time in s as this measurement is published: a rate where it is one."""
        return self.seconds * self.shown / seconds if self.unit == "tokens/s" else seconds


def measured_folder() -> Path:
    """The folder of the measurements that come with the twin."""
    return shipped_folder() / "measured"


def rows(path: Path | None = None) -> list[Measurement]:
    """Rows of aggregated serving with attention_dp = 1; RunError names a line that is none."""
    path = path or measured_folder() / "silicon_points.csv"
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    return [
        _row(path, number, line)
        for number, line in enumerate(lines, 2)
        if line.get("attention_dp") == "1"
    ]


def _row(path: Path, number: int, line: dict[str, str]) -> Measurement:
    try:
        tpot_s = float(line["tpot_ms"]) / 1e3
        return Measurement(
            id=line["source_row_id"],
            model=line["model"],
            chip=line["chip"],
            precision=line["precision"],
            kind="tpot",
            chips=int(line["tp"]),
            requests=float(line["concurrency"]),
            input_tokens=int(line["isl"]),
            output_tokens=int(line["osl"]),
            seconds=tpot_s,
            shown=tpot_s,
            unit="s",
            ttft_s=float(line["ttft_ms"]) / 1e3,
        )
    except (KeyError, TypeError, ValueError) as error:
        remedy = f"is no row of measured serving ({error}); give numbers as in the first rows"
        raise RunError(Problem(f"{path.name}:{number}", "", remedy)) from None


def points(path: Path | None = None) -> list[Measurement]:
    """The published points, one measurement for each of their values."""
    document = plain_yaml.read_file(path or measured_folder() / "throughput_points.yaml")
    if document.problems:
        raise RunError(document.problems, "the published points cannot be read:")
    references = document.data["references"]
    return [
        measurement
        for name, point in document.data["points"].items()
        for measurement in _values(name, point, references)
    ]


def _values(name: str, point: dict[str, Any], references: dict[str, Any]) -> Iterator[Measurement]:
    several = len(point["values"]) > 1
    for i, value in enumerate(point["values"]):
        one = {k: v[i] if isinstance(v, list) and k != "values" else v for k, v in point.items()}
        varied = next((k for k in ("input_tokens", "concurrency") if several and one.get(k)), None)
        if several and isinstance(point.get("concurrency"), list):
            varied = "concurrency"
        at = f" at {one[varied]:,}" if varied else ""
        source = with_references(str(one["source"]), references)
        yield _point(f"{name}{at}", name, one, float(value), source)


KINDS: dict[str, Kind] = {
    "prefill": "prefill rate",
    "decode": "decode",
    "first token": "first token",
    "aggregated": "tpot",
}


def _point(name: str, point_id: str, one: dict[str, Any], value: float, source: str) -> Measurement:
    kind = KINDS[one["phase"]]
    predicts_several = bool(one.get("multi_token_prediction"))
    per_step = float(one.get("tokens_per_step", 1))
    requests = one.get("concurrency") or one.get("batch_per_chip") or (kind != "decode")
    seconds = value if one["unit"] == "s" else 1 / value
    if kind == "decode" and requests:  # tokens/s of a chip: batch x tokens a step / step
        seconds = float(requests) * per_step / value
    return Measurement(
        id=name,
        model=one["model"],
        chip=one["chip"],
        precision=one["precision"],
        kind=kind,
        chips=int(one.get("chips", 1)),
        requests=float(requests),
        input_tokens=int(one.get("context_tokens") or one["input_tokens"]),
        output_tokens=int(one.get("output_tokens", 0)),
        seconds=seconds,
        shown=value,
        unit=one["unit"],
        tokens_per_step=per_step,
        drafted=DRAFTED_PER_STEP if predicts_several else 1,
        source=source,
        why_not="" if requests else NO_BATCH,
        point=point_id,
        in_rows=bool(one.get("in_rows")),
        kv=one.get("kv"),
    )
