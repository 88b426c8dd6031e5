"""Traces of Go's httprr: after a line of its own, each request and response as they crossed the wire.

Two numbers stand before each pair and say how many bytes they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from amberfork_cli.core.tape import Exchange, Headers, Request, Response
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes.formats import ForeignFormat, Recording
from amberfork_cli.tapes.http1 import wire_message
from amberfork_cli.tapes.imports import imported_body, imported_request, imported_response, moment
from amberfork_cli.tapes.reading import Reading, ShapeError

_FIRST: Final = re.compile(rb"httprr trace v1\r?\n?")
_SIZES: Final = re.compile(rb"(\d{1,15}) (\d{1,15})\r?\n")


def _exchanges(recording: Recording, reading: Reading) -> Iterator[Exchange]:
    number = 0
    for index, (line, request, response) in enumerate(_pairs(recording, reading)):
        try:
            exchange = _exchange(request, response, number, reading)
        except (ShapeError, ValueError) as error:
            problem = error.problem if isinstance(error, ShapeError) else "not an exchange: a damaged chunk"
            reading.pass_over(ShapeError(problem, f"/{index}"), line, torn=False)
            continue
        yield exchange
        del exchange
        number += 1


def _pairs(recording: Recording, reading: Reading) -> Iterator[tuple[int, bytes, bytes]]:
    """Each request and response, and the line on which their sizes stand."""
    trace = _Trace(recording.lines, recording.begins)
    if not _FIRST.fullmatch(trace.line()):
        raise ShapeError('the first line is not "httprr trace v1"')
    while (line := trace.number) and (sizes := trace.line()):
        found = _SIZES.fullmatch(sizes)
        if found is None:
            raise TapeError(
                "not an httprr trace: the sizes of a request and a response should stand here",
                source=reading.source,
                line=line,
                column=1,
            )
        asked, answered = int(found[1]), int(found[2])
        request, response = trace.take(asked), trace.take(answered)
        if len(request) + len(response) < asked + answered:
            problem = "not an httprr trace: it ends in the middle of an exchange"
            reading.stop(TapeError(problem, source=reading.source, line=line, column=1))
            return
        yield line, request, response


class _Trace:
    """A text of lines of which some are read by their length; `number` is that of the next line."""

    def __init__(self, lines: Iterator[bytes], begins: int) -> None:
        self.number = begins
        self._lines = lines
        self._pending = b""

    def line(self) -> bytes:
        """The next line with its end; nothing at the end."""
        line = self._pending or next(self._lines, b"")
        self._pending = b""
        self.number += line.count(b"\n")
        return line

    def take(self, length: int) -> bytes:
        """So many bytes; fewer at the end."""
        pieces: list[bytes] = []
        while length and (piece := self._pending or next(self._lines, b"")):
            pieces.append(piece[:length])
            self._pending = piece[length:]
            length -= len(pieces[-1])
        taken = b"".join(pieces)
        self.number += taken.count(b"\n")
        return taken


def _exchange(request: bytes, response: bytes, number: int, reading: Reading) -> Exchange:
    answer = wire_message(response)
    return Exchange(
        number,
        _request(request, reading),
        _response(response, reading) if response else None,
        extra=moment(None, answer.headers),
    )


def _request(data: bytes, reading: Reading) -> Request:
    message = wire_message(data)
    if len(message.first) != 3:
        raise ShapeError("not an exchange: a request without a method and a URL")
    method, url, _ = message.first
    if url.startswith("/"):
        url = f"//{_host(message.headers)}{url}"
    return imported_request(
        method, url, message.headers, imported_body(message.body, message.headers, reading)
    )


def _response(data: bytes, reading: Reading) -> Response:
    message = wire_message(data)
    status = message.first[1] if len(message.first) > 1 else ""
    if not (status.isascii() and status.isdigit() and len(status) == 3):
        raise ShapeError("not an exchange: a response without a status")
    body = imported_body(message.body, message.headers, reading)
    return imported_response(int(status), message.headers, body)


def _host(headers: Headers) -> str:
    return next((value for name, value in headers if name.lower() == "host"), "")


HTTPRR: Final = ForeignFormat(
    "httprr", "an httprr trace", _exchanges, begins=re.compile(rb"httprr trace v\d+\r?\n")
)
