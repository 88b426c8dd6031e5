"""What a recording of another tool brings onto a tape: requests, responses and bodies, without credentials.

Other tools keep every header, so a tape takes those that say how a body is meant and leaves the rest. Bodies
are decoded, whatever form a tool keeps them in. What is not to a model is marked, and `models_only` leaves it
out.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

from amberfork_cli.core.compression import coding_of
from amberfork_cli.core.tape import ABSENT, NOTHING, Body, BodyKind, Headers, JsonValue, Request, Response
from amberfork_cli.errors import CompressionError, JsonError
from amberfork_cli.tapes.content import codings_of, expanded, framed_body
from amberfork_cli.tapes.endpoints import asks_a_model, endpoint
from amberfork_cli.tapes.reading import Reading

ALLOWED: Final = frozenset(
    "content-type accept content-encoding openai-beta anthropic-beta anthropic-version".split()
)
"""The headers that a tape takes from a recording, in lower case."""

UPSTREAM: Final = "upstream"
"""The member of a request that names the scheme and host it went to."""

TO_MODEL: Final = "to_model"
"""The member of a request that is `false` where it went to no model, and else not there."""


def imported_request(method: str, url: str, headers: Headers, body: Body) -> Request:
    """A request as a tape keeps it. Its `extra` has `upstream`, and `to_model` where that is false."""
    where = endpoint(url)
    extra: dict[str, JsonValue] = {} if where.upstream is None else {UPSTREAM: where.upstream}
    if method.upper() == "OPTIONS" or not asks_a_model(where, body):  # what browsers ask before they ask
        extra[TO_MODEL] = False
    return Request(method.upper(), where.path, allowed(headers), body, extra)


def imported_response(status: int | None, headers: Headers, body: Body) -> Response:
    """A response as a tape keeps it."""
    return Response(status, allowed(headers), body)


def allowed(headers: Headers) -> Headers:
    """The headers that say how a body is meant, which are all that a tape takes."""
    return tuple((name, value) for name, value in headers if name.lower() in ALLOWED)


def moment(recorded_at: JsonValue, headers: Headers = ()) -> Mapping[str, JsonValue]:
    """What an exchange says of when it was recorded: in its tool's words, else as its `Date` has it."""
    if isinstance(recorded_at, (int, float)) and not isinstance(recorded_at, bool):
        return {"recorded_at": recorded_at}
    if isinstance(recorded_at, str) and recorded_at:
        return {"recorded_at": _in_iso(recorded_at) or recorded_at}
    dates = (_in_iso(value) for name, value in headers if name.lower() == "date")
    return next(({"recorded_at": date} for date in dates if date), NOTHING)


def _in_iso(date: str) -> str | None:
    """A date as HTTP has it, as ISO 8601 has it."""
    try:
        return parsedate_to_datetime(date).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return None


def imported_body(content: str | bytes | None, headers: Headers, reading: Reading) -> Body:
    """The body that a recording holds, decompressed: JSON, else text, else bytes. An empty one is none.

    Tools keep bodies as they crossed the wire or decoded, and the headers do not tell which: so what is JSON
    or begins as no compressed data does is taken for decoded. Bytes that cannot be decoded are told.
    """
    if not content:
        return ABSENT
    if isinstance(content, str):
        packed = _packed_in_text(content)
        if packed is None:
            return _text_body(content, headers, reading)
        content = packed
    return _bytes_body(content, headers, reading)


def _packed_in_text(content: str) -> bytes | None:
    """Compressed bytes that a tool wrote as text, a character for each byte."""
    if not content.startswith("\x1f\x8b"):
        return None
    try:
        return content.encode("latin-1")
    except UnicodeEncodeError:
        return None


def _text_body(text: str, headers: Headers, reading: Reading) -> Body:
    if text.lstrip().startswith(("{", "[")) or _says_json(headers):
        try:
            return Body(BodyKind.JSON, reading.loads(text.encode()))
        except (JsonError, UnicodeEncodeError):
            pass  # several values on lines of their own, or half an emoji
    return Body(BodyKind.TEXT, text)


def _says_json(headers: Headers) -> bool:
    return any(name.lower() == "content-type" and "json" in value.lower() for name, value in headers)


def _bytes_body(data: bytes, headers: Headers, reading: Reading) -> Body:
    framed = framed_body(data)
    if framed is not None:
        return framed
    coding, told = coding_of(data), codings_of(headers)
    codings = told or ([coding] if coding in ("gzip", "zstd") else [])
    plain = None if coding else _decoded(data)
    if plain is not None and (not codings or plain.lstrip().startswith(("{", "["))):
        return _text_body(plain, headers, reading)
    try:
        content = expanded(data, codings)
    except CompressionError as error:
        if plain is not None:  # text that was decoded before it was recorded
            return _text_body(plain, headers, reading)
        reading.tell_once(f"a body is compared as bytes: {error}", about=f"content: {error}")
        return Body(BodyKind.BYTES, data)
    text = _decoded(content)
    if text is not None:
        return _text_body(text, headers, reading)
    return Body(BodyKind.BYTES, content, data) if told else Body(BodyKind.BYTES, data)


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
