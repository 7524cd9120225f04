"""Files as such: gzip, limits, encodings, streams, progress, unknown formats."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from pathlib import Path

import pytest

from twin.errors import TraceError
from twin.workload.trace_text import Limits
from twin.workload.traces import read_trace

ROW = {"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1, 2]}
LINE = json.dumps(ROW).encode() + b"\n"
WEKA = b'{"block_size": 64, "requests": [{"t": 0, "in": 64, "out": 1, "hash_ids": [1]}]}\n'


def refused(source: object, **more: object) -> str:
    with pytest.raises(TraceError) as caught:
        read_trace(source, **more)  # type: ignore[arg-type]
    return str(caught.value)


def test_digest_is_of_the_content_and_not_of_its_wrapping(tmp_path: Path):
    plain, packed = tmp_path / "a.jsonl", tmp_path / "b.bin"
    plain.write_bytes(LINE * 3)
    packed.write_bytes(gzip.compress(LINE * 2) + gzip.compress(LINE))
    traces = [read_trace(plain), read_trace(str(packed)), read_trace(io.BytesIO(LINE * 3))]
    assert {t.digest for t in traces} == {hashlib.sha256(LINE * 3).hexdigest()}
    assert [t.name for t in traces] == ["a.jsonl", "b.bin", "trace"]
    assert [len(t) for t in traces] == [3, 3, 3]


class OneWay(io.RawIOBase):
    """A stream as a socket gives it: a few bytes at a time, no way back."""

    def __init__(self, content: bytes) -> None:
        self.left = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self.left.read(min(size, 7))


@pytest.mark.parametrize("content", [LINE * 50, gzip.compress(LINE * 50)])
def test_a_stream_that_cannot_seek(content: bytes):
    stream = OneWay(content)
    shares: list[float] = []
    assert len(read_trace(stream, name="up/load.gz", progress=shares.append)) == 50  # type: ignore[arg-type]
    assert shares == [1.0]
    assert not stream.closed


def test_a_stream_is_read_from_where_it_stands():
    stream = io.BytesIO(b"skipped" + LINE)
    stream.seek(7)
    assert len(read_trace(stream)) == 1
    assert not stream.closed


def test_format_is_told_by_content_not_by_name():
    assert read_trace(WEKA, name="mooncake.csv.gz").format == "weka"
    assert read_trace(gzip.compress(LINE), name="azure.csv").format == "mooncake"


def test_progress_grows_to_one():
    shares: list[float] = []
    read_trace(LINE * 20_000, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) > 4
    assert 0 < shares[0] < 0.5


@pytest.mark.parametrize("content", [b"", b"\n \n\n", gzip.compress(b""), b"\xef\xbb\xbf"])
def test_an_empty_file(content: bytes):
    assert "the file is empty: must hold at least one request" in refused(content)


def test_a_byte_order_mark_and_crlf_are_no_harm():
    assert len(read_trace(b"\xef\xbb\xbf" + LINE.replace(b"\n", b"\r\n") * 2)) == 2


def test_not_utf8_is_told_by_line_and_byte():
    told = refused(LINE + b'{"timestamp": "\xff\xfe"}\n' + LINE)
    assert "line 2 is not UTF-8 (byte 0xff at column 16): save the file as UTF-8" in told
    assert "line 1 is not UTF-8 (byte 0xff at column 1)" in refused(LINE.decode().encode("utf-16"))


@pytest.mark.parametrize("cut", [3, 12, 40, -1, -6])
def test_a_truncated_gzip_is_not_half_loaded(cut: int):
    packed = gzip.compress(LINE * 1000)
    assert "the file is a damaged gzip file: fetch it again whole" in refused(packed[:cut])


def test_a_corrupt_gzip_is_told():
    packed = bytearray(gzip.compress(b"".join(b"%d" % i + LINE for i in range(999))))
    packed[len(packed) // 2] ^= 0xFF
    assert "the file is a damaged gzip file" in refused(bytes(packed))
    assert "the file is a damaged gzip file" in refused(gzip.compress(LINE) + b"rubbish")
    assert "the file is a damaged gzip file" in refused(gzip.compress(LINE)[:10] + b"\xff" * 99)


def test_bad_lines_before_a_damaged_end_are_told_too():
    packed = gzip.compress(LINE + b"oops\n" + LINE * 50_000)[:-4]
    told = refused(packed)
    assert "line 2 is 'oops'" in told
    assert "the file is a damaged gzip file" in told


def test_a_decompression_bomb_is_refused():
    wide = LINE.replace(b"600", b" " * 2**20 + b"600")
    bomb = gzip.compress(wide * 257, compresslevel=1)
    assert len(bomb) < 2_000_000
    told = refused(bomb)
    assert "the trace is longer than 268,435,456 bytes of content: cut it into parts" in told


class Endless(io.RawIOBase):
    """A file of 2 GB that counts what is taken of it."""

    taken = 0

    def tell(self) -> int:
        raise OSError("no place")

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        self.taken += size
        return (LINE * (size // len(LINE) + 1))[:size]


def test_limits_are_arguments():
    assert "longer than 100 bytes of content" in refused(LINE * 2, limits=Limits(100))
    assert len(read_trace(LINE * 2, limits=Limits(content_bytes=2 * len(LINE)))) == 2
    assert "longer than 3 requests" in refused(LINE * 4, limits=Limits(rows=3))
    assert len(read_trace(LINE * 3, limits=Limits(rows=3))) == 3
    assert "longer than 5 block ids" in refused(LINE * 3, limits=Limits(block_ids=5))
    told = refused(LINE + b" " + LINE, limits=Limits(line_bytes=len(LINE)))
    assert f"line 2 is longer than {len(LINE)} bytes" in told


def test_lines_without_end_are_refused_even_when_blank():
    told = refused(LINE + b"\n" * 1000, limits=Limits(rows=100))
    assert "the trace is longer than 200 lines: cut it into parts" in told
    assert len(read_trace((LINE + b"\n") * 100, limits=Limits(rows=100))) == 100


def test_a_stream_without_end_is_left_at_the_limit():
    stream = Endless()
    told = refused(stream, limits=Limits(content_bytes=10**6))
    assert "longer than 1,000,000 bytes of content" in told
    assert stream.taken < 2 * 10**6


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path):
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        file.write(LINE)
        file.truncate(2 * 10**9)
    shares: list[float] = []
    assert "longer than 268,435,456 bytes" in refused(path, progress=shares.append)
    assert shares == []


def test_a_file_that_cannot_be_opened(tmp_path: Path):
    assert "the file is not readable: No such file" in refused(tmp_path / "none.jsonl")
    assert "the file is not readable: Is a directory" in refused(tmp_path)
    assert "the file is not readable" in refused("a\0b")


@pytest.mark.parametrize(
    "content",
    [
        b"hello\n",
        b"Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,GPT,1,2,3,x\n",
        b'{"input_toks": 128, "output_toks": 512, "arrival_time_ns": 0}\n',
        b'[{"timestamp": 0}]\n',
        b"{\n",
        b'{\n"a": 1\n}\n',
        b"\x00\x01\x02\x03",
        b"PK\x03\x04rubbish",
        b"[" * 100_000,
        b"{" * 100_000,
        b'{"a":' * 100_000,
    ],
)
def test_an_unknown_format_says_which_are_known(content: bytes):
    told = refused(content, name="x.dat")
    assert told.startswith("x.dat cannot be read as a trace; nothing of it was kept.")
    assert "no known format; known are mooncake (JSON lines {" in told
    assert "azure (CSV with the columns TIMESTAMP,ContextTokens,GeneratedTokens)" in told
    assert "weka (JSON sessions {" in told
    assert len(told) < 700


def test_a_broken_object_over_many_lines_says_where():
    told = refused(json.dumps(json.loads(WEKA), indent=1).encode().replace(b"64,", b"64", 1))
    assert "as one object it must be JSON (Expecting ',' delimiter, line 3)" in told


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\tmp\\a.csv", "a.csv"),
        ("a\x1b[31m\n.csv", "a[31m.csv"),
        ("", "trace"),
        (None, "trace"),
        ("x" * 500, "x" * 80),
    ],
)
def test_a_name_is_one_short_printable_word(name: str | None, shown: str):
    assert read_trace(LINE, name=name).name == shown
