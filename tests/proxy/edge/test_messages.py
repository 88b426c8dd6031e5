"""What a message is on a tape, and that it is sent again as it was."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amberfork_cli.core.tape import Body, Response
from amberfork_cli.proxy.edge.messages import heard_messages, heard_response, said_body

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda some: st.lists(some) | st.dictionaries(texts, some),
)
compact = values.map(lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False))
messages = texts | st.binary() | compact | compact.map(str.encode)


@given(st.lists(st.tuples(st.integers(0, 99), messages)))
def test_what_was_heard_is_sent_again(heard):
    """Every message, of its kind, in its order and at its time; JSON but for its spaces."""
    again = list(heard_messages(heard_response(heard)))

    assert [(at, type(message)) for at, message in again] == [(at, type(message)) for at, message in heard]
    assert [_spelled(message) for _, message in again] == [_spelled(message) for _, message in heard]


def _spelled(message):
    """A message, or what it means where it is JSON."""
    try:
        return json.loads(message)
    except ValueError:
        return message


@pytest.mark.parametrize(
    ("message", "body"),
    [
        ('{"a": 1.0}', Body.json({"a": 1.0})),
        (b'{"a": 1}', Body.json({"a": 1})),
        ("plain", Body.text("plain")),
        ('"quoted"', Body.text('"quoted"')),
        ("", Body.text("")),
        ('{"a": 1, "a": 2}', Body.text('{"a": 1, "a": 2}')),
        (b"\xff\x00", Body.bytes(b"\xff\x00")),
    ],
)
def test_what_was_said_is_json_text_or_bytes(message, body):
    """What is no exact JSON stays as it is."""
    assert said_body(message) == body


@pytest.mark.parametrize("noted", [None, "x", [], [["text", 1]], [1, 2], [["binary", "x"], [3]]])
def test_kinds_that_do_not_fit_are_not_believed(noted):
    """A tape may have been edited, or come from elsewhere."""
    response = Response(101, body=Body.json([{"a": 1}, "b"]), extra={"messages": noted})

    found = [message for _, message in heard_messages(response)]

    assert [_spelled(message) for message in found][-1:] == ["b"]
    assert len(found) == 2


def test_a_body_that_is_no_list_says_nothing():
    """A refusal, say."""
    assert list(heard_messages(Response(401, body=Body.json({"error": {}})))) == []
