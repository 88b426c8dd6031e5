"""Find out what a source holds from its beginning, reading no more of it than that takes.

Lines are read as a stream and a JSON document whole, so the first question is which of the two a source is.
It has lines if its first line is a JSON value by itself and others follow; what cannot be told is tried.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from itertools import chain, islice
from typing import Final

from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import JsonError, TapeError
from amberfork_cli.files import Source
from amberfork_cli.tapes.bodies import BODIES, BODY
from amberfork_cli.tapes.cassette import CASSETTE
from amberfork_cli.tapes.foreign import foreign_text, foreign_value
from amberfork_cli.tapes.formats import DocumentFormat, LineFormat, TapeFormat
from amberfork_cli.tapes.jsonl import JSONL, PRETTY_EXCHANGE
from amberfork_cli.tapes.reading import Reading, ShapeError

FORMATS: Final[tuple[TapeFormat, ...]] = (JSONL, BODIES, PRETTY_EXCHANGE, CASSETTE, BODY)
BOM: Final = b"\xef\xbb\xbf"
AHEAD: Final = 8  # lines; enough for the head of a YAML file, and for some bad lines before a good one


@dataclass(frozen=True, slots=True)
class Lines:
    """A source with one exchange a line: the lines still to read, and how much stands before them."""

    format: LineFormat
    header: Mapping[str, JsonValue]
    rest: Iterator[bytes]
    lines_before: int
    bytes_before: int


@dataclass(frozen=True, slots=True)
class Document:
    """A source that is one JSON document, read whole."""

    format: DocumentFormat
    header: Mapping[str, JsonValue]
    value: JsonValue


def examine(source: Source, reading: Reading, *, chosen: TapeFormat | None = None) -> Lines | Document:
    """What a source holds, in the format that was chosen or that fits; raises TapeError, CompressionError."""
    ahead = _Ahead(source)
    try:
        if isinstance(chosen, DocumentFormat):
            return _document(chosen, reading.loads(ahead.everything()))
        if isinstance(chosen, LineFormat):
            return _lines(chosen, _value(ahead.line(), reading), ahead, reading)
        return _sniffed(ahead, reading)
    except (JsonError, ShapeError) as error:
        raise reading.trouble(error, line=ahead.blank_lines + 1) from error


class _Ahead:
    """The beginning of a source, read ahead and given again by `replay`.

    A byte order mark and blank lines before the first line are left aside, and counted.
    """

    def __init__(self, source: Source) -> None:
        self._source, self._lines = source, source.lines()
        self._taken: deque[bytes] = deque()
        self.blank_lines = self.bytes_before = 0

    def line(self) -> bytes | None:
        """The next line that is not blank, if there is one."""
        for raw in self._lines:
            line = self._without_mark(raw)
            if line and not line.isspace():
                self._taken.append(line)
                return line
            if self._taken:
                self._taken.append(line)
            else:
                self.blank_lines += 1
                self.bytes_before += len(line)
        return None

    def _without_mark(self, raw: bytes) -> bytes:
        if self.bytes_before or self._taken or not raw.startswith(BOM):
            return raw
        self.bytes_before = len(BOM)
        return raw[len(BOM) :]

    def everything(self) -> bytes:
        """The whole source, from its first line that is not blank, which `replay` gives again as well."""
        if not self._taken:
            self.line()
        whole = b"".join((*self._taken, self._source.rest()))
        self._taken, self._lines = deque(), iter(BytesIO(whole))
        return whole

    def goes_on(self) -> bool:
        """Whether another line that is not blank follows, which is seldom read for that."""
        return self._source.goes_on() or self.line() is not None

    def skip_line(self) -> None:
        """Leave the first line aside."""
        self.bytes_before += len(self._taken.popleft())

    def replay(self) -> Iterator[bytes]:
        """Every line from the first that is not blank; none is held when it has been given."""
        return chain(self._given_up(), self._lines)

    def _given_up(self) -> Iterator[bytes]:
        while self._taken:
            yield self._taken.popleft()


def _sniffed(ahead: _Ahead, reading: Reading) -> Lines | Document:
    first = ahead.line()
    if first is None:
        return _lines(JSONL, None, ahead, reading)
    try:
        value = reading.loads(first)
    except JsonError:
        return _sniffed_text(first, ahead, reading)
    if not JSONL.fits(value) and not ahead.goes_on():
        return _document(_document_format(value, reading), value)
    return _lines(_line_format(value, reading), value, ahead, reading)


def _sniffed_text(first: bytes, ahead: _Ahead, reading: Reading) -> Lines | Document:
    """What a source holds whose first line is no JSON value: one document, or lines of which one is bad."""
    others = list(islice(iter(ahead.line, None), AHEAD - 1))
    _refuse(foreign_text((first, *others)), reading)
    good = next((value for line in others if _fits_lines(value := _value(line, reading))), None)
    if first.lstrip().startswith((b"{", b"[")) and (good is None or _goes_on(first)):
        try:
            value = reading.loads(ahead.everything())
            return _document(_document_format(value, reading), value)
        except JsonError:
            if good is None and not (others and reading.lenient):
                raise
    return _lines(_line_format(good, reading), None, ahead, reading)


def _goes_on(line: bytes) -> bool:
    """Whether a line ends where a document of many lines is broken."""
    return line.rstrip().endswith((b"{", b"[", b",", b":"))


def _value(line: bytes | None, reading: Reading) -> JsonValue:
    """The value of a line; `None`, which no line of a tape is, if it has none."""
    try:
        return None if line is None else reading.loads(line)
    except JsonError:
        return None


def _fits_lines(value: JsonValue) -> bool:
    return JSONL.fits(value) or BODIES.fits(value)


def _line_format(value: JsonValue, reading: Reading) -> LineFormat:
    if BODIES.fits(value) and not JSONL.fits(value):
        return BODIES
    if not JSONL.fits(value):
        _refuse(foreign_value(value), reading)
    return JSONL


def _document_format(value: JsonValue, reading: Reading) -> DocumentFormat:
    for fitting in (PRETTY_EXCHANGE, CASSETTE):
        if fitting.fits(value):
            return fitting
    if not BODIES.fits(value):
        _refuse(foreign_value(value), reading)
    return BODY


def _refuse(name: str | None, reading: Reading) -> None:
    if name is not None:
        raise TapeError(f"this looks like {name}: amberfork cannot read it yet", source=reading.source)


def _lines(format: LineFormat, first: JsonValue, ahead: _Ahead, reading: Reading) -> Lines:
    header = format.header(first)
    if header:
        ahead.skip_line()
    reading.forget()
    before = ahead.blank_lines + bool(header)
    return Lines(format, header, ahead.replay(), before, ahead.bytes_before)


def _document(format: DocumentFormat, value: JsonValue) -> Document:
    return Document(format, format.header(value), value)
