"""What a file format has to say about itself to be read as a tape."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self, TypeAlias

from amberfork_cli.core.tape import NOTHING, Exchange, JsonValue, Place, TapeForm
from amberfork_cli.errors import JsonError
from amberfork_cli.tapes.jsonitems import JsonItem, JsonItems, Names, items_of_value
from amberfork_cli.tapes.reading import Reading

NEVER: Final = re.compile(rb"(?!)")
"""The beginning of no text."""


def _no_header(_: JsonValue | bytes) -> Mapping[str, JsonValue]:
    return NOTHING


def _nothing_fits(_: JsonValue) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class LineFormat:
    """A file with one exchange a line, read as a stream.

    `fits` sees the value of the first line. `exchange` makes an exchange of a line's value, with the number
    and place that it is given, or raises ShapeError. `header` gives what the first line says about the tape;
    it is empty where that line is an exchange.
    """

    name: str
    form: TapeForm
    fits: Callable[[JsonValue], bool]
    exchange: Callable[[JsonValue, int, Place | None, Reading], Exchange]
    header: Callable[[JsonValue], Mapping[str, JsonValue]] = _no_header


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """A file that is one JSON document, read whole.

    `fits` sees its value. `exchanges` gives what it holds, numbered from 0, and may take the value apart;
    `header` what it says about itself. Both raise ShapeError.
    """

    name: str
    form: TapeForm
    fits: Callable[[JsonValue], bool]
    exchanges: Callable[[JsonValue, Reading], Iterator[Exchange]]
    header: Callable[[JsonValue], Mapping[str, JsonValue]] = _no_header


class Recording:
    """What a recording of another tool holds: a JSON document, or text that is read line by line.

    It is read once: the `lines` of it, or the items of a list in the document. `begins` is the number of its
    first line in the file.
    """

    def __init__(
        self, lines: Iterator[bytes], pieces: Iterator[bytes], *, begins: int, is_json: bool
    ) -> None:
        self.lines, self.begins, self.is_json = lines, begins, is_json
        self._pieces = pieces
        self._documents: list[JsonValue] = []

    @classmethod
    def of_value(cls, value: JsonValue) -> Self:
        """A JSON document that has been read; it is let go of, item by item."""
        recording = cls(iter(()), iter(()), begins=1, is_json=True)
        recording._documents.append(value)
        return recording

    def values(self, reading: Reading) -> Iterator[tuple[int, JsonValue]]:
        """The value of each line, and the number of the line; what is no JSON is passed over or trouble."""
        if self._documents:
            yield self.begins, self._documents.pop()
            return
        for line, raw in enumerate(self.lines, self.begins):
            if raw.isspace():
                continue
            try:
                value = reading.document(raw)
            except JsonError as error:
                if line == self.begins and self.is_json and raw.rstrip().endswith((b"{", b"[", b",")):
                    yield line, reading.document(b"".join((raw, *self.lines)))  # a document of many lines
                    return
                told = JsonError(
                    f"not JSON: {error.problem}", line=error.line, column=error.column, path=error.path
                )
                reading.pass_over(told, line, torn=line > self.begins and not raw.endswith(b"\n"))
                continue
            yield line, value

    def items(self, reading: Reading, *paths: Names) -> Iterator[JsonItem]:
        """The items of the first list in the document that one of the paths leads to, through objects.

        Raises JsonError, and ShapeError where there is no such list.
        """
        if self._documents:
            yield from items_of_value(self._documents.pop(), paths, line=self.begins)
            return
        items = JsonItems(self._pieces, reading, paths=paths, begins=self.begins)
        yield from items
        if not items.found:
            yield from items_of_value(items.around, paths, line=self.begins)


@dataclass(frozen=True, slots=True)
class ForeignFormat:
    """A file that another tool wrote, whose exchanges are made of what it holds.

    It is known by its text, if that begins as `begins` says; or by the value of its first line, or of the
    document that it is, which `fits` sees. `called` is what people call it.
    `exchanges` gives its exchanges, numbered from 0, and raises ShapeError, JsonError or TapeError. A
    sequence of them is looked at as it is, in memory; what is given one by one is copied.
    """

    name: str
    called: str
    exchanges: Callable[[Recording, Reading], Iterator[Exchange] | Sequence[Exchange]]
    fits: Callable[[JsonValue], bool] = _nothing_fits
    begins: re.Pattern[bytes] = NEVER
    form: TapeForm = TapeForm.TAPE


TapeFormat: TypeAlias = LineFormat | DocumentFormat | ForeignFormat
