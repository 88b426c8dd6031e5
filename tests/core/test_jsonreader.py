"""Reading step by step: the same values as the fast ways give, wherever those read at all."""

from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.jsonreader import NonFinite, read
from amberfork_cli.core.jsontext import dumps, loads, same
from amberfork_cli.core.tape import JsonValue, LeftOut
from amberfork_cli.errors import JsonError


def values() -> st.SearchStrategy[Any]:
    """Any JSON value."""
    leaves = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.integers(min_value=-(10**700), max_value=10**700)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=6)
    )
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
        max_leaves=15,
    )


@given(values(), st.booleans())
@settings(max_examples=200)
def test_every_text_is_read_as_the_fast_ways_read_it(value: Any, indent: bool) -> None:
    """The slow way is another way to the same value, the order of members included."""
    text = dumps(value, indent=indent)

    result = read(text)

    assert same(result, loads(text))
    assert dumps(result) == dumps(value)


@given(st.text(alphabet='[]{}",:0123456789eE+-.truefalsn \n\\ud8', max_size=20))
@settings(max_examples=200)
def test_every_text_is_refused_as_the_fast_ways_refuse_it(text: str) -> None:
    """Where one refuses, so does the other; the error is the same, because it is made here."""
    assert outcome(read, text) == outcome(loads, text)


@given(st.text(alphabet='{}",:ab[]NaN1 ', max_size=24))
@settings(max_examples=200)
def test_a_lenient_reading_keeps_and_counts_alike(text: str) -> None:
    """What one keeps the other keeps, and both count the same."""
    counted, expected = LeftOut(), LeftOut()

    result = outcome(partial(read, left_out=counted), text)

    assert result == outcome(partial(loads, left_out=expected), text)
    assert counted == expected


def test_the_last_member_of_a_name_is_kept_in_the_place_of_the_first() -> None:
    """As a Python dictionary has it, in the fast ways too."""
    text = '{"a": 1, "b": 2, "a": [3]}'

    results = [read(text, left_out=LeftOut()), loads(text, left_out=LeftOut())]

    assert [dumps(result) for result in results] == [b'{"a":[3],"b":2}'] * 2


def test_a_non_finite_number_is_a_kind_of_its_own() -> None:
    """It is a float to calculate with, but no float to whoever asks for the exact type."""
    value = read("-Infinity", left_out=LeftOut())

    assert type(value) is NonFinite
    assert value == float("-inf")


def outcome(reading: Callable[[str], JsonValue], text: str) -> str:
    """What comes of reading a text, in words: its value, written out, or what is wrong with it."""
    try:
        return dumps(reading(text)).decode()
    except JsonError as error:
        return f"trouble: {error}"
