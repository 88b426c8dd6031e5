"""Joining what a stream sends in pieces."""

from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.dialects.pieces import JsonObject, accumulate, parsed


def test_texts_and_lists_go_on_and_the_rest_is_replaced() -> None:
    """Objects are joined member by member; null leaves what there is."""
    target: JsonObject = {}

    accumulate(target, {"content": "a", "parts": [1], "usage": {"in": 1, "out": 1}, "logprobs": None})
    accumulate(target, {"content": "b", "parts": [2], "usage": {"out": 2}, "role": "assistant"})
    accumulate(target, {"content": None, "role": "assistant", "n": 3})

    assert target == {
        "content": "ab",
        "parts": [1, 2],
        "usage": {"in": 1, "out": 2},
        "logprobs": None,
        "role": "assistant",
        "n": 3,
    }


def test_an_empty_name_waits_for_the_first_that_is_none() -> None:
    """Some servers send an empty one before or after the name."""
    target: JsonObject = {}

    for name in ("", "f", "", "f"):
        accumulate(target, {"name": name})

    assert target == {"name": "f"}


@given(st.lists(st.text(max_size=3), min_size=1, max_size=6))
@settings(max_examples=50, deadline=None)
def test_a_text_is_the_same_however_it_was_cut(pieces: list[str]) -> None:
    """And no piece is changed by what is added to it."""
    given_pieces: list[JsonObject] = [{"function": {"arguments": piece}} for piece in pieces]
    target: JsonObject = {}

    for piece in given_pieces:
        accumulate(target, piece)

    assert target == {"function": {"arguments": "".join(pieces)}}
    assert given_pieces == [{"function": {"arguments": piece}} for piece in pieces]


def test_text_that_is_no_json_stays_text() -> None:
    """Arguments that were cut off are shown as they came."""
    assert (parsed('{"x": 1}'), parsed('{"x"')) == ({"x": 1}, '{"x"')
