"""What crossed the wire, as a tape holds it and as it is sent again.

A tape is to be read and compared, so a body stands there decoded: the JSON value or the text that it is, with
the `content-encoding` it crossed the wire in left among the headers. What cannot be decoded stays bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from gc import get_referents
from typing import Final

from amberfork_cli.core import jsontext
from amberfork_cli.core.tape import ABSENT, Body, BodyKind, Headers, JsonValue, Response
from amberfork_cli.errors import CompressionError, JsonError
from amberfork_cli.tapes.content import codings_of, expanded

CHUNKS: Final = "chunks"
"""Member of a response that came in pieces: `[bytes, milliseconds since the request]` for each of them."""


_DEEP: Final = 9_998  # levels: a tape is read to a depth of 10,000
_EVENT: Final = re.compile(rb".+?(?:\r?\n\r?\n|\r\r|\Z)", re.DOTALL)


def body_of(wire: bytes, headers: Headers) -> Body:
    """The body that these bytes are, decoded as far as that goes."""
    if not wire:
        return ABSENT
    try:
        content = expanded(wire, codings_of(headers))
    except CompressionError:
        return Body.bytes(wire)
    try:
        value = jsontext.loads(content)
        if not _is_too_deep(content, value):
            return Body.json(value)
    except JsonError:
        pass  # an event stream, or no text at all
    try:
        return Body.text(content.decode())
    except UnicodeDecodeError:
        return Body.bytes(wire)


def _is_too_deep(content: bytes, value: JsonValue) -> bool:
    """Whether a value that reads alone would not within a line, where two levels stand around it."""
    if content.count(b"[") + content.count(b"{") < _DEEP:
        return False
    level: list[object] = [value]
    levels = 0
    while level:
        level = get_referents(*level)  # C does the walking
        levels += 1
    return levels > _DEEP


def sendable(response: Response) -> tuple[bytes, Headers]:
    """The bytes of a recorded body and the headers that belong to it.

    What stands decoded on the tape is sent as it stands, and said to be in no encoding.
    """
    body = response.body
    encoded = body.wire if body.wire is not None else body.value
    if isinstance(encoded, bytes):
        return encoded, response.headers
    headers = tuple(pair for pair in response.headers if pair[0].lower() != "content-encoding")
    if body.kind is BodyKind.ABSENT:
        return b"", headers
    if body.kind is BodyKind.TEXT:
        return str(encoded).encode(errors="surrogatepass"), headers
    return jsontext.dumps(encoded), headers


def pieces(content: bytes, response: Response) -> Iterator[tuple[int, bytes]]:
    """A body in the pieces that it came in, each with its milliseconds since the request.

    Where the tape does not say, an event stream comes event by event, and anything else at once.
    """
    chunks = _chunks(response.extra.get(CHUNKS))
    if chunks and sum(size for size, _ in chunks) == len(content):
        at = 0
        for size, milliseconds in chunks:
            yield milliseconds, content[at : at + size]
            at += size
    elif is_event_stream(response.headers):
        yield from ((0, event) for event in _EVENT.findall(content))
    elif content:
        yield 0, content


def is_event_stream(headers: Headers) -> bool:
    """Whether a body is a stream of server-sent events."""
    return any(name.lower() == "content-type" and "event-stream" in value for name, value in headers)


def _chunks(noted: JsonValue) -> Sequence[tuple[int, int]]:
    """The pieces that a tape notes; none where that is not what a recorder wrote."""
    if not isinstance(noted, list):
        return ()
    pairs = [pair for pair in noted if isinstance(pair, list) and len(pair) == 2]
    return [
        (size, moment)
        for size, moment in pairs
        if type(size) is int and type(moment) is int and size >= 0 <= moment
    ]
