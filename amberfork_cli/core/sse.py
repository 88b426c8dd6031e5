"""A recorded stream, and the response body that it spells.

Providers answer in pieces: as event streams, as JSON Lines (Ollama), as one JSON array that grows (Gemini),
or as a list of the events themselves where a recorder decoded them. Whatever the form, what comes out is the
body that the provider would have sent without streaming, and whether the stream reached its end.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from json import JSONDecoder

from amberfork_cli.core.dialects import DIALECTS
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.dialects.model import DONE, Assembled, Chunk
from amberfork_cli.core.dialects.shapes import member, string
from amberfork_cli.core.jsontext import loads
from amberfork_cli.core.tape import BodyKind, JsonValue, Response
from amberfork_cli.errors import JsonError

_LINE_END = re.compile(r"\r\n|\n|\r")
_NEXT_VALUE = re.compile(r"[\s,]*(?=[{\[\"])")


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream: its name (`message` where it gives none) and its data."""

    name: str
    data: str


def events(text: str) -> Iterator[Event]:
    """The events of an event stream, as WHATWG's rules read it.

    One exception: an event that the end of the text cuts off counts, since recorders trim blank lines.
    """
    name, data = "", []
    for line in [*_LINE_END.split(text.removeprefix("\ufeff")), ""]:
        if line:
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "data":
                data.append(value)
            elif field == "event":
                name = value
            continue
        if data:
            yield Event(name or "message", "\n".join(data))
        name, data = "", []


def response_json(response: Response, *, dialect: Dialect | None = None) -> Assembled | None:
    """The JSON body of a response, whether it came whole or as a stream; `None` where it spells none.

    `dialect`, that of the request, is tried first. A body that came whole is given back as it is.
    """
    body = response.body
    if body.kind is BodyKind.TEXT and isinstance(body.value, str):
        return assemble(body.value, dialect=dialect)
    if body.kind is not BodyKind.JSON or isinstance(body.value, bytes):
        return None
    if isinstance(body.value, list):
        parts = [Chunk("", part) for part in body.value]
        return _assembled(parts, dialect) or Assembled(body.value, complete=True)
    return Assembled(body.value, complete=True)


def assemble(text: str, *, dialect: Dialect | None = None) -> Assembled | None:
    """The response body that the text of a stream spells; `None` where it is no stream that anyone knows.

    A stream with an event that cannot be read is not complete. Text that is one JSON value is that value.
    """
    text = text.removeprefix("\ufeff").strip()
    chunks, whole = _chunks(text)
    if len(chunks) == 1 and whole and text[0] == "{":
        only = chunks[0].value
        return Assembled(only, complete=member(only, "done") is not False)  # Ollama's lines say which is last
    answer = _assembled(chunks, dialect)
    return None if answer is None else Assembled(answer.body, complete=answer.complete and whole)


def _assembled(chunks: Sequence[Chunk], dialect: Dialect | None) -> Assembled | None:
    first = () if dialect is None else (dialect,)
    answers = (each.assemble(chunks) for each in (*first, *DIALECTS))
    return next((answer for answer in answers if answer is not None), None)


def _chunks(text: str) -> tuple[list[Chunk], bool]:
    """What the pieces of a stream spell, and whether all of them could be read."""
    if text.startswith("["):
        return _of_array(text)
    if text.startswith("{"):
        return _of_lines(text)
    return _read(events(text))


def _of_lines(text: str) -> tuple[list[Chunk], bool]:
    """One JSON value, or one on each line."""
    try:
        return [Chunk("", loads(text))], True
    except JsonError:
        return _read(Event("", line) for line in _LINE_END.split(text) if line.strip())


def _of_array(text: str) -> tuple[list[Chunk], bool]:
    """The elements of a JSON array; of one that is cut off, those that are whole."""
    try:
        value = loads(text)
    except JsonError:
        return [Chunk("", element) for element in _before_the_cut(text)], False
    return [Chunk("", element) for element in (value if isinstance(value, list) else ())], True


def _before_the_cut(text: str) -> Iterator[JsonValue]:
    decode = JSONDecoder().raw_decode
    at = 1
    while (start := _NEXT_VALUE.match(text, at)) is not None:
        try:
            value, at = decode(text, start.end())
        except (ValueError, RecursionError):
            return
        yield value


def _read(pieces: Iterable[Event]) -> tuple[list[Chunk], bool]:
    chunks: list[Chunk] = []
    whole = True
    for event in pieces:
        if not event.data.strip():
            continue  # a sign of life between the events that say something
        try:
            chunks.append(_chunk(event))
        except (JsonError, ValueError):
            whole = False
    return chunks, whole


def _chunk(event: Event) -> Chunk:
    if event.data == DONE:
        return Chunk(event.name, DONE)
    value = loads(event.data)
    wrapped = string(member(value, "bytes"))  # Bedrock's Invoke puts the model's own events into its own
    return Chunk(event.name, value if wrapped is None else loads(b64decode(wrapped, validate=True)))
