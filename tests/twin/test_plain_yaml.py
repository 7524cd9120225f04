"""Plain YAML: what is taken, what is refused with its line, and that writing loses nothing."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from twin import plain_yaml
from twin.plain_yaml import MAX_BYTES, MAX_DEPTH, read, read_file, write

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"))
)
KEYS = st.text(st.characters(codec="utf-8"), max_size=8).filter(lambda key: key != "<<")
TREES = st.recursive(
    LEAVES, lambda tree: st.lists(tree, max_size=4) | st.dictionaries(KEYS, tree, max_size=4)
)


@given(TREES)
@example({"a": "\x85 \u2028 \r", "b": "yes", "c": "1e3", "d": "", "e": "a\n\nb  "})
@settings(max_examples=300, deadline=None)
def test_what_is_written_is_read_back(data):
    document = read(write(data), "x")
    assert document.problems == []
    assert document.data == data


@given(st.text(max_size=200))
@settings(deadline=None)
def test_no_text_breaks_the_reader(text):
    read(text, "x")


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("1e3", 1000.0),
        (".5", 0.5),
        ("70_000", 70_000),
        ("010", 10),
        ("-3", -3),
        ("true", True),
        ("~", None),
        ("", None),
        ("yes", "yes"),
        ("on", "on"),
        ("12:30", "12:30"),
        ("2024-01-01", "2024-01-01"),
        ("0x1F", "0x1F"),
        ("'1'", "1"),
        ('"true"', "true"),
    ],
)
def test_what_words_mean(word, value):
    data = read(f"a: {word}", "x").data
    assert data == {"a": value}
    assert type(data["a"]) is type(value)


def test_every_key_and_item_knows_its_line():
    document = read("a: 1\nb:\n  - 2\n  - c: {d: 3}\n", "f.yaml")
    assert document.where == {
        "a": "f.yaml:1",
        "b": "f.yaml:2",
        "b[0]": "f.yaml:3",
        "b[1]": "f.yaml:4",
        "b[1].c": "f.yaml:4",
        "b[1].c.d": "f.yaml:4",
    }
    assert document.at("b[1].c.zzz") == "f.yaml:4 b[1].c.zzz"
    assert document.at("zzz") == "f.yaml zzz"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a: 1\na: 2", "f:2 a", "given twice: keep one; the first stands in line 1"),
        ("a: {b: 1, b: 2}", "f:1 a.b", "given twice"),
        ("a: 1\nb: &x 2", "f:2", "anchors and aliases"),
        ("a: &x 1\nb: *x", "f:2", "anchors and aliases"),
        ("<<: {a: 1}", "f:1 <<", "merging is not taken"),
        ("a: !!python/object:os.system 1", "f:1", "tags are not taken"),
        ("a: !!int 3", "f:1", "tags are not taken"),
        ("a: .nan", "f:1 a", "give a finite number"),
        ("a:\n - 1e999", "f:2 a[0]", "give a finite number"),
        ("a: -.INF", "f:1 a", "give a finite number"),
        ("a: " + "9" * 5000, "f:1 a", "at most 40 characters"),
        ("a: 1\n---\nb: 2", "f:2", "second document"),
        ("? [1]\n: 2", "f:1", "a key must be a plain word"),
        ("a: &x 1\n*x : 2", "f:2", "a key must be a plain word"),
        ("a: b: c", "f:1", "cannot be read as YAML"),
        ("a: [1", "f:2", "cannot be read as YAML"),
        ("a: \x00", "f", "cannot be read as YAML"),
        ("a: \ud800", "f", "cannot be read as YAML"),
        ("x" * (MAX_BYTES + 1), "f", "at most 256 KB"),
        ("{a: " * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1), "f:1", "32 levels"),
        ("[" * 200_000, "f:1", "nest"),
    ],
    ids=lambda text: text[:20].encode("unicode_escape").decode(),
)
def test_what_is_refused(text, place, words):
    problems = read(text, "f").problems
    assert any(p.place == place and words in p.sentence() for p in problems), problems


def test_depth_up_to_the_limit_is_taken():
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert read(text, "f").problems == []


def test_problems_are_collected():
    text = "a: .nan\nb: &x 1\nb: 2\nc: 1e999\n"
    assert [p.place for p in read(text, "f").problems] == ["f:1 a", "f:2", "f:3 b", "f:4 c"]


def test_without_the_fast_parser_the_same_is_read(monkeypatch):
    text = "a: [1, {b: .5}]\nc: &x 1\nc: .nan\n"
    fast = read(text, "f")
    monkeypatch.delattr(plain_yaml.yaml, "CSafeLoader")
    slow = read(text, "f")
    assert (fast.data, fast.where, fast.problems) == (slow.data, slow.where, slow.problems)


def test_files_that_cannot_be_read(tmp_path):
    assert "no such file" in read_file(tmp_path / "none.yaml").problems[0].sentence()
    assert "directory" in read_file(tmp_path).problems[0].sentence()
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"name: \xff\xfe")
    assert "UTF-8" in read_file(binary).problems[0].sentence()
    large = tmp_path / "large.yaml"
    large.write_bytes("é".encode() * MAX_BYTES)
    assert "too large" in read_file(large).problems[0].sentence()
    marked = tmp_path / "marked.yaml"
    marked.write_bytes(b"\xef\xbb\xbfname: x\r\n")
    assert read_file(marked).data == {"name": "x"}
