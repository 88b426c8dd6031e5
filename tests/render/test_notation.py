"""Values on one line: JSON as people read it, no longer than there is room for."""

from __future__ import annotations

import pytest

from amberfork_cli.core.compare.report import MISSING, Side
from amberfork_cli.core.jsonreader import NonFinite
from amberfork_cli.render.notation import notation, quote_of, type_word


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "null"),
        (True, "true"),
        (1, "1"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (10**30, "1" + "0" * 30),
        (NonFinite("nan"), "NaN"),
        ("text", '"text"'),
        ('say "yes"', "'say \"yes\"'"),
        ('it\'s "so"', '"it\'s \\"so\\""'),
        ("a\nb\t\x1b\u202e\ud83d", '"a\\nb\\t\\u001b\\u202e\\ud83d"'),
        ("back\\slash", '"back\\\\slash"'),
        ([], "[]"),
        ({}, "{}"),
        ([1, "a", [None]], '[1, "a", [null]]'),
        ({"a": {"b": [1, 2]}, 'k"': "x"}, '{"a": {"b": [1, 2]}, \'k"\': "x"}'),
        (b"\x00\xff", 'base64 "AP8="'),
        (MISSING, ""),
    ],
)
def test_a_value_reads_as_json(value: Side, written: str) -> None:
    """Numbers as they are, texts quoted and visible, bytes marked; a side without a value is nothing."""
    assert notation(value, 1000) == written


def test_writing_stops_soon_after_the_room_is_used_up() -> None:
    """A value of a million items is not written to be cut after a hundred cells."""
    many = notation(list(range(1_000_000)), 100)
    long = notation("x" * 1_000_000, 100)

    assert many.startswith("[0, 1, 2, 3")
    assert 100 < len(many) < 120
    assert 100 < len(long) < 120


def test_depth_is_no_danger() -> None:
    """A value may nest deeper than Python's stack."""
    value: Side = None
    for _ in range(20_000):
        value = [value]

    assert notation(value, 50) == "[" * 51
    assert notation(value, 10**6) == "[" * 20_000 + "null" + "]" * 20_000


def test_ascii_has_nothing_else() -> None:
    """Signs beyond ASCII are codes."""
    assert notation({"é": "東"}, 100, ascii=True) == '{"\\u00e9": "\\u6771"}'


def test_quotes_are_chosen_to_save_escapes() -> None:
    """Single ones only around a text that has double ones and no single ones."""
    assert [quote_of(text) for text in ("a", 'a"', "a'", "a'\"")] == ['"', "'", '"', '"']


def test_types_have_names_that_people_use() -> None:
    """Null, too; a boolean is no number."""
    values: list[Side] = [None, True, 1, 0.5, NonFinite("inf"), "a", [], {}, b""]

    words = [type_word(value) for value in values]

    assert words == ["null", "boolean", "number", "number", "number", "text", "list", "object", "bytes"]
