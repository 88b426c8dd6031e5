"""The messages of a WebSocket, as a tape holds them and as they are sent again.

JSON stands there as its value, but for strings and null, which stand as the text that they were sent as. So a
string on the tape is a text or, of a binary message, base64; nothing is taken for what it is not.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from amberfork_cli.core import jsontext
from amberfork_cli.core.tape import Body, BodyKind, Headers, JsonValue, Response
from amberfork_cli.errors import JsonError

Message: TypeAlias = str | bytes
"""What one message carries: text is `str`, binary `bytes`."""

MESSAGES: Final = "messages"
"""Member of a response through a WebSocket: `[kind, milliseconds since the request]` for each message."""

MESSAGE: Final = "message"
"""Member of a request through a WebSocket that was no text: its kind."""

_TEXT: Final = "text"
_BINARY: Final = "binary"


def said_body(message: Message) -> Body:
    """The body of a request that is this message."""
    value = _json(message)
    if value is not None:
        return Body.json(value)
    return Body.text(message) if isinstance(message, str) else Body.bytes(message)


def said_extra(message: Message) -> Mapping[str, JsonValue]:
    """The members of a request that say what kind of message it was."""
    return {MESSAGE: _BINARY} if isinstance(message, bytes) else {}


def heard_response(heard: Iterable[tuple[int, Message]], headers: Headers = ()) -> Response:
    """The response that these messages are, each with its milliseconds since the request."""
    pairs = list(heard)
    kinds: list[JsonValue] = [
        [_BINARY if isinstance(message, bytes) else _TEXT, milliseconds] for milliseconds, message in pairs
    ]
    body = Body.json([_value(message) for _, message in pairs])
    return Response(101, headers, body, extra={MESSAGES: kinds} if kinds else {})


def heard_messages(response: Response) -> Iterator[tuple[int, Message]]:
    """The messages of a recorded response, each with its milliseconds since the request.

    Where the tape does not say when and of what kind they were, they are text and come at once.
    """
    values = response.body.value if response.body.kind is BodyKind.JSON else None
    if not isinstance(values, list):
        return
    noted = response.extra.get(MESSAGES)
    kinds = noted if isinstance(noted, list) and len(noted) == len(values) else [None] * len(values)
    for value, kind in zip(values, kinds, strict=True):
        name, milliseconds = kind if isinstance(kind, list) and len(kind) == 2 else (_TEXT, 0)
        yield milliseconds if type(milliseconds) is int else 0, _message(value, binary=name == _BINARY)


def _value(message: Message) -> JsonValue:
    value = _json(message)
    if value is not None:
        return value
    return message if isinstance(message, str) else b64encode(message).decode()


def _json(message: Message) -> JsonValue:
    """The JSON value that a message is; `None` where it is none, a string, or null."""
    try:
        value = jsontext.loads(message)
    except JsonError:
        return None
    return None if isinstance(value, str) else value


def _message(value: JsonValue, *, binary: bool) -> Message:
    if not isinstance(value, str):
        encoded = jsontext.dumps(value)
        return encoded if binary else encoded.decode()
    if not binary:
        return value
    try:
        return b64decode(value, validate=True)
    except ValueError:
        return value.encode(errors="surrogatepass")  # a tape that was edited
