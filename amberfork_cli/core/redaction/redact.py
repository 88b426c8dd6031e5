"""Take credentials, and what a user names, out of a tape, so that it can be shared and still compares.

A placeholder says what kind of thing stood there and nothing of its value, so that a redacted tape matches a
redacted re-issue whatever key either used. IDs stay as they are, wherever they stand: which result answers
which call must not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.dialects import dialect_of
from amberfork_cli.core.ids.id_rules import IdClass, Site, sites
from amberfork_cli.core.ids.linkage import link, tells
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.redaction.redact_streams import redacted_stream
from amberfork_cli.core.redaction.redact_values import ValueRedactor
from amberfork_cli.core.redaction.redacting import Counts, Redactor, Rules
from amberfork_cli.core.redaction.secrets import secrets_in_header, secrets_in_path
from amberfork_cli.core.sse import response_json
from amberfork_cli.core.tape import Body, BodyKind, Exchange, Headers, JsonValue, Request, Response
from amberfork_cli.errors import OptionError

REDACTED: Final = "redacted"
"""Member of a tape's header: what was taken out of its bodies, and is not to be looked for there."""

CREDENTIALS: Final = "credentials"
PATTERNS: Final = "patterns"
_OURS: Final = ("tape_version", REDACTED)


def taken_out(header: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """What a tape says was taken out of it: CREDENTIALS, or PATTERNS as well; nothing where it is whole."""
    said = header.get(REDACTED)
    return tuple(kind for kind in (CREDENTIALS, PATTERNS) if isinstance(said, list) and kind in said)


class TapeRedactor:
    """Redacts the exchanges of a tape in their order; `counts` says what was taken out so far."""

    def __init__(self, rules: Rules) -> None:
        self._redactor = Redactor(rules)
        self._values = ValueRedactor(self._redactor)
        self._known: set[str] = set()
        self.unstreamed = 0
        """How many streams had to be written as the answer that they spell."""

    @property
    def counts(self) -> Counts:
        """What was taken out."""
        return self._redactor.counts

    def header(self, header: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """What a tape says about itself, and that it is redacted."""
        said = {name: value for name, value in header.items() if name not in _OURS}
        kept = {name: value for name, value in header.items() if name in _OURS}
        found = {*taken_out(header), CREDENTIALS, *([PATTERNS] if self._redactor.rules.patterns else [])}
        return {**kept, **self._members(said), REDACTED: [*sorted(found)]}

    def exchange(self, exchange: Exchange) -> Exchange:
        """The exchange without what is to go; itself where there is nothing.

        Raises OptionError where a pattern would change which result answers which call.
        """
        self._protect(exchange)
        request = self._request(exchange.request, exchange.number)
        response = None if exchange.response is None else self._response(exchange.response, exchange.request)
        idx = exchange.idx
        if isinstance(idx, str):
            idx = self._redactor.text(idx)
        extra = self._members(exchange.extra)
        return replace(exchange, request=request, response=response, idx=idx, extra=extra)

    def _protect(self, exchange: Exchange) -> None:
        """Learn the IDs of an exchange: those that can be told from words stay wherever they stand."""
        spelled = None if exchange.response is None else response_json(exchange.response)
        given_out = sites(None if spelled is None else spelled.body, response=True)
        self._known |= {
            site.value for site in given_out if site.id_class is IdClass.ITEM and tells(site.value)
        }
        self._redactor.protect(lambda: link((*_sites(exchange.request.body), *given_out)).telling)

    def _request(self, request: Request, number: int) -> Request:
        value = json_of(request.body)
        if isinstance(value, Absent):
            body = self._opaque(request.body)
        else:
            made = self._values.value(value, repeats=True)
            if made is not value and _uses(made) != _uses(value):
                raise OptionError(f"a pattern would change which result answers which call, in #{number}")
            body = _with_value(request.body, value, made)
        return replace(
            request,
            path=self._path(request.path),
            headers=self._headers(request.headers),
            body=body,
            extra=self._members(request.extra),
        )

    def _response(self, response: Response, request: Request) -> Response:
        value = json_of(response.body)
        if isinstance(value, Absent):
            body = self._stream(response, request)
        else:
            made = self._response_value(value)
            body = _with_value(response.body, value, made)
        return replace(
            response,
            headers=self._headers(response.headers),
            body=body,
            extra=self._members(response.extra),
        )

    def _response_value(self, value: JsonValue) -> JsonValue:
        if not isinstance(value, list):
            return self._values.value(value, response=True)
        made = self._values.pieces(value)
        same = all(new is old for new, old in zip(made, value, strict=True))
        return value if same else made

    def _stream(self, response: Response, request: Request) -> Body:
        """A stream without what is to go; where that stood in no event, the answer that the events spell."""
        body = response.body
        if not isinstance(body.value, str):
            return self._opaque(body)
        made = redacted_stream(self._redactor, self._values, body.value)
        new = body if made == body.value else Body.text(made)
        asked = json_of(request.body)
        dialect = dialect_of(request.path, None if isinstance(asked, Absent) else asked)
        spelled = response_json(replace(response, body=new), dialect=dialect)
        if spelled is None:
            return new
        left = self._values.value(spelled.body, response=True)
        if left is spelled.body:
            return new
        self.unstreamed += 1
        return Body.json(left)

    def _opaque(self, body: Body) -> Body:
        """A body that is no JSON: text, or bytes, in which every byte is a letter."""
        if isinstance(body.value, bytes):
            text = body.value.decode("latin-1")
            made = self._redactor.text(text)
            return body if made == text else Body.bytes(made.encode("latin-1"))
        if body.kind is BodyKind.TEXT and isinstance(body.value, str):
            made = self._redactor.text(body.value)
            return body if made == body.value else Body.text(made)
        return body

    def _path(self, path: str) -> str:
        """A path: segments that are IDs of the tape stay."""
        base, mark, query = self._redactor.text(path, find=secrets_in_path).partition("?")
        old = path.partition("?")[0].split("/")
        if not self._known.isdisjoint(old) and len(old) == len(base.split("/")):
            pairs = zip(old, base.split("/"), strict=True)
            base = "/".join(was if was in self._known else now for was, now in pairs)
        return base + mark + query

    def _headers(self, headers: Headers) -> Headers:
        return tuple(
            (name, self._redactor.text(value, find=lambda text, name=name: secrets_in_header(name, text)))  # type: ignore[misc]
            for name, value in headers
        )

    def _members(self, members: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        made = self._values.value(dict(members))
        return made if isinstance(made, dict) else {}


def _sites(body: Body) -> Iterable[Site]:
    value = json_of(body)
    return () if isinstance(value, Absent) else sites(value)


def _uses(value: JsonValue) -> list[tuple[str, str, str]]:
    """What a body uses as IDs, and for what."""
    return sorted((site.id_class, site.role, site.value) for site in sites(value))


def _with_value(body: Body, old: JsonValue, new: JsonValue) -> Body:
    """The body with another value; text that spells JSON stays text."""
    if new is old:
        return body
    if body.kind is BodyKind.TEXT:
        return Body.text(dumps(new).decode(errors="surrogatepass"))
    return Body.json(new)
