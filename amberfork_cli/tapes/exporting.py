"""Tapes written in the formats of other tools, and what a format has no room for.

What it loses is found out, not listed: each exchange is read back from what was written of it.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, BinaryIO, Final

from amberfork_cli.core.ids.fingerprint import fingerprint
from amberfork_cli.core.jsontext import dumps, same
from amberfork_cli.core.tape import Body, BodyKind, Exchange, Headers, JsonValue, Request, Response
from amberfork_cli.tapes import cassette, har, vcr
from amberfork_cli.tapes.exchanges import exchange_value
from amberfork_cli.tapes.har import MISSING, UNKNOWN_TIME
from amberfork_cli.tapes.imports import TO_MODEL, UPSTREAM
from amberfork_cli.tapes.jsonl import exchange_line, header_line
from amberfork_cli.tapes.reading import Reading

Object = dict[str, JsonValue]
_NO_STATUS: Final = 200  # what is written where a tape has a response without one, since archives need one


@dataclass(frozen=True, slots=True)
class Export:
    """A format that tapes are written in: its name, the end of its files' names, and how it is written.

    `write` takes the exchanges, numbered from 0, and what the tape says about itself. `read_back` gives the
    exchange that one would be read as again, where that need not be the same.
    """

    name: str
    suffix: str
    write: Callable[[Iterable[Exchange], Mapping[str, JsonValue], BinaryIO], None]
    read_back: Callable[[Exchange], Exchange] | None = None


class Losses:
    """What was lost on the way into a format, counted in exchanges."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._first: dict[str, int] = {}

    def watching(self, exchanges: Iterable[Exchange], export: Export) -> Iterator[Exchange]:
        """The same exchanges, each compared with what it will be read as."""
        if export.read_back is None:
            yield from exchanges
            return
        for exchange in exchanges:
            for lost in _lost(exchange, export.read_back(exchange)):
                self._counts[lost] += 1
                self._first.setdefault(lost, exchange.number)
            yield exchange

    def sentences(self) -> Iterator[str]:
        """A sentence for each kind of loss."""
        for lost, count in self._counts.items():
            exchanges = "1 exchange" if count == 1 else f"{count:,} exchanges"
            yield f"lost in {exchanges}, first in #{self._first[lost]}: {lost}"


def _lost(exchange: Exchange, again: Exchange) -> Iterator[str]:
    if fingerprint(exchange) != fingerprint(again):
        yield "what was asked does not come back the same"
    response, answer = exchange.response, again.response
    if (response is None) != (answer is None) or not _same_answer(response, answer):
        yield "what was answered does not come back the same"
    elif response is not None and answer is not None and response.status != answer.status:
        yield "that the status is not known"
    if _headers(exchange) - _headers(again):
        yield "headers that are not taken from other tools' recordings"
    if _members(exchange) - _members(again):
        yield "members that only a tape has"


def _same_answer(response: Response | None, answer: Response | None) -> bool:
    if response is None or answer is None:
        return response is answer
    one, other = response.body, answer.body
    if one.kind is not other.kind or isinstance(one.value, bytes) or isinstance(other.value, bytes):
        return one.kind is other.kind and one.value == other.value
    return same(one.value, other.value)


def _headers(exchange: Exchange) -> set[tuple[str, str]]:
    pairs = (*exchange.request.headers, *(exchange.response.headers if exchange.response else ()))
    return {(name.lower(), value) for name, value in pairs}


def _members(exchange: Exchange) -> set[str]:
    own = {f"exchange.{name}" for name in exchange.extra} | ({"idx"} if exchange.idx is not None else set())
    asked = {f"request.{name}" for name in exchange.request.extra if name != TO_MODEL}
    return (
        own | asked | {f"response.{name}" for name in (exchange.response.extra if exchange.response else ())}
    )


def _write_tape(exchanges: Iterable[Exchange], header: Mapping[str, JsonValue], output: BinaryIO) -> None:
    if header:
        output.write(header_line(header))
    output.writelines(map(exchange_line, exchanges))


def _write_cassette(exchanges: Iterable[Exchange], header: Mapping[str, JsonValue], output: BinaryIO) -> None:
    own = {name: value for name, value in header.items() if name not in ("tape_version", "exchanges")}
    head: Object = {"cassette_version": cassette.VERSION, **own}
    _write_list(output, dumps(head)[:-1] + b', "exchanges": [', map(exchange_value, exchanges), b"]}\n")


def _write_har(exchanges: Iterable[Exchange], _: Mapping[str, JsonValue], output: BinaryIO) -> None:
    head = dumps({"version": "1.2", "creator": {"name": "amberfork", "version": "1"}})
    _write_list(output, b'{"log": ' + head[:-1] + b', "entries": [', map(_entry, exchanges), b"]}}\n")


def _write_list(output: BinaryIO, opening: bytes, items: Iterable[JsonValue], closing: bytes) -> None:
    """A JSON document with a list, an item a line."""
    output.write(opening)
    between = b"\n"
    for item in items:
        output.write(between + dumps(item))
        between = b",\n"
    output.write(b"\n" + closing)


def _write_vcr(exchanges: Iterable[Exchange], _: Mapping[str, JsonValue], output: BinaryIO) -> None:
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    begun = False
    for exchange in exchanges:
        output.write(b"" if begun else b"interactions:\n")
        begun = True
        output.write(yaml.dump([_interaction(exchange)], Dumper=dumper, allow_unicode=False).encode())
    output.write(b"version: 1\n" if begun else b"interactions: []\nversion: 1\n")


def _interaction(exchange: Exchange) -> dict[str, Any]:
    """An interaction as vcrpy writes it."""
    request, response = exchange.request, exchange.response
    written: dict[str, Any] = {
        "request": {
            "body": _for_yaml(_written(request.body)),
            "headers": _listed(_meant(request)),
            "method": _whole(request.method),
            "uri": _whole(_url(request)),
        },
        "response": None,
    }
    if response is not None:
        written["response"] = {
            "body": {"string": _for_yaml(_written(response.body))},
            "headers": _listed(_meant(response)),
            "status": {"code": response.status, "message": _phrase(response.status)},
        }
    began = exchange.extra.get("recorded_at")
    return {**written, "recorded_at": began} if isinstance(began, str) else written


def _entry(exchange: Exchange) -> Object:
    """An entry of an archive."""
    request, response = exchange.request, exchange.response
    began = exchange.extra.get("recorded_at")
    posted: Object = {} if request.body.kind is BodyKind.ABSENT else {"postData": _content(request)}
    return {
        "startedDateTime": began if isinstance(began, str) else UNKNOWN_TIME,
        "time": 0,
        "request": {
            "method": request.method,
            "url": _url(request),
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": _pairs(_meant(request)),
            "queryString": [],
            **posted,
            "headersSize": -1,
            "bodySize": 1 if request.extra.get(MISSING) is True else -1,
        },
        "response": _answer(response),
        "cache": {},
        "timings": {"send": 0, "wait": 0, "receive": 0},
    }


def _answer(response: Response | None) -> Object:
    status = 0 if response is None else response.status or _NO_STATUS
    content: JsonValue = {"size": 0, "mimeType": ""}
    if response is not None and response.body.kind is not BodyKind.ABSENT:
        content = {"size": -1, **_content(response)}
    return {
        "status": status,
        "statusText": _phrase(status),
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(() if response is None else _meant(response)),
        "content": content,
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": 1 if response is not None and response.extra.get(MISSING) is True else -1,
    }


def _content(message: Request | Response) -> Object:
    written = _written(message.body)
    kind = next((value for name, value in _meant(message) if name.lower() == "content-type"), "")
    if isinstance(written, bytes):
        return {"mimeType": kind, "text": b64encode(written).decode("ascii"), "encoding": "base64"}
    return {"mimeType": kind, "text": written}


def _written(body: Body) -> str | bytes | None:
    """A body as it crossed the wire, where that is known, or as the text that it is."""
    if body.wire is not None or body.kind is BodyKind.ABSENT:
        return body.wire
    if body.kind is BodyKind.JSON and not isinstance(body.value, bytes):
        return dumps(body.value).decode()
    return body.value if isinstance(body.value, (str, bytes)) else None


def _for_yaml(written: str | bytes | None) -> str | bytes | None:
    """Text as it is, unless it has half an emoji, which YAML has no way to write."""
    if isinstance(written, str) and written != _whole(written):
        return written.encode(errors="surrogatepass")
    return written


def _whole(text: str) -> str:
    """A text without halves of characters."""
    return text.encode(errors="backslashreplace").decode()


def _meant(message: Request | Response) -> Headers:
    """The headers, and one that says of a JSON value what its text alone does not."""
    value = message.body.value
    plain = message.body.kind is BodyKind.JSON and not isinstance(value, (dict, list))
    if not plain or any(name.lower() == "content-type" for name, _ in message.headers):
        return message.headers
    return (*message.headers, ("content-type", "application/json"))


def _listed(headers: Headers) -> dict[str, list[str]]:
    listed: dict[str, list[str]] = {}
    for name, value in headers:
        listed.setdefault(_whole(name), []).append(_whole(value))
    return listed


def _pairs(headers: Headers) -> list[JsonValue]:
    return [{"name": name, "value": value} for name, value in headers]


def _url(request: Request) -> str:
    upstream = request.extra.get(UPSTREAM)
    return (upstream if isinstance(upstream, str) else "") + request.path


def _phrase(status: int | None) -> str:
    try:
        return HTTPStatus(status or 0).phrase
    except ValueError:
        return ""


def _from_vcr(exchange: Exchange) -> Exchange:
    return vcr.exchange_of(_interaction(exchange), exchange.number, Reading("written"))


def _from_har(exchange: Exchange) -> Exchange:
    return next(har.exchanges_of(_entry(exchange), Reading("written")))


EXPORTS: Final[tuple[Export, ...]] = (
    Export("tape", ".jsonl", _write_tape),
    Export("cassette", ".cassette.json", _write_cassette),
    Export("vcr", ".yaml", _write_vcr, _from_vcr),
    Export("har", ".har", _write_har, _from_har),
)


def export_called(name: str) -> Export:
    """The format of that name, one of those in `EXPORTS`."""
    return next(export for export in EXPORTS if export.name == name)


def export_for(file_name: str) -> Export:
    """The format that the name of a file asks for by its end; a tape where it asks for none."""
    name = file_name.lower()
    if name.endswith(".yml"):
        return export_called("vcr")
    return next((export for export in EXPORTS if name.endswith(export.suffix)), EXPORTS[0])
