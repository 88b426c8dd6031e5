"""Recorded streams: their events, and the bodies that they spell."""

import json
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.dialects import DIALECTS, gemini, openai_realtime
from amberfork_cli.core.dialects.model import Assembled
from amberfork_cli.core.sse import Event, assemble, events, response_json
from amberfork_cli.core.tape import ABSENT, Body, JsonValue, Response


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("data: a\n\ndata: b\n\n", [Event("message", "a"), Event("message", "b")]),
        ("data: a\r\n\r\ndata: b\r\r", [Event("message", "a"), Event("message", "b")]),
        ("\ufeffdata: a\n\n", [Event("message", "a")]),
        (": comment\n\n:\ndata: a\n\n", [Event("message", "a")]),
        ("data: a\ndata: b\ndata:\n\n", [Event("message", "a\nb\n")]),
        ("event: x\nid: 1\nretry: 5\ndata: a\n\ndata: b\n\n", [Event("x", "a"), Event("message", "b")]),
        ("data:a\ndata:  b\n\n", [Event("message", "a\n b")]),
        ("data: a\u2028b\n\n", [Event("message", "a\u2028b")]),
        ("data\n\ndata:\n\nevent: x\n\n", [Event("message", ""), Event("message", "")]),
        ("data\ndata\n\n", [Event("message", "\n")]),
        ("data: a: b\n\n", [Event("message", "a: b")]),
        ("unknown: a\ndata: b\n\n", [Event("message", "b")]),
        ("data: a", [Event("message", "a")]),
        ("", []),
    ],
)
def test_event_streams_are_read_by_the_standard(text: str, found: list[Event]) -> None:
    """Line ends, comments and fields; only the last event counts although its blank line was trimmed."""
    assert list(events(text)) == found


LINES = st.text(st.characters(exclude_characters="\r\n"), min_size=1, max_size=5)


@given(st.lists(st.lists(LINES, min_size=1, max_size=3), max_size=4), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read_again(data: list[list[str]], end: str) -> None:
    """With any of the three line ends."""
    text = "".join("".join(f"data: {line}{end}" for line in lines) + end for lines in data)

    assert list(events(text)) == [Event("message", "\n".join(lines)) for lines in data]


DELTAS = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in ("Look", "ing.")]
FINISH = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
LOOKING: JsonValue = {"choices": [{"index": 0, "message": {"content": "Looking."}, "finish_reason": "stop"}]}


def test_a_stream_is_the_body_that_it_spells() -> None:
    """`[DONE]` ends it and is no JSON; an event without data says nothing."""
    text = "data:\n\n" + stream(*DELTAS, FINISH) + "data: [DONE]\n\n"

    assert assemble(text) == Assembled(LOOKING, complete=True)


def test_an_event_that_is_torn_makes_the_stream_incomplete() -> None:
    """What could be read is kept."""
    text = stream(*DELTAS, FINISH) + 'data: {"choices": [{"ind'

    assert assemble(text) == Assembled(LOOKING, complete=False)


def test_every_event_may_span_lines() -> None:
    """The lines of one event are one JSON text."""
    text = "".join(
        "".join(f"data: {line}\r\n" for line in json.dumps(chunk, indent=1).split("\n")) + "\r\n"
        for chunk in (*DELTAS, FINISH)
    )

    assert assemble(text) == Assembled(LOOKING, complete=True)


GEMINI = [
    {"candidates": [{"content": {"parts": [{"text": "Look"}]}}]},
    {"candidates": [{"content": {"parts": [{"text": "ing."}]}, "finishReason": "STOP"}]},
]


def test_a_json_array_is_a_stream_as_well() -> None:
    """As Gemini answers without `alt=sse`: as text, or decoded by the recorder, which is left as it was."""
    decoded = json.loads(json.dumps(GEMINI))

    answers = [assemble(json.dumps(GEMINI)), response_json(Response(200, (), Body.json(decoded)))]

    whole = Assembled(
        {"candidates": [{"content": {"parts": [{"text": "Looking."}]}, "finishReason": "STOP"}]},
        complete=True,
    )
    assert answers == [whole, whole]
    assert decoded == GEMINI


def test_an_array_that_is_cut_off_keeps_its_whole_elements() -> None:
    """Torn anywhere, it is not complete."""
    first: JsonValue = {"candidates": [{"content": {"parts": [{"text": "Look"}]}}]}
    text = json.dumps(GEMINI, indent=1)

    answers = {
        assemble(text[:cut], dialect=gemini.DIALECT) == Assembled(first, complete=False) for cut in (130, 140)
    }

    assert answers == {True}


def test_json_lines_are_a_stream_as_well() -> None:
    """As Ollama answers; a line that is not the last one says so itself."""
    lines = [
        {"message": {"content": "Look"}, "done": False},
        {"message": {"content": "ing."}, "done": True},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)

    whole, cut = assemble(text), assemble(json.dumps(lines[0]) + "\n")

    assert whole == Assembled({"message": {"content": "Looking."}, "done": True}, complete=True)
    assert cut == Assembled(lines[0], complete=False)


def test_events_that_bedrock_wraps_are_unwrapped() -> None:
    """Invoke puts each of the model's events into one of its own, as base64."""
    inner = [
        {"type": "message_start", "message": {"role": "assistant"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hi"}},
        {"type": "message_stop"},
    ]
    wrapped = [{"bytes": b64encode(json.dumps(each).encode()).decode(), "p": "ab"} for each in inner]

    assert assemble(stream(*wrapped)) == Assembled(
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hi"}]}, complete=True
    )


@pytest.mark.parametrize("wrapped", ["{", "ä", "/w==", "e30"])
def test_an_event_that_cannot_be_unwrapped_makes_the_stream_incomplete(wrapped: str) -> None:
    """No base64, or none that holds JSON."""
    text = stream(*DELTAS, {"bytes": wrapped}, FINISH)

    assert assemble(text) == Assembled(LOOKING, complete=False)


def test_the_dialect_of_the_request_is_asked_first() -> None:
    """Realtime's events and those of Responses look alike; both give what they spell."""
    done = {"type": "response.done", "response": {"id": "r", "output": []}}

    answer = assemble(stream(done), dialect=openai_realtime.DIALECT)

    assert answer == Assembled({"id": "r", "output": []}, complete=True)


@pytest.mark.parametrize("value", [{"choices": []}, {"error": {"message": "no"}}, [1, 2], "text", None])
def test_a_body_that_came_whole_is_given_back(value: JsonValue) -> None:
    """There is nothing to put together."""
    assert response_json(Response(200, (), Body.json(value))) == Assembled(value, complete=True)


def test_json_that_was_recorded_as_text_is_its_value() -> None:
    """Some recorders keep every body as text."""
    answer = response_json(Response(200, (), Body.text('{"choices": [{"message": {"content": "hi"}}]}')))

    assert answer == Assembled({"choices": [{"message": {"content": "hi"}}]}, complete=True)


@pytest.mark.parametrize(
    "body",
    [
        ABSENT,
        Body.bytes(b"\x00\x01"),
        Body.text("<html>"),
        Body.text(""),
        Body.text('{"a": '),
        Body.text("["),
    ],
)
def test_what_spells_no_json_gives_nothing(body: Body) -> None:
    """Pages, bytes and torn bodies are no answers."""
    assert response_json(Response(502, (), body)) is None


@given(
    st.lists(
        st.sampled_from(["data: ", "{", "}", "[", '"', "\n", "\n\n", "choices", ":", "1", ",", "[DONE]", "é"])
    )
)
@settings(max_examples=150, deadline=None)
def test_no_text_is_too_broken(pieces: list[str]) -> None:
    """Any text is read, or it is not."""
    text = "".join(pieces)

    for dialect in (None, *DIALECTS):
        answer = assemble(text, dialect=dialect)
        assert answer is None or isinstance(answer, Assembled)


def stream(*chunks: object) -> str:
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
