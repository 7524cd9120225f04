"""The public recordings, which lie beside the checkout and are not part of it."""

from __future__ import annotations

import gzip
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from twin.telemetry.series import Series, SeriesId

SHARED = Path(os.environ.get("PUBLIC_DATA", Path(__file__).parents[4] / "shared"))
METRICS = SHARED / "metrics"
RECORDED = METRICS / "recorded"


def read(name: str) -> Any:
    """A file of the recording."""
    data = (RECORDED / name).read_bytes()
    return json.loads(gzip.decompress(data) if name.endswith(".gz") else data)


@cache
def samples() -> tuple[Series, ...]:
    """All raw samples at their true times."""
    found = []
    for name in ("raw_gauges_counters", "raw_buckets", "raw_nic"):
        for one in read(f"{name}.json.gz")["data"]["result"]:
            labels = dict(one["metric"])
            times, values = zip(*one["values"], strict=True)
            found.append(
                Series(
                    SeriesId.of(labels.pop("__name__"), labels),
                    np.array([round(float(t) * 1000) for t in times], np.int64),
                    np.array([float(v) for v in values]),
                )
            )
    return tuple(found)


def selected(name: str, **labels: str) -> list[Series]:
    """Series of a name and labels."""
    return [
        one
        for one in samples()
        if one.id.name == name and all(one.id.label(k) == v for k, v in labels.items())
    ]
