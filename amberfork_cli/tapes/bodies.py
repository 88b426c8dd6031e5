"""Request bodies without anything around them: one a line, one alone, or one that is no JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.tape import Body, BodyKind, Exchange, JsonValue, Place, Request, TapeForm
from amberfork_cli.tapes.formats import DocumentFormat, LineFormat
from amberfork_cli.tapes.reading import Reading, ShapeError

HISTORIES: Final = ("messages", "input", "contents")


def body_line(exchange: Exchange) -> bytes | None:
    """The request body on a line of its own, LF included; `None` if it is not JSON."""
    body = exchange.request.body
    if body.kind is not BodyKind.JSON or isinstance(body.value, bytes):
        return None
    return dumps(body.value) + b"\n"


def text_exchange(content: bytes) -> Exchange:
    """A request whose body is this text, or these bytes if they are not UTF-8."""
    try:
        return _exchange(Body.text(content.decode()), 0, None)
    except UnicodeDecodeError:
        return _exchange(Body.bytes(content), 0, None)


def _exchange(body: Body, number: int, place: Place | None) -> Exchange:
    return Exchange(number, Request("POST", "", body=body), place=place)


def _is_body(value: JsonValue) -> bool:
    return isinstance(value, dict) and any(name in value for name in HISTORIES)


def _line_exchange(value: JsonValue, number: int, place: Place | None, _: Reading) -> Exchange:
    if not isinstance(value, dict):
        raise ShapeError("not a request body: no object")
    return _exchange(Body.json(value), number, place)


def _only_exchange(value: JsonValue, _: Reading) -> Iterator[Exchange]:
    yield _exchange(Body.json(value), 0, None)


def _anything(_: JsonValue) -> bool:
    return True


BODIES: Final = LineFormat("bodies", TapeForm.BODIES, _is_body, _line_exchange)
BODY: Final = DocumentFormat("body", TapeForm.BODY, _anything, _only_exchange)
