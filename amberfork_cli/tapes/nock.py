"""Fixtures of nock, for Node.js: a JSON list of what was asked and what was replied.

nock parses what is JSON. It keeps compressed replies as a list of hexadecimal pieces, and other bytes as
hexadecimal digits, which older versions do not mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from amberfork_cli.core.tape import Body, Exchange, Headers, JsonValue, Response
from amberfork_cli.tapes.content import codings_of
from amberfork_cli.tapes.formats import ForeignFormat, Recording
from amberfork_cli.tapes.imports import imported_body, imported_request, imported_response, moment
from amberfork_cli.tapes.reading import Reading, ShapeError

_DIGITS: Final = re.compile(r"[0-9a-f]+")


def _exchanges(recording: Recording, reading: Reading) -> Iterator[Exchange]:
    number = 0
    for item in recording.items(reading, ()):
        try:
            exchange = _exchange(item.value, number, reading)
        except ShapeError as error:
            reading.pass_over(ShapeError(error.problem, item.pointer + error.path), item.line, torn=False)
            continue
        yield exchange
        del exchange, item
        number += 1


def _exchange(value: JsonValue, number: int, reading: Reading) -> Exchange:
    scope, path = (_text(value, name) for name in ("scope", "path"))
    if not isinstance(value, dict) or scope is None or path is None:
        raise ShapeError('not a fixture: no "scope" or no "path"')
    asked = _headers(value.get("reqheaders"))
    replied = _headers(value.get("rawHeaders", value.get("headers")))
    return Exchange(
        number,
        imported_request(
            _text(value, "method") or "GET", scope + path, asked, _body(value.get("body"), asked, reading)
        ),
        _response(value, replied, reading),
        extra=moment(None, replied),
    )


def _response(value: Mapping[str, JsonValue], headers: Headers, reading: Reading) -> Response:
    status, reply = value.get("status"), value.get("response")
    packed = _packed(reply, headers, marked=value.get("responseIsBinary"))
    body = _body(reply, headers, reading) if packed is None else imported_body(packed, headers, reading)
    return imported_response(status if type(status) is int else None, headers, body)


def _body(value: JsonValue, headers: Headers, reading: Reading) -> Body:
    if value is None or isinstance(value, str):
        return imported_body(value, headers, reading)
    return Body.json(value)


def _packed(reply: JsonValue, headers: Headers, *, marked: JsonValue) -> bytes | None:
    """The bytes that a reply was written out as; `None` where it is text or JSON."""
    pieces = reply if isinstance(reply, list) else [reply]
    digits = "".join(piece for piece in pieces if isinstance(piece, str))
    only_texts = all(isinstance(piece, str) for piece in pieces)
    if not only_texts or len(digits) % 2 or not _DIGITS.fullmatch(digits):
        return None
    data = bytes.fromhex(digits)
    if marked is True or codings_of(headers):
        return data
    return data if marked is None and not _is_text(data) else None


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _headers(value: JsonValue) -> Headers:
    """Headers from names and values in turn, or from an object."""
    if isinstance(value, list):
        texts = [str(one) for one in value]
        return tuple(zip(texts[::2], texts[1::2], strict=False))
    pairs = value.items() if isinstance(value, dict) else ()
    return tuple(
        (name, str(one)) for name, held in pairs for one in (held if isinstance(held, list) else [held])
    )


def _text(value: JsonValue, name: str) -> str | None:
    held = value.get(name) if isinstance(value, dict) else None
    return held if isinstance(held, str) else None


def _fits(value: JsonValue) -> bool:
    return isinstance(value, list) and bool(value) and _text(value[0], "scope") is not None


NOCK: Final = ForeignFormat(
    "nock", "a nock fixture", _exchanges, _fits, re.compile(rb'\s*\[\s*\{\s*"scope"\s*:\s*"')
)
