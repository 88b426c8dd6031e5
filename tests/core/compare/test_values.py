"""What differs between two JSON values."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.report import MISSING, Kind
from amberfork_cli.core.compare.values import Change, changes, facing, likeness, text_of_json

Json = Any
LEAVES = st.sampled_from(
    [None, True, False, 0, 1, 1.0, -0.0, 0.0, 2**70, "", "x", '{"a": 1}', '{"a":1}', "[1]"]
)
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "__b", "", "c.d"]), inner)
    ),
    max_leaves=10,
)

ONE = {
    "values": ("a", "b", Change(Kind.VALUE, (), (), "a", "b")),
    "types": ("1", 1, Change(Kind.TYPE, (), (), "1", 1)),
    "a truth is no number": (True, 1, Change(Kind.TYPE, (), (), True, 1)),
    "spelling of a number": (1, 1.0, Change(Kind.SPELLING, (), (), 1, 1.0)),
    "two zeros": (0.0, -0.0, Change(Kind.SPELLING, (), (), 0.0, -0.0)),
    "large numbers": (2**70, 2**70 + 1, Change(Kind.VALUE, (), (), 2**70, 2**70 + 1)),
    "a member that came": ({}, {"a": None}, Change(Kind.ADDED, None, ("a",), MISSING, None)),
    "a member that went": ({"__a": 1}, {}, Change(Kind.REMOVED, ("__a",), None, 1, MISSING)),
    "deep": ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, Change(Kind.VALUE, ("a", 0, "b"), ("a", 0, "b"), 1, 2)),
    "an inserted element": ([1, 2, 3], [1, 9, 2, 3], Change(Kind.ADDED, None, (1,), MISSING, 9)),
    "one of equal elements": ([1, 1, 1], [1, 1], Change(Kind.REMOVED, (2,), None, 1, MISSING)),
    "form": (
        "x",
        [{"type": "text", "text": "x"}],
        Change(Kind.FORM, (), (), "x", [{"type": "text", "text": "x"}]),
    ),
    "spelling of JSON": ('{"a": 1}', '{"a":1}', Change(Kind.SPELLING, (), (), '{"a": 1}', '{"a":1}')),
    "inside JSON": ('{"a": 1}', '{"a": 2}', Change(Kind.VALUE, (), (), 1, 2, inner=("a",))),
    "text beside JSON": ('{"a": 1}', "a", Change(Kind.VALUE, (), (), '{"a": 1}', "a")),
    "odd names": ({"a.b": {"": 1}}, {"a.b": {"": 2}}, Change(Kind.VALUE, ("a.b", ""), ("a.b", ""), 1, 2)),
}


@pytest.mark.parametrize("case", ONE)
def test_one_difference_is_one_change(case: str) -> None:
    """With its kind, its paths and both values."""
    old, new, change = ONE[case]

    assert changes(old, new) == [change]


def test_changes_stand_in_the_order_of_the_document() -> None:
    """As the old side has its members, then what only the new one has."""
    old = {"name": "f", "rows": [1], "at": {"x": 1, "y": 2}}
    new = {"more": 1, "at": {"y": 3, "x": 2}, "rows": [2], "name": "g"}

    assert [change.path for change in changes(old, new)] == [
        ("name",),
        ("rows", 0),
        ("at", "x"),
        ("at", "y"),
        ("more",),
    ]


def test_an_inserted_row_is_one_change_among_many() -> None:
    """Rows are aligned, not compared by their positions."""
    rows: list[Json] = [{"id": number, "name": f"row {number}"} for number in range(500)]

    found = changes(rows, [*rows[:250], {"id": -1, "name": "new"}, *rows[250:]])

    assert [(change.kind, change.new_path) for change in found] == [(Kind.ADDED, (250,))]


def test_a_changed_row_faces_its_like() -> None:
    """Not the one that came before it."""
    old: list[Json] = [{"id": 1, "n": "a"}, {"id": 2, "n": "b"}]
    new: list[Json] = [{"id": 0, "n": "z"}, {"id": 1, "n": "a"}, {"id": 2, "n": "c"}]

    found = changes(old, new)

    assert [(change.kind, change.old_path, change.new_path) for change in found] == [
        (Kind.ADDED, None, (0,)),
        (Kind.VALUE, (1, "n"), (2, "n")),
    ]


def test_a_text_is_no_new_version_of_a_call() -> None:
    """Objects that have hardly anything in common are not compared member by member."""
    old: list[Json] = [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]
    new: list[Json] = [{"type": "text", "text": "Hello."}]

    assert [change.kind for change in changes(old, new)] == [Kind.REMOVED, Kind.ADDED]


def test_what_lies_too_deep_is_one_value() -> None:
    """Depth costs no stack."""
    old, new = nested(2_000, 1), nested(2_000, 2)

    found = changes(old, new)

    assert [(change.kind, len(change.path)) for change in found] == [(Kind.VALUE, 100)]


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (' {"a": 1}', {"a": 1}),
        ("[1]", [1]),
        ("1", None),
        ('"x"', None),
        ("{", None),
        ("", None),
        ('{"a":1,"a":2}', None),
    ],
)
def test_only_an_object_or_a_list_counts_as_held(text: str, held: Json) -> None:
    """A lone number or string in a text is text."""
    assert text_of_json(text) == held


def test_lists_face_each_other_by_likeness() -> None:
    """Positions that belong together, in order."""
    assert facing([{"a": 1, "b": 1}, "x"], ["y", {"a": 1, "b": 2}, "x"]) == [(None, 0), (0, 1), (1, 2)]


@pytest.mark.parametrize(
    ("old", "new", "least"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, 0.5),
        ({"a": 1}, {"b": 1}, 0.0),
        (1, "1", 0.1),
        ("a", "b", 0.5),
        ({}, {}, 1.0),
    ],
)
def test_likeness_weighs_what_two_values_share(old: Json, new: Json, least: float) -> None:
    """From nothing to 1."""
    assert least <= likeness(old, new) <= 1.0
    assert (likeness(old, new) > 0) is (least > 0)


@given(JSON, JSON)
def test_nothing_is_told_exactly_where_two_values_are_the_same(old: Json, new: Json) -> None:
    """Type for type; a value is the same as itself."""
    assert (changes(old, new) == []) is jsontext.same(old, new)
    assert changes(old, old) == []


@given(JSON, JSON)
def test_what_came_one_way_went_the_other(old: Json, new: Json) -> None:
    """Telling it backwards finds as much."""
    there = sorted(change.kind for change in changes(old, new))
    back = sorted(change.kind for change in changes(new, old))

    assert bool(there) is bool(back)


def nested(depth: int, value: Json) -> Json:
    """That value under so many members."""
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "place",
    [
        lambda value: value,
        lambda value: {"content": value},
        lambda value: {"content": [{"type": "tool_result", "content": value}]},
        lambda value: {"output": value},
    ],
)
def test_what_a_message_says_may_have_two_forms(place: Callable[[Json], Json]) -> None:
    """A text, and a list of one part with it."""
    (change,) = changes(place("x"), place([{"type": "text", "text": "x"}]))

    assert change.kind is Kind.FORM


@pytest.mark.parametrize(
    "place",
    [
        lambda value: {"input": {"content": value}},
        lambda value: {"parameters": {"type": value}},
        lambda value: {"content": jsontext.dumps({"content": value}).decode()},
    ],
)
def test_data_has_one_form(place: Callable[[Json], Json]) -> None:
    """A tool is given one or the other, and a schema is another one."""
    (change,) = changes(place("x"), place([{"type": "text", "text": "x"}]))

    assert change.kind is Kind.TYPE
