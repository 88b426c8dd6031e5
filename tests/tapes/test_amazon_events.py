"""Amazon's binary event streams are read as the event streams that they are."""

import base64
import json
import zlib
from struct import pack

import pytest

from amberfork_cli.core.dialects.calls import tool_turns
from amberfork_cli.core.tape import Body, BodyKind, Exchange, Request, Response
from amberfork_cli.tapes import exchange_line
from amberfork_cli.tapes.amazon_events import event_stream_text
from amberfork_cli.tapes.exchanges import exchange_from
from amberfork_cli.tapes.reading import Reading

STARTED = {"start": {"toolUse": {"toolUseId": "t1", "name": "weather"}}, "contentBlockIndex": 0}
ARGUMENTS = {"delta": {"toolUse": {"input": '{"city":"Züri"}'}}, "contentBlockIndex": 0}


def frame(payload: object, *, name: str | None = "chunk", kind: bytes = b":event-type") -> bytes:
    """One frame, whose headers are of every type."""
    data = payload if isinstance(payload, bytes) else json.dumps(payload, ensure_ascii=False).encode()
    headers = _header(b"a", 0, b"") + _header(b"b", 4, bytes(4)) + _header(b"c", 6, b"\x00\x01x")
    headers += _header(b":message-type", 7, pack(">H", 5) + b"event")
    if name is not None:
        headers += _header(kind, 7, pack(">H", len(name)) + name.encode())
    headers += _header(b"d", 9, bytes(16))
    prelude = pack(">II", 12 + len(headers) + len(data) + 4, len(headers))
    message = prelude + pack(">I", zlib.crc32(prelude)) + headers + data
    return message + pack(">I", zlib.crc32(message))


def _header(name: bytes, kind: int, value: bytes) -> bytes:
    return bytes([len(name)]) + name + bytes([kind]) + value


STREAM = (
    frame({"role": "assistant"}, name="messageStart")
    + frame(STARTED, name="contentBlockStart")
    + frame(ARGUMENTS, name="contentBlockDelta")
    + frame({"contentBlockIndex": 0}, name="contentBlockStop")
    + frame({"stopReason": "tool_use"}, name="messageStop")
)


def test_frames_are_events() -> None:
    """Their type is the name, and their payload the data."""
    text = event_stream_text(frame({"a": 1}, name="chunk") + frame(b"two\nlines", name=None))

    assert text == 'event: chunk\ndata: {"a": 1}\n\nevent: message\ndata: two\ndata: lines\n\n'


def test_an_exception_in_a_stream_is_an_event() -> None:
    """So that it is seen why the stream ends."""
    text = event_stream_text(frame({"message": "slow down"}, name="throttled", kind=b":exception-type"))

    assert text == 'event: throttled\ndata: {"message": "slow down"}\n\n'


@pytest.mark.parametrize("length", range(1, len(STREAM)))
def test_a_stream_that_was_cut_off_is_what_came_whole(length: int) -> None:
    """And before the first frame is whole, it is no stream."""
    text = event_stream_text(STREAM[:length])

    assert text is None or (event_stream_text(STREAM) or "").startswith(text)
    assert (text is None) == (length < len(frame({"role": "assistant"}, name="messageStart")))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"plain text that is long enough",
        bytes(40),
        frame({})[:-1] + b"x",
        frame({"a": 1}) + b"no frame at all, but long",
        frame(b"\xff\xfe"),
    ],
)
def test_other_bytes_are_no_stream(data: bytes) -> None:
    """Checksums decide, so no bytes are taken for frames by chance."""
    assert event_stream_text(data) is None


def test_on_a_tape_frames_are_text_and_are_kept() -> None:
    """Compared by what they say, and written back as they were."""
    body = {"body": base64.b64encode(STREAM).decode(), "body_encoding": "base64"}
    value = {"request": {"method": "POST", "path": "/"}, "response": {"status": 200, **body}}

    exchange = exchange_from(json.loads(json.dumps(value)), 0, None, Reading("here"))

    assert exchange.response is not None
    assert exchange.response.body == Body(BodyKind.TEXT, event_stream_text(STREAM), STREAM)
    assert json.loads(exchange_line(exchange)) == value


def test_calls_in_frames_are_found() -> None:
    """Which is what they are decoded for."""
    request = Request("POST", "/model/m/converse-stream", body=Body.json({"messages": [], "toolConfig": {}}))
    response = Response(200, body=Body.text(event_stream_text(STREAM) or ""))

    (turn,) = tool_turns([Exchange(0, request, response)])

    assert [(call.call.name, call.call.arguments) for call in turn.calls] == [("weather", {"city": "Züri"})]
