"""Bodies that crossed the wire compressed or framed: decoded to compare them, kept to write them back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from amberfork_cli.core.compression import expand
from amberfork_cli.core.tape import Body, BodyKind, Headers
from amberfork_cli.errors import CompressionError, JsonError
from amberfork_cli.tapes.amazon_events import event_stream_text
from amberfork_cli.tapes.reading import Reading

LIMIT: Final = 64 << 20  # bytes; no provider takes or gives as much, and 64 kB of gzip may hold it


def decoded_body(wire: bytes, headers: Headers, reading: Reading) -> Body:
    """The body that these bytes are, decoded as their `content-encoding` says; Amazon's frames are text.

    What cannot be decoded stays bytes, and that is told.
    """
    codings = codings_of(headers)
    if not codings:
        return framed_body(wire) or Body(BodyKind.BYTES, wire)
    try:
        content = expanded(wire, codings)
    except CompressionError as error:
        reading.tell_once(f"a body is compared as bytes: {error}", about=f"content: {error}")
        return Body(BodyKind.BYTES, wire)
    return _body(content, wire, reading)


def framed_body(wire: bytes) -> Body | None:
    """The event stream that Amazon's frames spell; `None` for other bytes."""
    text = event_stream_text(wire)
    return None if text is None else Body(BodyKind.TEXT, text, wire)


def expanded(wire: bytes, codings: Sequence[str]) -> bytes:
    """What bytes are without the codings that were applied in this order; raises CompressionError."""
    content = wire
    for coding in reversed(codings):
        content = expand(content, coding, limit=LIMIT)
    return content


def codings_of(headers: Headers) -> list[str]:
    """The codings of a body, in the order in which they were applied."""
    listed = ",".join(value for name, value in headers if name.lower() == "content-encoding").lower()
    codings = (coding.strip().removeprefix("x-") for coding in listed.split(","))
    return [coding for coding in codings if coding not in ("", "identity")]


def _body(content: bytes, wire: bytes, reading: Reading) -> Body:
    try:
        return Body(BodyKind.JSON, reading.loads(content), wire)
    except JsonError:
        pass  # an event stream, or no text at all
    try:
        return Body(BodyKind.TEXT, content.decode(), wire)
    except UnicodeDecodeError:
        return Body(BodyKind.BYTES, content, wire)
