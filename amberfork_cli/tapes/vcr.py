"""Cassettes of the VCR family, in YAML or JSON: a list of interactions, each a request and its response.

The tools of many languages write it, each in its own way: vcrpy and pytest-recording, before and since
version 1; VCR of Ruby and R, betamax, go-vcr, php-vcr, docker's agent. They differ in the names of a few
members, in how headers are listed and in what a body is wrapped in, and hardly ever say which of them wrote a
file. So each part is read in every way that any of them writes it.
"""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterator
from itertools import chain
from typing import Final, cast

from amberfork_cli.core.tape import ABSENT, Body, Exchange, Headers, JsonValue, Request, Response
from amberfork_cli.errors import CompressionError, TapeError
from amberfork_cli.tapes.formats import ForeignFormat, Recording
from amberfork_cli.tapes.imports import imported_body, imported_request, imported_response, moment
from amberfork_cli.tapes.reading import Reading, ShapeError
from amberfork_cli.tapes.yamltext import Item, YamlItems, YamlValue

_LISTS: Final = ("interactions", "http_interactions")
_JSON_BODY: Final = "parsed_body"  # pydantic-ai's
_ENDINGS: Final = ("version", "recorded_with")


def _exchanges(recording: Recording, reading: Reading) -> Iterator[Exchange]:
    number = 0
    for item, path in _items(recording, reading):
        try:
            exchange = exchange_of(item.value, number, reading)
        except ShapeError as error:
            reading.pass_over(ShapeError(error.problem, path + error.path), item.line, torn=False)
            continue
        yield exchange
        del exchange
        number += 1


def _items(recording: Recording, reading: Reading) -> Iterator[tuple[Item, str]]:
    """Each interaction as it stands, and the pointer to it."""
    if recording.is_json:
        yield from _of_json(recording, reading)
        return
    items = YamlItems(
        recording.lines, reading, names=_LISTS, json_below=(_JSON_BODY,), begins=recording.begins
    )
    try:
        for index, item in enumerate(items):
            yield item, f"{items.pointer}/{index}"
    except CompressionError as error:
        reading.stop(TapeError(str(error), source=reading.source))
        return
    except TapeError as error:
        reading.stop(error)
        return
    _look_at_the_end(items, reading)


def _look_at_the_end(items: YamlItems, reading: Reading) -> None:
    """Every tool writes a version, most of them last: without it, a cassette may have been cut off."""
    if items.pointer is None and not any(items.members.get(name, "") is None for name in _LISTS):
        raise ShapeError('no list of "interactions" or "http_interactions"')
    if items.pointer != "" and not any(name in items.members for name in _ENDINGS):
        reading.tell_once("it has no version, and may have been cut off", about="version")


def _of_json(recording: Recording, reading: Reading) -> Iterator[tuple[Item, str]]:
    for item in recording.items(reading, *((name,) for name in _LISTS), ()):
        yield Item(item.line, cast(YamlValue, item.value)), item.pointer


def exchange_of(value: YamlValue, number: int, reading: Reading) -> Exchange:
    """The exchange that an interaction is, of whichever tool; raises ShapeError."""
    if not isinstance(value, dict) or "request" not in value:
        raise ShapeError('not an interaction: no "request"')
    if "response" not in value:  # which every tool writes, though it may be null
        raise ShapeError('not an interaction: no "response"')
    response = value["response"]
    headers = _headers(response.get("headers"), "/response") if isinstance(response, dict) else ()
    recorded_at = value.get("recorded_at")
    return Exchange(
        number,
        _request(value["request"], reading),
        None if response is None else _response(response, headers, reading),
        extra=moment(recorded_at if isinstance(recorded_at, str) else None, headers),
    )


def _request(value: YamlValue, reading: Reading) -> Request:
    if not isinstance(value, dict):
        raise ShapeError("not an interaction: a request that is no mapping", "/request")
    method = value.get("method")
    if not isinstance(method, str):
        raise ShapeError('not an interaction: no "method"', "/request")
    headers = _headers(value.get("headers"), "/request")
    return imported_request(
        method.removeprefix(":"),  # a symbol of Ruby's
        _url(value),
        headers,
        _body(value, headers, "/request", reading),
    )


def _response(value: YamlValue, headers: Headers, reading: Reading) -> Response:
    if not isinstance(value, dict):
        raise ShapeError("not an interaction: a response that is no mapping", "/response")
    return imported_response(_status(value), headers, _body(value, headers, "/response", reading))


def _url(request: dict[str, YamlValue]) -> str:
    """The URL, which vcrpy kept in pieces before its version 1."""
    for name in ("uri", "url"):
        url = request.get(name)
        if isinstance(url, str):
            return url
    host, path = request.get("host"), request.get("path", request.get("request_uri"))
    if not isinstance(host, str) or not isinstance(path, str):
        raise ShapeError('not an interaction: no "uri" and no "url"', "/request")
    protocol, port = _text(request.get("protocol")) or "https", _text(request.get("port"))
    return f"{protocol}://{host}:{port}{path}" if port else f"{protocol}://{host}{path}"


def _status(response: dict[str, YamlValue]) -> int | None:
    """The status code: a member, a member of the status, or what the status line begins with."""
    status = response.get("status")
    found = [response.get("code"), response.get("status_code")]
    found += [status.get("code")] if isinstance(status, dict) else [status]
    for code in found:
        if isinstance(code, int) and not isinstance(code, bool):
            return code
        digits = re.match(r"\s*([0-9]{3})\b", code) if isinstance(code, str) else None
        if digits:
            return int(digits[1])
    return None


def _headers(value: YamlValue, path: str) -> Headers:
    """Headers from names with one value or several, from pairs, or from lines as they crossed the wire."""
    if value is None:
        return ()
    if isinstance(value, dict):
        return tuple((name, _text(one)) for name, held in value.items() for one in _one_or_more(held))
    if not isinstance(value, list):
        raise ShapeError("not an interaction: headers that are no mapping and no list", f"{path}/headers")
    if len(value) == 1 and isinstance(value[0], list) and all(isinstance(pair, list) for pair in value[0]):
        value = value[0]  # the arguments of a frozenset, which Python's YAML writes as a call
    return tuple(chain.from_iterable(_pair(held) for held in value))


def _one_or_more(value: YamlValue) -> list[YamlValue]:
    if isinstance(value, list):
        return value
    return [value]


def _pair(value: YamlValue) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        name, _, text = value.partition(":")
        yield name.strip(), text.strip()
    elif isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
        for one in _one_or_more(value[1]):
            yield value[0], _text(one)


def _text(value: YamlValue) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return "" if value is None else str(value)


def _body(message: dict[str, YamlValue], headers: Headers, path: str, reading: Reading) -> Body:
    if _JSON_BODY in message:
        return Body.json(cast(JsonValue, message[_JSON_BODY]))  # YamlItems lets no bytes in there
    value = message.get("body", message.get("content"))  # `content` is vcrpy's for httpx, before version 6
    if isinstance(value, dict):
        if "base64_string" in value:
            value = _unpacked(value["base64_string"], f"{path}/body/base64_string")
        elif "string" in value or not value:
            value = value.get("string")
    if isinstance(value, list) and all(isinstance(piece, (str, bytes)) for piece in value):
        value = b"".join(piece if isinstance(piece, bytes) else str(piece).encode() for piece in value)
    if value is None:
        return ABSENT
    if not isinstance(value, (str, bytes)):
        raise ShapeError("not an interaction: a body in a form that no known tool writes", f"{path}/body")
    return imported_body(value, headers, reading)


def _unpacked(value: YamlValue, path: str) -> bytes:
    try:
        return value if isinstance(value, bytes) else a2b_base64(_text(value))
    except (Base64Error, ValueError) as error:
        raise ShapeError("not an interaction: a body that is not base64", path) from error


def _fits(value: object) -> bool:
    """Whether a JSON document is a cassette: the list of interactions, or the member that holds it."""
    if isinstance(value, dict):
        return any(isinstance(value.get(name), list) for name in _LISTS)
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return False
    request = value[0].get("request")
    return isinstance(request, dict) and "response" in value[0] and ("url" in request or "host" in request)


VCR: Final = ForeignFormat(
    "vcr",
    "a VCR cassette",
    _exchanges,
    _fits,
    re.compile(
        rb"""(?sx)
        (?: [^\n]*\n )*? (?:http_)?interactions:(?:\s|$)
        | (?: (?:[#%]|---)[^\n]*\n | \s )* -\s+(?:!\S+\s+)?(?:index|request|response):
        | \{\s*(?:"version"\s*:\s*\d+\s*,\s*)?"(?:http_)?interactions"\s*:\s*\[
        """
    ),
)
