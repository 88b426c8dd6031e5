"""A tape that is read as it is iterated over, and looked at again where that is wanted."""

from __future__ import annotations

from array import array
from collections.abc import Generator, Iterator, Mapping

from amberfork_cli.core.tape import Exchange, JsonValue, Place, Tape, TapeForm
from amberfork_cli.errors import AmberforkError, CompressionError, JsonError, TapeError
from amberfork_cli.files import Source, Spool
from amberfork_cli.tapes.jsonl import JSONL, exchange_line
from amberfork_cli.tapes.reading import Reading, ShapeError
from amberfork_cli.tapes.sniffing import Lines


class StreamedTape(Tape):
    """A tape whose source is read once, however often it is iterated over.

    Every iteration begins at the first exchange: what has been read before is looked up again, and the rest
    is read as it is asked for. With `one_pass` nothing is kept for a second look.
    """

    def __init__(
        self,
        source: Source,
        held: Lines | Iterator[Exchange],
        reading: Reading,
        *,
        one_pass: bool,
        form: TapeForm,
        header: Mapping[str, JsonValue],
    ) -> None:
        self.source, self.size, self.left_out = source.name, source.size, reading.left_out
        self.form, self.header = form, header
        self._opened, self._reading = source, reading
        self._again = Reading(source.name, lenient=reading.lenient)
        self._spool: Spool | None = None
        self._index = _Index()
        self._failure: AmberforkError | None = None
        if isinstance(held, Lines):
            if not source.plain and not one_pass:
                self._spool = Spool(source.name, begin=held.bytes_before)
            self._incoming, self._format = self._lines(held), held.format
        else:
            if not one_pass:
                self._spool = Spool(source.name)
            self._incoming, self._format = self._copied(held), JSONL
        self._kept = None if one_pass else self._spool or source
        self._placed = isinstance(held, Lines)

    def __iter__(self) -> Iterator[Exchange]:
        number = 0
        while exchange := self.reread(number) if number < len(self._index) else self._next():
            yield exchange
            del exchange  # or it would be held while the next one is read
            number += 1

    def reread(self, number: int) -> Exchange:
        """The exchange of that number once more; raises IndexError, and TapeError if the file has changed."""
        if self._kept is None:
            raise TapeError("this tape is closed, or was opened for one pass", source=self.source)
        if not 0 <= number < len(self._index):
            raise IndexError(number)
        place, again = self._index[number], self._again
        try:
            value = again.loads(self._kept.again(place.offset, place.length))
            return self._format.exchange(value, number, place if self._placed else None, again)
        except (JsonError, ShapeError) as error:
            raise TapeError(
                "this line has changed since it was read", source=self.source, line=place.line
            ) from error

    def close(self) -> None:
        """Close what was opened; the tape gives nothing more."""
        self._kept = None
        self._failure = TapeError("this tape is closed", source=self.source)
        self._incoming.close()
        self._opened.close()
        if self._spool is not None:
            self._spool.close()

    def _next(self) -> Exchange | None:
        """The next exchange of the source; raises again what has ended the reading of it."""
        if self._failure is not None:
            raise self._failure
        try:
            return next(self._incoming, None)
        except AmberforkError as error:
            self._failure = error
            raise

    def _lines(self, held: Lines) -> Generator[Exchange, None, None]:
        reading, exchange_of = self._reading, held.format.exchange
        line, end = held.lines_before, held.bytes_before
        try:
            for raw in self._spool.copying(held.rest) if self._spool else held.rest:
                line, start, end = line + 1, end, end + len(raw)
                if raw.isspace():
                    continue
                try:
                    place = Place(line, start, len(raw))
                    exchange = exchange_of(reading.loads(raw), len(self._index), place, reading)
                except (JsonError, ShapeError) as error:
                    reading.pass_over(error, line, torn=self._is_torn(raw, error))
                    continue
                self._index.append(place)
                del raw
                yield exchange
                del exchange
        except CompressionError as error:
            reading.break_off(error, line + 1)
        reading.tell_left_out()

    def _is_torn(self, raw: bytes, error: JsonError | ShapeError) -> bool:
        """Whether a line is where a recorder was killed: the last one, begun and not ended, after others."""
        after_others = self._index or self.header or self.left_out.bad_lines
        return bool(after_others) and isinstance(error, JsonError) and not raw.endswith(b"\n")

    def _copied(self, exchanges: Iterator[Exchange]) -> Generator[Exchange, None, None]:
        for exchange in exchanges:
            if self._spool is not None:
                line = exchange_line(exchange)
                self._index.append(Place(1, self._spool.append(line), len(line)))
            yield exchange
            del exchange
        self._reading.tell_left_out()


class _Index:
    """Where the exchanges that have been read stand: 24 bytes each, in place of an object."""

    def __init__(self) -> None:
        self._numbers = array("Q")

    def __len__(self) -> int:
        return len(self._numbers) // 3

    def __getitem__(self, number: int) -> Place:
        return Place(*self._numbers[3 * number : 3 * number + 3])

    def append(self, place: Place) -> None:
        self._numbers.extend((place.line, place.offset, place.length))
