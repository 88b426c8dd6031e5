"""Writing: the step-by-step way spells like orjson, and does what orjson cannot."""

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.jsonwriter import dumps, dumps_line, spelled, step_by_step

FORMS = [(False, False, 0), (True, False, orjson.OPT_SORT_KEYS), (False, True, orjson.OPT_INDENT_2)]
FORMS += [(True, True, orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2)]


def written_by_orjson() -> st.SearchStrategy[Any]:
    """Any value that orjson writes."""
    leaves = (
        st.none()
        | st.booleans()
        | st.integers(min_value=-(2**63), max_value=2**64 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=8)
    )
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.lists(inner, max_size=2).map(tuple)
            | st.dictionaries(st.text(max_size=4), inner, max_size=4)
        ),
        max_leaves=15,
    )


@given(written_by_orjson())
@settings(max_examples=200)
def test_both_ways_give_the_same_bytes(value: object) -> None:
    """Wherever orjson can write, the step-by-step way writes as it does, in every form."""
    for sort_keys, indent, option in FORMS:
        expected = orjson.dumps(value, option=option)

        assert step_by_step(value, sort_keys=sort_keys, indent=indent) == expected
        assert dumps(value, sort_keys=sort_keys, indent=indent) == expected


def test_what_is_spelled_already_is_written_as_it_stands() -> None:
    """By either way, beside what orjson refuses too."""
    text = spelled(b'{"b": 1, "a": [%s]}' % (b"[" * 2000 + b"]" * 2000))

    assert dumps({"z": text, "y": None}) == step_by_step({"z": text, "y": None})
    assert dumps({"z": spelled(b"[1, 2]"), "n": 2**70}, sort_keys=True) == b'{"n":%d,"z":[1, 2]}' % 2**70


@pytest.mark.parametrize("number", [1e16, 1e-5, 1e22, 5e-324, 1.7976931348623157e308, 0.1, -0.0, 100000.0])
def test_floats_are_spelled_as_orjson_spells_them(number: float) -> None:
    """Beside what orjson refuses, a float looks no different."""
    assert dumps(["\ud83d", number]) == b'["\\ud83d",%s]' % orjson.dumps(number)


@pytest.mark.parametrize(("sort_keys", "indent"), [(form[0], form[1]) for form in FORMS])
def test_a_part_that_orjson_refuses_changes_nothing_around_it(sort_keys: bool, indent: bool) -> None:
    """The mixed way, where orjson writes what it can, gives the bytes of the plain step-by-step way."""
    value = {
        "z": [{"b": 1, "a": ["x", None, {"q": 1, "p": []}]}, {"n": 2**70}, "\ude00", 0.1],
        "a": {"c": {}},
    }

    text = dumps(value, sort_keys=sort_keys, indent=indent)

    assert text == step_by_step(value, sort_keys=sort_keys, indent=indent)


def test_halves_of_pairs_are_escaped_and_whole_ones_are_not() -> None:
    """The text is valid UTF-8, and everything that has a letter of its own keeps it."""
    text = dumps({"\udfff\n": 'é"\ud83d😀'})

    assert text == '{"\\udfff\\n":"é\\"\\ud83d😀"}'.encode()


def test_names_are_sorted_by_code_point() -> None:
    """Past the letters of 16 bits as before them, and with halves of pairs among them."""
    names = ["\U00010000", "\uffff", "\ud83d", "é", "z", "B", "a", ""]

    text = dumps(dict.fromkeys(names, 0), sort_keys=True)

    assert text == '{"":0,"B":0,"a":0,"z":0,"é":0,"\\ud83d":0,"\uffff":0,"\U00010000":0}'.encode()


def test_indentation_goes_to_any_depth() -> None:
    """Two spaces a level, where orjson has long given up."""
    value: list[Any] = []
    for _ in range(299):
        value = [value]

    lines = dumps(value, indent=True).decode().split("\n")

    assert lines == (
        [" " * 2 * level + "[" for level in range(299)]
        + [" " * 2 * 299 + "[]"]
        + [" " * 2 * level + "]" for level in reversed(range(299))]
    )


@given(written_by_orjson())
@settings(max_examples=100)
def test_a_line_is_the_compact_text_and_its_end(value: object) -> None:
    """Whether or not anyone has said that no number in it is infinite."""
    expected = dumps(value) + b"\n"

    assert [dumps_line(value), dumps_line(value, finite=True)] == [expected, expected]


@pytest.mark.parametrize("value", [[2**70], ["\ud83d"], {"a": [None, "\udfff"]}])
def test_what_orjson_refuses_is_a_line_all_the_same(value: object) -> None:
    """With the same text before its end."""
    assert [dumps_line(value), dumps_line(value, finite=True)] == [dumps(value) + b"\n"] * 2


def test_a_line_has_no_room_for_what_is_not_finite() -> None:
    """Unless the caller has said that there is none, nothing is written as null that is not."""
    with pytest.raises(TypeError):
        dumps_line([None, float("inf")])
