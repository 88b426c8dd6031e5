"""Find out what a source holds from its beginning, reading no more of it than that takes.

Lines are read as a stream and a JSON document whole, so the first question is which of the two a source is.
It has lines if its first line is a JSON value by itself and others follow; what cannot be told is tried.
Recordings of other tools come last, so that no tape is ever taken for one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import chain, islice
from typing import Final, TypeAlias

from amberfork_cli.core.tape import NOTHING, Exchange, JsonValue
from amberfork_cli.errors import CompressionError, JsonError, TapeError
from amberfork_cli.files import Source
from amberfork_cli.tapes.batch import BATCH, BATCH_LIST
from amberfork_cli.tapes.bodies import BODIES, BODY
from amberfork_cli.tapes.cassette import CASSETTE
from amberfork_cli.tapes.claude import CLAUDE
from amberfork_cli.tapes.codex import CODEX
from amberfork_cli.tapes.foreign import Unread, foreign_text, foreign_value
from amberfork_cli.tapes.formats import DocumentFormat, ForeignFormat, LineFormat, Recording, TapeFormat
from amberfork_cli.tapes.har import HAR
from amberfork_cli.tapes.httprr import HTTPRR
from amberfork_cli.tapes.jsonl import JSONL, PRETTY_EXCHANGE
from amberfork_cli.tapes.litellm import LITELLM
from amberfork_cli.tapes.mitm import MITM
from amberfork_cli.tapes.nock import NOCK
from amberfork_cli.tapes.otlp import OTLP
from amberfork_cli.tapes.reading import Reading, ShapeError
from amberfork_cli.tapes.vcr import VCR

FOREIGN: Final[tuple[ForeignFormat, ...]] = (
    VCR,
    HAR,
    HTTPRR,
    NOCK,
    MITM,
    BATCH_LIST,
    CLAUDE,
    CODEX,
    OTLP,
    LITELLM,
)
LINES: Final[tuple[LineFormat, ...]] = (BATCH, JSONL, BODIES)
FORMATS: Final[tuple[TapeFormat, ...]] = (JSONL, BODIES, PRETTY_EXCHANGE, CASSETTE, BODY, BATCH, *FOREIGN)
BOM: Final = b"\xef\xbb\xbf"
BEGINNING: Final = 4096  # bytes; the head of any recording is shorter
PIECE: Final = 1 << 20
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

    def read(self, reading: Reading) -> Iterator[Exchange]:
        """What it holds; raises TapeError."""
        try:
            yield from self.format.exchanges(self.value, reading)
        except ShapeError as error:
            raise reading.trouble(error) from error


@dataclass(frozen=True, slots=True)
class Foreign:
    """A recording of another tool, read as its format has it."""

    format: ForeignFormat
    recording: Recording

    @property
    def header(self) -> Mapping[str, JsonValue]:
        """Nothing: what another tool says about its recording is no tape's header."""
        return NOTHING

    def read(self, reading: Reading) -> Iterator[Exchange] | Sequence[Exchange]:
        """What it holds, one by one, or all of it; raises TapeError that names the format."""
        with self._trouble(reading):
            exchanges = self.format.exchanges(self.recording, reading)
        return exchanges if isinstance(exchanges, Sequence) else self._watched(exchanges, reading)

    def _watched(self, exchanges: Iterator[Exchange], reading: Reading) -> Iterator[Exchange]:
        with self._trouble(reading):
            yield from exchanges

    @contextmanager
    def _trouble(self, reading: Reading) -> Iterator[None]:
        try:
            yield
        except (JsonError, ShapeError) as error:
            problem = f"not {self.format.called}: {error.problem}"
            found = reading.trouble(error, line=self.recording.begins)
            raise TapeError(
                problem, source=found.source, line=found.line, column=found.column, path=found.path
            ) from error
        except CompressionError as error:
            raise TapeError(str(error), source=reading.source) from error


Held: TypeAlias = Lines | Document | Foreign


def examine(source: Source, reading: Reading, *, chosen: TapeFormat | None = None) -> Held:
    """What a source holds, in the format that was chosen or that fits; raises TapeError, CompressionError."""
    ahead = _Ahead(source)
    try:
        if isinstance(chosen, DocumentFormat):
            return _document(chosen, reading.document(ahead.everything()))
        if isinstance(chosen, LineFormat):
            return _lines(chosen, _value(ahead.line(), reading), ahead, reading)
        if chosen is not None:
            return _foreign(chosen, ahead.line() or b"", ahead, reading)
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

    def beginning(self) -> bytes:
        """What the source begins with, as far as that is at hand; no line is taken for it."""
        with self._source.trouble():
            return self._source.stream.peek(1)[:BEGINNING]

    def pieces(self) -> Iterator[bytes]:
        """The source from its first line that is not blank, in pieces that need not end with a line."""
        yield from self._taken_up()
        with self._source.trouble():
            while piece := self._source.stream.read1(PIECE):
                yield piece

    def goes_on(self) -> bool:
        """Whether another line that is not blank follows, which is seldom read for that."""
        return self._source.goes_on() or self.line() is not None

    def skip_line(self) -> None:
        """Leave the first line aside."""
        self.bytes_before += len(self._taken.popleft())

    def replay(self) -> Iterator[bytes]:
        """Every line from the first that is not blank; none is held when it has been given."""
        return chain(self._taken_up(), self._lines)

    def _taken_up(self) -> Iterator[bytes]:
        while self._taken:
            yield self._taken.popleft()


def _sniffed(ahead: _Ahead, reading: Reading) -> Held:
    beginning = ahead.beginning()
    foreign = _begun((beginning,))
    if foreign is not None:
        return _foreign(foreign, beginning, ahead, reading)
    first = ahead.line()
    if first is None:
        return _lines(JSONL, None, ahead, reading)
    try:
        value = reading.loads(first)
    except JsonError:
        return _sniffed_text(first, ahead, reading)
    if not (JSONL.fits(value) or BATCH.fits(value) or ahead.goes_on()):
        return _sniffed_document(value, reading)
    return _sniffed_lines(value, first, ahead, reading)


def _sniffed_lines(value: JsonValue, first: bytes, ahead: _Ahead, reading: Reading) -> Held:
    """What the value of the first of several lines shows a source to be."""
    if not (JSONL.fits(value) or BATCH.fits(value) or _is_body(value)):
        for foreign in FOREIGN:
            if foreign.fits(value):
                return _foreign(foreign, first, ahead, reading)
        _refuse(foreign_value(value), reading)
    return _lines(_line_format(value), value, ahead, reading)


def _sniffed_document(value: JsonValue, reading: Reading) -> Held:
    """What its value shows a document to be."""
    reading.release()
    for fitting in (PRETTY_EXCHANGE, CASSETTE):
        if fitting.fits(value):
            return _document(fitting, value)
    if not _is_body(value):
        for foreign in FOREIGN:
            if foreign.fits(value):
                return Foreign(foreign, Recording.of_value(value))
        _refuse(foreign_value(value), reading)
    return _document(BODY, value)


def _sniffed_text(first: bytes, ahead: _Ahead, reading: Reading) -> Held:
    """What a source holds whose first line is no JSON value: one document, or lines of which one is bad."""
    others = list(islice(iter(ahead.line, None), AHEAD - 1))
    foreign = _begun((first, *others))
    if foreign is not None:
        return _foreign(foreign, first, ahead, reading)
    _refuse(foreign_text((first, *others)), reading)
    good = next((value for line in others if _fits_lines(value := _value(line, reading))), None)
    if first.lstrip().startswith((b"{", b"[")) and (good is None or _goes_on(first)):
        try:
            return _sniffed_document(reading.document(ahead.everything()), reading)
        except JsonError:
            if good is None and not (others and reading.lenient):
                raise
    return _lines(_line_format(good), None, ahead, reading)


def _is_body(value: JsonValue) -> bool:
    """Whether a value is the body of a request, and not a record that has the same members and more."""
    return BODIES.fits(value) and not LITELLM.fits(value) and foreign_value(value) is None


def _begun(lines: Iterable[bytes]) -> ForeignFormat | None:
    """The format that the text of the first lines shows."""
    text = b"".join(lines)
    return next((foreign for foreign in FOREIGN if foreign.begins.match(text)), None)


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
    return any(lines.fits(value) for lines in LINES)


def _line_format(value: JsonValue) -> LineFormat:
    return next((lines for lines in LINES if lines.fits(value)), JSONL)


def _refuse(unread: Unread | None, reading: Reading) -> None:
    if unread is not None:
        raise TapeError(f"this looks like {unread}", source=reading.source)


def _lines(format: LineFormat, first: JsonValue, ahead: _Ahead, reading: Reading) -> Lines:
    header = format.header(first)
    if header:
        ahead.skip_line()
    reading.forget()
    before = ahead.blank_lines + bool(header)
    return Lines(format, header, ahead.replay(), before, ahead.bytes_before)


def _document(format: DocumentFormat, value: JsonValue) -> Document:
    return Document(format, format.header(value), value)


def _foreign(format: ForeignFormat, first: bytes, ahead: _Ahead, reading: Reading) -> Foreign:
    """A recording that is still to be read."""
    reading.forget()
    is_json = first.lstrip().startswith((b"{", b"["))
    recording = Recording(ahead.replay(), ahead.pieces(), begins=ahead.blank_lines + 1, is_json=is_json)
    return Foreign(format, recording)
