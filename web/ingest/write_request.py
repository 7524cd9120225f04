"""Reads the body of a remote write, version 1: a snappy block around a protobuf WriteRequest.

The message is that of prometheus.proto: timeseries = 1 {labels = 1 {name = 1, value = 2},
samples = 2 {value = 1, timestamp = 2}}, metadata = 3 {type = 1, name = 2, help = 4, unit = 5}.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import cramjam
import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from twin.errors import Problem, TwinError
from twin.telemetry.series import Family, Kind, Series, SeriesId

MIB = 2**20
MOST_BYTES = 32 * MIB
"""Of a decoded body; the length that a block claims is looked at before anything is decoded."""

MOST_AHEAD_MS = 600_000
"""Samples further ahead of our clock than this would hide all that come later."""

KINDS: Mapping[int, Kind] = {1: "counter", 2: "gauge", 3: "histogram", 5: "summary"}

_FIELD = descriptor_pb2.FieldDescriptorProto
_TYPES = {
    "string": _FIELD.TYPE_STRING, "double": _FIELD.TYPE_DOUBLE, "int64": _FIELD.TYPE_INT64,
    "int32": _FIELD.TYPE_INT32,
}  # fmt: skip

MESSAGES = {
    "Label": [("name", 1, "string"), ("value", 2, "string")],
    "Sample": [("value", 1, "double"), ("timestamp", 2, "int64")],
    "TimeSeries": [("labels", 1, "Label*"), ("samples", 2, "Sample*")],
    "Metadata": [("type", 1, "int32"), ("name", 2, "string"), ("help", 4, "string"),
                 ("unit", 5, "string")],
    "WriteRequest": [("timeseries", 1, "TimeSeries*"), ("metadata", 3, "Metadata*")],
}  # fmt: skip


class WriteRefused(TwinError):
    """The body cannot be read: nothing of it was kept, and sending it again will not help."""


@dataclass(frozen=True)
class Written:
    """What a body holds: good series, families, and how many samples were rejected for what."""

    series: tuple[Series, ...]
    families: tuple[Family, ...]
    received: int
    duplicate: int
    rejected: Mapping[str, int]


def read_write_request(body: bytes, now_ms: int, most_bytes: int = MOST_BYTES) -> Written:
    """Read a body; samples that cannot be taken are counted, the rest is kept.

    WriteRefused when it is no snappy block, too long, or no WriteRequest.
    """
    request = _decoded(body, most_bytes)
    rejected: Counter[str] = Counter()
    gathered: dict[SeriesId, list[tuple[int, int]]] = {}
    received = 0
    for one in request.timeseries:
        received += len(one.samples)
        found = _identity(one.labels)
        if isinstance(found, str):
            rejected[found] += len(one.samples)
            continue
        bits = np.array([s.value for s in one.samples], np.float64).view(np.uint64).tolist()
        times = [s.timestamp for s in one.samples]
        gathered.setdefault(found, []).extend(zip(times, bits, strict=True))
    series, duplicate = _in_order(gathered, now_ms, rejected)
    families = tuple(_families(request.metadata))
    return Written(tuple(series), families, received, duplicate, dict(rejected))


def _decoded(body: bytes, most_bytes: int) -> Any:
    try:
        claimed = cramjam.snappy.decompress_raw_len(body)
    except cramjam.DecompressionError as error:
        raise _refused(f"{len(body)} bytes", "send one snappy block, not framed") from error
    if claimed > most_bytes:
        raise _refused(f"a block of {claimed:,} bytes", f"send at most {most_bytes:,} at once")
    try:
        return _message("WriteRequest").FromString(bytes(cramjam.snappy.decompress_raw(body)))
    except DecodeError as error:
        raise _refused("no WriteRequest", "send protobuf of remote write version 1") from error
    except cramjam.DecompressionError as error:
        raise _refused(f"{len(body)} bytes", "send one snappy block, not framed") from error


def _refused(found: str, remedy: str) -> WriteRefused:
    return WriteRefused(Problem("the body", found, remedy))


def _identity(labels: Iterable[Any]) -> SeriesId | str:
    """The series of labels, or why it is none."""
    pairs = [(one.name, one.value) for one in labels]
    named = dict(pairs)
    if len(named) < len(pairs):
        return "duplicate label"
    name = named.pop("__name__", "")
    if not name:
        return "no name"
    return SeriesId.of(name, named)


def _in_order(
    gathered: Mapping[SeriesId, list[tuple[int, int]]], now_ms: int, rejected: Counter[str]
) -> tuple[list[Series], int]:
    """Each series once, its samples by time; the first of two values at one time is kept."""
    series, duplicate = [], 0
    for found, samples in gathered.items():
        kept: dict[int, int] = {}
        for time_ms, bits in samples:
            if time_ms > now_ms + MOST_AHEAD_MS:
                rejected["ahead of time"] += 1
            elif time_ms <= 0:
                rejected["no time"] += 1
            elif time_ms not in kept:
                kept[time_ms] = bits
            elif kept[time_ms] == bits:
                duplicate += 1
            else:
                rejected["conflict"] += 1
        if kept:
            times = sorted(kept)
            values = np.array([kept[at] for at in times], np.uint64).view(np.float64)
            series.append(Series(found, np.array(times, np.int64), values))
    return series, duplicate


def _families(metadata: Iterable[Any]) -> Iterable[Family]:
    for one in metadata:
        if one.name:
            yield Family(one.name, KINDS.get(one.type, "untyped"), one.help, one.unit)


def write_request(series: Iterable[Series]) -> bytes:
    """The body that carries these series: for tests, replays and the load generator."""
    request = _message("WriteRequest")()
    for one in series:
        added = request.timeseries.add()
        for name, value in (("__name__", one.id.name), *one.id.labels):
            added.labels.add(name=name, value=value)
        for time_ms, value in zip(one.time_ms.tolist(), one.value.tolist(), strict=True):
            added.samples.add(value=value, timestamp=time_ms)
    return bytes(cramjam.snappy.compress_raw(request.SerializeToString()))


@cache
def _message(name: str) -> Any:
    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"pdd.{name}"))


@cache
def _pool() -> descriptor_pool.DescriptorPool:
    """The messages, described here: no generated file, and none of another package's names."""
    file = descriptor_pb2.FileDescriptorProto(
        name="pdd_write.proto", package="pdd", syntax="proto3"
    )
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            many = kind.endswith("*")
            added = message.field.add(
                name=field, number=number,
                label=_FIELD.LABEL_REPEATED if many else _FIELD.LABEL_OPTIONAL,
                type=_FIELD.TYPE_MESSAGE if many else _TYPES[kind],
            )  # fmt: skip
            if many:
                added.type_name = f".pdd.{kind.removesuffix('*')}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool
