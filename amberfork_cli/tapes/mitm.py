"""Flow files of mitmproxy: one flow after another, each written as a tnetstring.

A tnetstring is the length of what it holds, a colon, that many bytes, and a letter for their type. Of a flow
those members are read that every version since 4 writes (mitmproxy/io/io.py, mitmproxy/http.py); what is not
HTTP is left aside. Of a WebSocket each message that was sent is an exchange, as it is in an archive.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from amberfork_cli.core.tape import Exchange, Headers, JsonValue, Request, Response
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes.formats import ForeignFormat, Recording
from amberfork_cli.tapes.har import MISSING, spoken
from amberfork_cli.tapes.imports import imported_body, imported_request, imported_response
from amberfork_cli.tapes.reading import Reading, ShapeError

_Value: TypeAlias = Any  # bytes, str, int, float, bool, None, and lists and mappings of them
_Members: TypeAlias = Mapping[str, _Value]

_READ: Final = frozenset({"type", "request", "response", "websocket"})
_LENGTH: Final = re.compile(rb"([0-9]{1,12}):")
_DEEPEST: Final = 64
_TOO_LATE: Final = 253402300800  # seconds; the end of the year 9999
_TEXT: Final = 1  # the opcode of a message that is text


def _exchanges(recording: Recording, reading: Reading) -> Iterator[Exchange]:
    number = missing = others = 0
    for index, flow in enumerate(_flows(recording, reading)):
        if _text(flow.get("type")) != "http":
            others += 1
            continue
        try:
            found = [*_of_flow(flow, reading)]
        except ShapeError as error:
            reading.pass_over(
                ShapeError(error.problem, f"/{index}{error.path}"), recording.begins, torn=False
            )
            continue
        for exchange in found:
            missing += any(
                MISSING in one.extra for one in (exchange.request, exchange.response) if one is not None
            )
            yield replace(exchange, number=number)
            number += 1
    if missing:
        exchanges = "1 exchange lacks" if missing == 1 else f"{missing:,} exchanges lack"
        reading.tell_once(f"{exchanges} a body: it was streamed and not kept", about="missing bodies")
    if others:
        flows = "1 flow is" if others == 1 else f"{others:,} flows are"
        reading.tell_once(f"{flows} not HTTP and left out", about="other flows")


def _flows(recording: Recording, reading: Reading) -> Iterator[_Members]:
    """Every flow of the file; what is cut off ends it."""
    data = _Bytes(recording.lines)
    while (head := data.upto(b":", most=13)) is not None:
        length = _LENGTH.fullmatch(head)
        held = b"" if length is None else data.take(int(length[1]) + 1)
        if length is None or len(held) <= int(length[1]):
            problem = "it ends in the middle of a flow" if length else "no flow where one should begin"
            reading.stop(TapeError(f"not a flow file: {problem}", source=reading.source, line=1))
            return
        if held[-1:] != b"}":
            raise ShapeError("not a flow: no mapping")
        yield _members(held[:-1])


class _Bytes:
    """Bytes that come in pieces, taken by their number."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._pending = b""

    def take(self, length: int) -> bytes:
        """So many bytes; fewer at the end."""
        taken = [self._pending]
        size = len(self._pending)
        while size < length and (piece := next(self._pieces, b"")):
            taken.append(piece)
            size += len(piece)
        whole = b"".join(taken)
        self._pending = whole[length:]
        return whole[:length]

    def upto(self, sign: bytes, *, most: int) -> bytes | None:
        """What stands before a sign, with it, or all that is looked at; `None` at the end."""
        taken = self.take(most)
        if not taken.strip():
            return None
        end = taken.find(sign) + 1
        self._pending = taken[end:] + self._pending if end else self._pending
        return taken[:end] if end else taken


def _value(data: bytes, kind: bytes, depth: int) -> _Value:
    """What a tnetstring of that type holds; raises ShapeError."""
    if kind in (b"]", b"}"):
        if depth > _DEEPEST:
            raise ShapeError(f"not a flow: more than {_DEEPEST} levels")
        values = [*_values(data, depth + 1)]
        if kind == b"]":
            return values
        return {_text(name): value for name, value in zip(values[::2], values[1::2], strict=False)}
    if kind == b"!":
        return data == b"true"
    read = _PLAIN.get(kind)
    if read is None:
        raise ShapeError("not a flow: a value of a type that there is not")
    try:
        return read(data)
    except ValueError as error:
        raise ShapeError("not a flow: a value that is not of its type") from error


_PLAIN: Final[Mapping[bytes, Callable[[bytes], _Value]]] = {
    b",": lambda data: data,
    b";": lambda data: data.decode("utf-8", "replace"),
    b"#": int,
    b"^": float,
    b"~": lambda _: None,
}


def _members(data: bytes) -> _Members:
    """The members of a flow that are read: what belongs to the connections is most of it."""
    pieces = [*_pieces(data)]
    named = ((_text(_value(*name, 0)), held) for name, held in zip(pieces[::2], pieces[1::2], strict=False))
    return {name: _value(*held, 1) for name, held in named if name in _READ}


def _values(data: bytes, depth: int) -> Iterator[_Value]:
    return (_value(*piece, depth) for piece in _pieces(data))


def _pieces(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """What each of several tnetstrings holds, and its type."""
    at = 0
    while at < len(data):
        length = _LENGTH.match(data, at)
        end = 0 if length is None else length.end() + int(length[1])
        if length is None or end >= len(data):
            raise ShapeError("not a flow: a value that is cut off")
        yield data[length.end() : end], data[end : end + 1]
        at = end + 1


def _of_flow(flow: _Members, reading: Reading) -> Iterator[Exchange]:
    asked, answered = flow.get("request"), flow.get("response")
    if not isinstance(asked, dict):
        raise ShapeError("not an HTTP flow: no request")
    request = _request(asked, reading)
    extra = _moment(asked.get("timestamp_start"))
    socket = flow.get("websocket")
    messages = socket.get("messages") if isinstance(socket, dict) else None
    if isinstance(messages, list) and messages:
        listed = [_message(message) for message in messages if isinstance(message, list) and len(message) > 2]
        yield from (replace(one, extra=extra) for one in spoken(listed, request, reading))
    else:
        yield Exchange(0, request, _response(answered, reading), extra=extra)


def _request(message: _Members, reading: Reading) -> Request:
    headers = _headers(message.get("headers"))
    host = _text(message.get("authority")) or _host(headers) or _text(message.get("host"))
    method, path = _text(message.get("method")), _text(message.get("path"))
    if not method or not path:
        raise ShapeError("not an HTTP flow: no method or no path", "/request")
    scheme, port = _text(message.get("scheme")) or "http", message.get("port")
    if ":" not in host and type(port) is int and port not in (80, 443):
        host = f"{host}:{port}"
    content = message.get("content")
    request = imported_request(
        method, f"{scheme}://{host}{path}", headers, imported_body(_content(content), headers, reading)
    )
    return replace(request, extra={**request.extra, MISSING: True}) if content is None else request


def _response(message: _Value, reading: Reading) -> Response | None:
    if not isinstance(message, dict):
        return None  # the connection was refused, or broke
    headers, status = _headers(message.get("headers")), message.get("status_code")
    content = message.get("content")
    response = imported_response(
        status if type(status) is int else None, headers, imported_body(_content(content), headers, reading)
    )
    return replace(response, extra={MISSING: True}) if content is None else response


def _message(message: Sequence[_Value]) -> JsonValue:
    """A message of a WebSocket as an archive has it."""
    opcode, from_client, content = message[:3]
    data = _content(content)
    is_text = opcode == _TEXT
    text = data.decode("utf-8", "replace") if is_text else b2a_base64(data, newline=False).decode()
    return {"type": "send" if from_client else "receive", "opcode": opcode, "data": text}


def _headers(value: _Value) -> Headers:
    pairs = (
        [pair for pair in value if isinstance(pair, list) and len(pair) == 2]
        if isinstance(value, list)
        else []
    )
    return tuple((_text(name), _text(held)) for name, held in pairs)


def _host(headers: Headers) -> str:
    return next((value for name, value in headers if name.lower() == "host"), "")


def _moment(seconds: _Value) -> Mapping[str, JsonValue]:
    if not isinstance(seconds, (int, float)) or not 0 < seconds < _TOO_LATE:
        return {}
    return {"recorded_at": datetime.fromtimestamp(seconds, UTC).isoformat()}


def _content(value: _Value) -> bytes:
    return value.encode() if isinstance(value, str) else value if isinstance(value, bytes) else b""


def _text(value: _Value) -> str:
    """A text, which older versions write as bytes."""
    return value.decode("latin-1") if isinstance(value, bytes) else value if isinstance(value, str) else ""


MITM: Final = ForeignFormat(
    "mitmproxy",
    "a flow file of mitmproxy",
    _exchanges,
    begins=re.compile(rb"[0-9]{1,12}:[0-9]{1,6}:[a-z_]+[;,]"),
)
