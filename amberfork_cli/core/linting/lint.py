"""What is wrong or risky on a tape: lines, JSON, calls and their results, IDs, arguments, credentials.

A request repeats its whole history, so only what it adds is looked at; what is found again all the same is
counted.
"""

from __future__ import annotations

from collections.abc import Hashable

from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.dialects.histories import NO_ELEMENTS
from amberfork_cli.core.dialects.recognition import Recogniser
from amberfork_cli.core.ids.id_rules import sites
from amberfork_cli.core.jsonreader import NonFinite
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.linting.call_lint import CallLinter
from amberfork_cli.core.linting.findings import Findings, LintReport, Place, Rule, Where
from amberfork_cli.core.linting.value_lint import DEEPEST, Flaw, ValueLinter
from amberfork_cli.core.overview import answer_of
from amberfork_cli.core.paths import Path
from amberfork_cli.core.redaction.secrets import (
    described,
    hidden,
    secrets_in,
    secrets_in_header,
    secrets_in_path,
)
from amberfork_cli.core.tape import Body, Exchange, Headers, JsonValue, Request, Response, Tape, at_least_one

_DIGITS = 20  # of a long integer that are told


def lint(tape: Tape) -> LintReport:
    """Everything that is wrong on a tape, which is to be opened leniently: then bad lines are found as well.

    Raises TapeError where there is no exchange at all, or reading cannot go on.
    """
    linter = _Linter(tape)
    for exchange in at_least_one(tape):
        linter.read(exchange)
        del exchange  # or it would be held while the next one is read
    return linter.report()


class _Linter:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._base: Path = () if tape.endpoints_unknown else ("request",)
        self._findings = Findings()
        self._recogniser = Recogniser()
        self._values = ValueLinter()
        self._calls = CallLinter(self._findings)
        self._exchanges = 0
        self._duplicates = 0
        self._duplicate_members(Place())  # a document is read before its first exchange is given

    def report(self) -> LintReport:
        """All that was found, once the tape has been read."""
        left_out = self._tape.left_out
        for line, problem in left_out.bad_lines:
            self._findings.add(Rule.BAD_LINE, hidden(problem), Place(line=line), about=line)
        if left_out.torn_end is not None:
            line, problem = left_out.torn_end
            self._findings.add(Rule.TORN_END, hidden(problem), Place(line=line), about=line)
        self._calls.finish()
        return LintReport(self._tape.source, self._exchanges, self._findings.sorted())

    def read(self, exchange: Exchange) -> None:
        """Take in the next exchange."""
        self._exchanges += 1
        line = exchange.place.line if exchange.place else None
        whole = Where(exchange.number, line, ())
        self._duplicate_members(whole.at())
        request, response = exchange.request, exchange.response
        body = json_of(request.body)
        value = None if isinstance(body, Absent) else body
        dialect = self._recogniser.recognise(request.path, value).dialect
        asked = whole.below(*self._base)
        body_at = asked if self._tape.endpoints_unknown else asked.below("body")
        self._of_envelope(request, asked)
        known = 0 if dialect is None else self._calls.read_request(exchange, value, dialect, body_at)
        self._of_request_body(request.body, value, dialect, body_at, known)
        answered = Where(exchange.number, line, ("response", "body"))
        if response is not None:
            self._of_envelope(response, whole.below("response"))
            answered = self._of_response_body(response, dialect, answered)
        self._calls.remember(exchange, body_at, answered)
        self._of_value(dict(exchange.extra), whole)

    def _of_envelope(self, message: Request | Response, where: Where) -> None:
        """What stands around a body: path, headers, members that amberfork does not know."""
        if isinstance(message, Request):
            for secret in secrets_in_path(message.path):
                words = f"{described(message.path, secret)} in the path"
                about = ("path", message.path[secret.start : secret.end])
                self._findings.add(Rule.SECRET, words, where.at(("path",)), about=about)
        self._of_headers(message.headers, where.below("headers"))
        self._of_value(dict(message.extra), where)

    def _of_headers(self, headers: Headers, where: Where) -> None:
        for number, (name, value) in enumerate(headers):
            for secret in secrets_in_header(name, value):
                words = f"{described(value, secret)} in the header {hidden(name)}"
                about = ("header", value[secret.start : secret.end])
                self._findings.add(Rule.SECRET, words, where.at((number, 1)), about=about)

    def _of_request_body(
        self, body: Body, value: JsonValue, dialect: Dialect | None, where: Where, known: int
    ) -> None:
        """A body; of the list that holds its history, what stands behind the messages that are known."""
        history = NO_ELEMENTS if dialect is None else dialect.elements(value)
        name = history.member
        if name is None or not known or not isinstance(value, dict):
            self._of_body(body, value, where)
            return
        self._of_value({key: held for key, held in value.items() if key != name}, where)
        for path, message in history[known:]:
            self._of_value(message, where.below(*path), within=path)

    def _of_response_body(self, response: Response, dialect: Dialect | None, where: Where) -> Where:
        """A body and what it says, which may be in a stream; gives back where the latter stands."""
        body = json_of(response.body)
        spelled, reply = answer_of(response, dialect)
        streamed = spelled is not None and spelled.body is not body
        self._of_body(response.body, None if isinstance(body, Absent) else body, where, response=True)
        read = Where(where.exchange, where.line, where.base, spelled=streamed)
        if spelled is not None and streamed:  # the pieces of a stream may divide a credential
            self._of_value(spelled.body, read, response=True)
            if not spelled.complete:
                words = "the stream stops before its end, or an event of it cannot be read"
                self._findings.add(Rule.CUT_STREAM, words, where.at(), about=where.exchange)
        if reply is not None:
            self._calls.read_reply(reply, dialect, read)
        return read

    def _of_body(self, body: Body, value: JsonValue, where: Where, *, response: bool = False) -> None:
        if isinstance(body.value, bytes):
            self._of_bytes(body.value, where)
        else:
            self._of_value(body.value if value is None else value, where, response=response)

    def _of_bytes(self, content: bytes, where: Where) -> None:
        """A body that is no text: an image, or compressed data that nothing could expand."""
        text = content.decode("latin-1")
        if text[:2] == "\x1f\x8b" or text[:4] == "\x28\xb5\x2f\xfd":
            self._findings.add(Rule.UNDECODED_BODY, "a compressed body", where.at(), about=where)
        for secret in secrets_in(text):
            about = ("body", text[secret.start : secret.end])
            self._findings.add(Rule.SECRET, described(text, secret), where.at(), about=about)

    def _of_value(self, value: JsonValue, where: Where, *, within: Path = (), response: bool = False) -> None:
        """What is wrong with a value; `within` is the path from its body to it. IDs are no credentials."""
        found: set[Path] | None = None
        for flaw in self._values.flaws(value):
            if flaw.secret is not None and found is None:
                found = {site.path for site in sites(value, at=within, response=response)}
            if flaw.secret is None or flaw.path not in (found or ()):
                rule, message, about = _told(flaw, where.at(flaw.path).pointer)
                self._findings.add(rule, message, where.at(flaw.path), about=about)

    def _duplicate_members(self, place: Place) -> None:
        """What reading has overridden since the last look."""
        count = self._tape.left_out.duplicate_keys - self._duplicates
        self._duplicates += count
        if count > 0:
            members = "1 member is" if count == 1 else f"{count} members are"
            message = f"{members} overridden by a later one of the same name"
            self._findings.add(Rule.DUPLICATE_MEMBER, message, place, about=place)


def _told(flaw: Flaw, pointer: str) -> tuple[Rule, str, Hashable]:
    """A flaw as a finding: its rule, its words, and what makes two of them one."""
    value, secret = flaw.value, flaw.secret
    if secret is not None and isinstance(value, str):
        return Rule.SECRET, described(value, secret), ("body", value[secret.start : secret.end])
    if flaw.too_deep:
        return Rule.DEEP_NESTING, f"a value nests more than {DEEPEST} levels", pointer
    if isinstance(value, NonFinite):
        return Rule.NON_FINITE, f"{dumps(value).decode()} is no number of JSON", pointer
    if isinstance(value, int):
        return Rule.UNSAFE_INTEGER, f"{_integer(value)} is beyond 2^53", value
    return (
        Rule.HALF_CHARACTER,
        "a text holds half of a surrogate pair",
        value if isinstance(value, str) else "",
    )


def _integer(value: int) -> str:
    digits = int(value.bit_length() * 0.30103) + 1
    return str(value) if digits <= _DIGITS else f"an integer of about {digits} digits"
