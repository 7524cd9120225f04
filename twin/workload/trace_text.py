"""The lines of an untrusted trace file, plain or gzip, within stated limits."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from ..errors import Problem, TraceError
from .trace_checks import Complaints, Found

MAX_CONTENT_BYTES = 256 * 2**20
"""Most that is read of a trace, in bytes after decompression."""

MAX_ROWS = 2_000_000
"""Most requests of a trace; its lines, blank ones too, may be twice as many."""

MAX_BLOCK_IDS = 20_000_000
"""Most block ids of a trace, all requests together."""

MAX_LINE_BYTES = 16 * 2**20
"""Longest line, or longest single JSON object, in bytes."""

GZIP_MAGIC = b"\x1f\x8b"
CHUNK_BYTES = 2**18

Source = str | os.PathLike[str] | bytes | BinaryIO
"""A path, the content itself (plain or gzip), or a binary stream of it."""

Progress = Callable[[float], None]
"""Told the share of the file's bytes taken so far, 0 to 1; 1.0 comes at the end."""


@dataclass(frozen=True)
class Limits:
    """How much of a trace is read at most."""

    content_bytes: int = MAX_CONTENT_BYTES
    rows: int = MAX_ROWS
    block_ids: int = MAX_BLOCK_IDS
    line_bytes: int = MAX_LINE_BYTES


DEFAULT_LIMITS = Limits()


def shown_name(source: Source, name: str | None) -> str:
    """The last part of a file's name, printable and short; "trace" where there is none."""
    if name is None and isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
    last = (name or "").replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return "".join(c for c in last if c.isprintable())[:80] or "trace"


class _Taken(io.RawIOBase):
    """A stream that tells how many of its bytes were taken."""

    def __init__(self, stream: BinaryIO, size: int | None, progress: Progress | None) -> None:
        self._stream, self._size, self._progress = stream, size, progress
        self._taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        chunk = self._stream.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self._taken += len(chunk)
        if self._progress and self._size and chunk:
            self._progress(min(1.0, self._taken / self._size))
        return len(chunk)


class _Content(io.RawIOBase):
    """Decompressed content; counts and digests what goes by, and refuses too much."""

    def __init__(self, inner: io.BufferedIOBase, limit: int) -> None:
        self._inner, self._limit = inner, limit
        self._count = 0
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            chunk = self._inner.read(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile) as bad:
            raise TraceError(
                Problem("the file", "a damaged gzip file", f"fetch it again whole ({bad})")
            ) from None
        self._count += len(chunk)
        if self._count > self._limit:
            raise too_long(f"{self._limit:,} bytes of content")
        self.digest.update(chunk)
        buffer[: len(chunk)] = chunk
        return len(chunk)


def too_long(most: str) -> TraceError:
    """The error for a trace beyond a limit, such as "2,000,000 requests"."""
    remedy = "cut it into parts; that is the most that is read"
    return TraceError(Problem("the trace", f"longer than {most}", remedy))


class TraceText:
    """An opened trace: its lines once, then the digest of its content. A context manager."""

    def __init__(self, source: Source, limits: Limits, progress: Progress | None = None) -> None:
        """TraceError when the file cannot be opened or is plainly too large."""
        self._limits, self._progress = limits, progress
        with contextlib.ExitStack() as stack:
            stream, size = _opened(source, stack)
            if size is not None and size > limits.content_bytes:
                raise too_long(f"{limits.content_bytes:,} bytes of content")
            taken = io.BufferedReader(_Taken(stream, size, progress), CHUNK_BYTES)
            zipped = taken.peek(2)[:2] == GZIP_MAGIC
            inner = gzip.GzipFile(fileobj=taken, mode="rb") if zipped else taken
            self._content = _Content(inner, limits.content_bytes)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def lines(self, complaints: Complaints) -> Iterator[tuple[int, str]]:
        """Numbered lines without their ends; blank ones and those not UTF-8 are left out.

        A byte order mark is dropped. TraceError for a line or content beyond the limits.
        """
        limit = self._limits.line_bytes
        reader = io.BufferedReader(self._content, CHUNK_BYTES)
        for number, raw in enumerate(iter(lambda: reader.readline(limit + 1), b""), 1):
            if len(raw) > limit:
                remedy = "is this a trace? Each request or session needs a line of its own"
                raise TraceError(Problem(f"line {number}", f"longer than {limit:,} bytes", remedy))
            if number > 2 * self._limits.rows:
                raise too_long(f"{2 * self._limits.rows:,} lines")
            text = _decoded(raw, number, complaints)
            if text.strip():
                yield number, text
        if self._progress:
            self._progress(1.0)

    def digest(self) -> str:
        """SHA-256 of the content read so far, hex; of all of it once the lines have ended."""
        return self._content.digest.hexdigest()


def _opened(source: Source, stack: contextlib.ExitStack) -> tuple[BinaryIO, int | None]:
    """(a stream, its size in bytes if known); a file of our own opening is closed by the stack."""
    if isinstance(source, bytes):
        return io.BytesIO(source), len(source)
    if not isinstance(source, (str, os.PathLike)):
        return source, _size_of(source)
    try:
        file = Path(source).open("rb")  # noqa: SIM115 (the stack closes it)
    except (OSError, ValueError) as bad:
        reason = getattr(bad, "strerror", None) or str(bad)
        raise TraceError(Problem("the file", "not readable", reason)) from None
    stack.enter_context(file)
    return file, os.fstat(file.fileno()).st_size


def _size_of(stream: BinaryIO) -> int | None:
    try:
        here = stream.tell()
        size = stream.seek(0, os.SEEK_END) - here
        stream.seek(here)
    except (OSError, AttributeError):
        return None
    return size


def _decoded(raw: bytes, number: int, complaints: Complaints) -> str:
    raw = raw.rstrip(b"\r\n")
    if number == 1:
        raw = raw.removeprefix(b"\xef\xbb\xbf")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as bad:
        byte = Found(f"not UTF-8 (byte 0x{raw[bad.start]:02x} at column {bad.start + 1})")
        complaints.add(f"line {number}", byte, "save the file as UTF-8")
        return ""
