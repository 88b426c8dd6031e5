"""HTTP archives (HAR 1.2), as browsers, proxies, Playwright and Polly.JS write them.

Each entry is an exchange. Of a WebSocket each message that was sent is one, and what came back until the next
is its response. Archives are often saved without bodies: those are marked, and told.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import quote_plus

from amberfork_cli.core.jsontext import loads
from amberfork_cli.core.tape import (
    ABSENT,
    WEBSOCKET,
    Body,
    Exchange,
    Headers,
    JsonValue,
    Request,
    Response,
)
from amberfork_cli.errors import JsonError
from amberfork_cli.tapes.formats import ForeignFormat, Recording
from amberfork_cli.tapes.imports import imported_body, imported_request, imported_response, moment
from amberfork_cli.tapes.jsonitems import JsonItem
from amberfork_cli.tapes.reading import Reading, ShapeError

MISSING: Final = "body_missing"
"""The member of a request or response that is `true` where the archive lacks the body that there was."""

UNKNOWN_TIME: Final = "1970-01-01T00:00:00.000Z"
"""When an entry began of which that is not known; an archive must say."""

_BINARY: Final = 2  # the opcode of a message that is no text


def _exchanges(recording: Recording, reading: Reading) -> Iterator[Exchange]:
    number = missing = 0
    for item in recording.items(reading, ("log", "entries")):
        for exchange in _of_item(item, reading):
            missing += _missing(exchange)
            yield replace(exchange, number=number)
            del exchange
            number += 1
        del item
    if missing:
        bodies = "1 body is" if missing == 1 else f"{missing:,} bodies are"
        reading.tell_once(f"{bodies} missing: the archive was saved without", about="missing bodies")


def _of_item(item: JsonItem, reading: Reading) -> Iterator[Exchange]:
    try:
        yield from exchanges_of(item.value, reading)
    except ShapeError as error:
        reading.pass_over(ShapeError(error.problem, item.pointer + error.path), item.line, torn=False)


def exchanges_of(entry: JsonValue, reading: Reading) -> Iterator[Exchange]:
    """The exchange that an entry is, or those of its WebSocket, all with the number 0; raises ShapeError."""
    if not isinstance(entry, dict) or not isinstance(entry.get("request"), dict):
        raise ShapeError('not an entry: no "request"')
    request, response = _request(_object(entry, "request"), reading), _object(entry, "response")
    headers = _headers(response)
    began = entry.get("startedDateTime")
    extra = moment(None if began == UNKNOWN_TIME else began, headers)
    messages = entry.get("_webSocketMessages")
    if isinstance(messages, list) and messages:
        yield from (replace(one, extra=extra) for one in spoken(messages, request, reading))
    else:
        yield Exchange(0, request, _response(response, headers, reading), extra=extra)


def _request(request: Mapping[str, JsonValue], reading: Reading) -> Request:
    method, url = request.get("method"), request.get("url")
    if not isinstance(method, str) or not isinstance(url, str):
        raise ShapeError('not an entry: no "method" or no "url"', "/request")
    headers, posted = _headers(request), _object(request, "postData")
    body = _body(posted, headers, "/request/postData", reading)
    if body is ABSENT:
        body = _form(posted, headers, reading)
    imported = imported_request(method, url, headers, body)
    if body is ABSENT and _size(request, "bodySize"):
        return replace(imported, extra={**imported.extra, MISSING: True})
    return imported


def _response(response: Mapping[str, JsonValue], headers: Headers, reading: Reading) -> Response | None:
    status = response.get("status")
    if type(status) is not int or status <= 0:
        return None  # the request was blocked, or got no answer
    content = _object(response, "content")
    body = _body(content, headers, "/response/content", reading)
    imported = imported_response(status, headers, body)
    size = _size(content, "size") or _size(response, "bodySize")
    return replace(imported, extra={MISSING: True}) if body is ABSENT and size else imported


def _body(content: Mapping[str, JsonValue], headers: Headers, path: str, reading: Reading) -> Body:
    text = content.get("text")
    if not isinstance(text, str):
        return ABSENT
    kind = content.get("mimeType")
    if isinstance(kind, str):
        headers = (*headers, ("content-type", kind))
    if content.get("encoding") == "base64":
        return imported_body(_unpacked(text, _of_base64, f"{path}/text"), headers, reading)
    if content.get("_isBinary") is True:
        return imported_body(_unpacked(text, bytes.fromhex, f"{path}/text"), headers, reading)
    return imported_body(text, headers, reading)


def _form(posted: Mapping[str, JsonValue], headers: Headers, reading: Reading) -> Body:
    """The body that the parameters of a form spell; of a file that was sent, its name."""
    params = posted.get("params")
    if not isinstance(params, list):
        return ABSENT
    fields = [param for param in params if isinstance(param, dict)]
    text = "&".join(
        f"{quote_plus(str(field.get('name', '')))}={quote_plus(str(_value(field)))}" for field in fields
    )
    return imported_body(text, headers, reading)


def _value(field: Mapping[str, JsonValue]) -> JsonValue:
    return field.get("value", field.get("fileName", ""))


def _unpacked(text: str, unpack: Callable[[str], bytes], path: str) -> bytes:
    """Bytes in one piece or, as Polly.JS has it, in a list of pieces."""
    try:
        pieces = loads(text) if text.startswith("[") else [text]
        if not isinstance(pieces, list):
            raise ValueError("no list")
        return b"".join(unpack(str(piece)) for piece in pieces)
    except (JsonError, ValueError) as error:
        raise ShapeError("not an entry: a body that is not encoded as it says", path) from error


def _of_base64(text: str) -> bytes:
    return a2b_base64(text)


def spoken(messages: list[JsonValue], opening: Request, reading: Reading) -> Iterator[Exchange]:
    """What was said through a WebSocket: each message sent, with those that came back before the next.

    A message has `type` (`send` or another word), `opcode` and `data`, in base64 unless it is text; raises
    ShapeError for one that has not.
    """
    request = replace(opening, method=WEBSOCKET, body=ABSENT)
    answers: list[JsonValue] = []
    begun = False
    for message in messages:
        if not isinstance(message, dict):
            raise ShapeError("not an entry: a message that is no object", "/_webSocketMessages")
        if message.get("type") != "send":
            answers.append(_answer(message, reading))
            begun = True
            continue
        if begun:
            yield _said(request, answers)
        request, answers, begun = replace(request, body=_message(message, reading)), [], True
    yield _said(request, answers)


def _said(request: Request, answers: list[JsonValue]) -> Exchange:
    return Exchange(0, request, Response(101, body=Body.json(answers)) if answers else None)


def _answer(message: Mapping[str, JsonValue], reading: Reading) -> JsonValue:
    """A message that came back, in a list of them: bytes stay in base64."""
    body = _message(message, reading)
    return message.get("data") if isinstance(body.value, bytes) else body.value


def _message(message: Mapping[str, JsonValue], reading: Reading) -> Body:
    data = message.get("data")
    if not isinstance(data, str):
        return ABSENT
    if message.get("opcode") != _BINARY:
        return imported_body(data, (), reading)
    return imported_body(_unpacked(data, _of_base64, "/_webSocketMessages"), (), reading)


def _headers(message: Mapping[str, JsonValue]) -> Headers:
    listed = message.get("headers")
    pairs = [pair for pair in listed if isinstance(pair, dict)] if isinstance(listed, list) else []
    return tuple((str(pair.get("name", "")), str(pair.get("value", ""))) for pair in pairs)


def _object(holder: Mapping[str, JsonValue], name: str) -> Mapping[str, JsonValue]:
    value = holder.get(name)
    return value if isinstance(value, dict) else {}


def _size(holder: Mapping[str, JsonValue], name: str) -> int:
    """How many bytes there were; 0 where that is not known, which is written as -1."""
    size = holder.get(name)
    return max(size, 0) if type(size) is int else 0


def _missing(exchange: Exchange) -> int:
    messages = (exchange.request, exchange.response)
    return sum(1 for message in messages if message is not None and MISSING in message.extra)


def _fits(value: JsonValue) -> bool:
    log = value.get("log") if isinstance(value, dict) else None
    return isinstance(log, dict) and isinstance(log.get("entries"), list)


HAR: Final = ForeignFormat("har", "a HAR", _exchanges, _fits, re.compile(rb'\s*\{\s*"log"\s*:\s*\{'))
