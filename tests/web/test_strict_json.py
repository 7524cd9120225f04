"""JSON is read as its definition has it (H10), and what is wrong is told by its place."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.api.answers import Answer
from web.api.strict_json import DEEPEST, JsonError, parse

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc"), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_what_is_json_is_read_as_it_is(value):
    assert parse(json.dumps(value)) == value
    assert parse(orjson.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"rate": NaN}', "rate is NaN: give a finite number"),
        ('{"a": [1, {"b": Infinity}]}', "a[1].b is Infinity: give a finite number"),
        ('{"a": -Infinity}', "a is -Infinity: give a finite number"),
        ('{"rate": 1e999}', "rate is 1e999: give a finite number"),
        ("NaN", "the body is NaN: give a finite number"),
        ("9" * 50, "the body is a number of 50 digits: give one within its bounds"),
        ('{"a": 1, "b": 2, "a": 3}', "'a' is given twice: keep one"),
        ('{"x": {"a": 1, "a": 1}}', "'a' is given twice: keep one"),
        ('{\n"a": tru}', "the body, line 2, column 6: is not JSON"),
        ("", "the body, line 1, column 1: is not JSON"),
        ("{} {}", "the body, line 1, column 4: is not JSON: extra data"),
        ('{"a": "\\ud800"}', "a surrogate stands without its other half"),
        ("[" * 100 + "]" * 100, f"nested deeper than {DEEPEST} levels"),
        ("[" * 200_000, f"nested deeper than {DEEPEST} levels"),
        (b'"\xff"', "the body is not UTF-8: byte 1 is not"),
    ],
)
def test_what_is_not_json_is_refused(text, sentence):
    with pytest.raises(JsonError) as refused:
        parse(text)
    assert sentence in str(refused.value)


def test_a_whole_pair_of_surrogates_is_a_letter():
    assert parse('"\\ud83d\\ude00"') == "\N{GRINNING FACE}"


def test_every_number_that_is_none_is_told():
    with pytest.raises(JsonError) as refused:
        parse('{"a": NaN}')
    assert len(refused.value.problems) == 1


def test_what_cannot_be_said_goes_out_as_null():
    said = Answer({"a": float("nan"), "b": [float("inf"), -float("inf")], "c": 1.5}).body
    assert bytes(said) == b'{"a":null,"b":[null,null],"c":1.5}'
