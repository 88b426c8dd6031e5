"""An exchange as JSON: the members that a tape's line, or an item of a cassette, has."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping
from typing import Any, Final

from amberfork_cli.core.tape import (
    ABSENT,
    NOTHING,
    Body,
    BodyKind,
    Exchange,
    Headers,
    JsonValue,
    Place,
    Request,
    Response,
)
from amberfork_cli.tapes.content import decoded_body
from amberfork_cli.tapes.reading import Reading, ShapeError

_EXCHANGE: Final = frozenset({"idx", "request", "response"})
_REQUEST: Final = frozenset({"method", "path", "headers", "body", "body_encoding"})
_RESPONSE: Final = frozenset({"status", "headers", "body", "body_encoding"})


def exchange_from(value: JsonValue, number: int, place: Place | None, reading: Reading) -> Exchange:
    """The exchange that a JSON value describes; raises ShapeError with the path to what is wrong."""
    if not isinstance(value, dict):
        raise ShapeError(f"not an exchange: {_kind(value)}")
    request, response = value.get("request"), value.get("response")
    if request is None:
        raise ShapeError('not an exchange: no "request"')
    return Exchange(
        number,
        _request(request, reading),
        None if response is None else _response(response, reading),
        value.get("idx"),
        place,
        _others(value, _EXCHANGE),
    )


def exchange_value(exchange: Exchange) -> dict[str, JsonValue]:
    """The JSON value that describes an exchange: `exchange_from` gives an equal exchange for it."""
    request, response = exchange.request, exchange.response
    value: dict[str, JsonValue] = {} if exchange.idx is None else {"idx": exchange.idx}
    value["request"] = _with_contents({"method": request.method, "path": request.path}, request)
    if response is not None:
        status: dict[str, JsonValue] = {} if response.status is None else {"status": response.status}
        value["response"] = _with_contents(status, response)
    return _completed(value, exchange.extra)


def _request(value: JsonValue, reading: Reading) -> Request:
    members = _object(value, "/request")
    headers = _headers(members.get("headers"), "/request/headers")
    return Request(
        _text(members, "method", "/request"),
        _text(members, "path", "/request"),
        headers,
        _body(members, headers, "/request", reading),
        _others(members, _REQUEST),
    )


def _response(value: JsonValue, reading: Reading) -> Response:
    members = _object(value, "/response")
    headers = _headers(members.get("headers"), "/response/headers")
    status = members.get("status")
    if status is not None and type(status) is not int:
        raise _wrong("status", "a whole number", status, "/response/status")
    return Response(
        status, headers, _body(members, headers, "/response", reading), _others(members, _RESPONSE)
    )


def _body(members: dict[str, JsonValue], headers: Headers, path: str, reading: Reading) -> Body:
    if "body" not in members:
        if "body_encoding" in members:
            raise ShapeError('not an exchange: "body_encoding" without "body"', path)
        return ABSENT
    value, encoding = members["body"], members.get("body_encoding")
    if encoding == "json" or (encoding is None and not isinstance(value, str)):
        return Body(BodyKind.JSON, value)
    if encoding not in (None, "text", "base64"):
        known = '"json", "text" or "base64"'
        raise ShapeError(f'not an exchange: "body_encoding" is not {known}', f"{path}/body_encoding")
    if not isinstance(value, str):
        raise _wrong("body", f'text, as "body_encoding": "{encoding}" says', value, f"{path}/body")
    if encoding == "base64":
        return decoded_body(_bytes(value, path), headers, reading)
    return Body(BodyKind.TEXT, value)


def _bytes(text: str, path: str) -> bytes:
    try:
        return a2b_base64(text, strict_mode=True)
    except (Base64Error, ValueError) as error:  # ValueError: letters beyond ASCII
        raise ShapeError(f'not an exchange: "body" is not base64: {error}', f"{path}/body") from error


def _headers(value: JsonValue, path: str) -> Headers:
    """Headers as pairs, from pairs or an object; a name may stand there with a list of values."""
    if value is None:
        return ()
    if isinstance(value, dict):
        return tuple(
            pair for name, held in value.items() for pair in _values(name, held, f"{path}/{_escaped(name)}")
        )
    if not isinstance(value, list):
        raise _wrong("headers", "a list of [name, value] pairs", value, path)
    pairs: list[tuple[str, str]] = []
    for index, held in enumerate(value):
        if not isinstance(held, list) or len(held) != 2 or not isinstance(held[0], str):
            raise ShapeError("not an exchange: a header must be a [name, value] pair", f"{path}/{index}")
        if isinstance(held[1], str):
            pairs.append((held[0], held[1]))
        else:
            pairs += _values(held[0], held[1], f"{path}/{index}/1")
    return tuple(pairs)


def _values(name: str, value: JsonValue, path: str) -> list[tuple[str, str]]:
    if isinstance(value, str):
        return [(name, value)]
    if isinstance(value, list) and all(isinstance(held, str) for held in value):
        return [(name, str(held)) for held in value]
    raise ShapeError(f"not an exchange: the value of a header must be text, not {_kind(value)}", path)


def _object(value: JsonValue, path: str) -> dict[str, JsonValue]:
    if isinstance(value, dict):
        return value
    raise _wrong(path[1:], "an object", value, path)


def _text(members: dict[str, JsonValue], name: str, path: str) -> str:
    value = members.get(name)
    if isinstance(value, str):
        return value
    if name not in members:
        raise ShapeError(f'not an exchange: no "{name}"', path)
    raise _wrong(name, "text", value, f"{path}/{name}")


def _wrong(name: str, wanted: str, value: JsonValue, path: str) -> ShapeError:
    return ShapeError(f'not an exchange: "{name}" must be {wanted}, not {_kind(value)}', path)


def _others(members: dict[str, JsonValue], known: frozenset[str]) -> Mapping[str, JsonValue]:
    """The members that amberfork does not know, in their order."""
    if members.keys() <= known:
        return NOTHING
    return {name: value for name, value in members.items() if name not in known}


def _kind(value: JsonValue) -> str:
    """What a reader of JSON calls this kind of value."""
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _with_contents(members: dict[str, Any], message: Request | Response) -> dict[str, JsonValue]:
    """The members of a request or response, completed with its headers, body and whatever else it holds."""
    if message.headers:
        members["headers"] = [list(pair) for pair in message.headers]
    body = message.body
    written = body.wire if body.wire is not None else body.value
    if isinstance(written, bytes):
        members["body"] = b2a_base64(written, newline=False).decode("ascii")
        members["body_encoding"] = "base64"
    elif body.kind is not BodyKind.ABSENT:
        members["body"] = written
        if body.kind is BodyKind.JSON and isinstance(written, str):
            members["body_encoding"] = "json"
    return _completed(members, message.extra)


def _completed(members: dict[str, JsonValue], others: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {**members, **{name: value for name, value in others.items() if name not in members}}
