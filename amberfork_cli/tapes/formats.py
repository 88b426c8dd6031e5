"""What a file format has to say about itself to be read as a tape."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from amberfork_cli.core.tape import NOTHING, Exchange, JsonValue, Place, TapeForm
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
    """What a recording of another tool holds: one JSON document, or text to be read line by line.

    It is read once, in one of the two ways. `begins` is the number of its first line in the file.
    """

    def __init__(
        self, lines: Iterator[bytes], document: Callable[[], JsonValue], *, begins: int, first: bytes
    ) -> None:
        self.lines, self.document, self.begins = lines, document, begins
        self._first = first.lstrip()

    @property
    def is_json(self) -> bool:
        """Whether it begins as a JSON document does."""
        return self._first.startswith((b"{", b"["))


@dataclass(frozen=True, slots=True)
class ForeignFormat:
    """A file that another tool wrote, whose exchanges are made of what it holds.

    It is known by the value of one of its first lines, or of the document that it is, which `fits` sees; or
    by the text of its first lines, if that begins as `begins` says. `called` is what people call it.
    `exchanges` gives its exchanges, numbered from 0, and raises ShapeError, JsonError or TapeError.
    """

    name: str
    called: str
    exchanges: Callable[[Recording, Reading], Iterator[Exchange]]
    fits: Callable[[JsonValue], bool] = _nothing_fits
    begins: re.Pattern[bytes] = NEVER
    form: TapeForm = TapeForm.TAPE


TapeFormat: TypeAlias = LineFormat | DocumentFormat | ForeignFormat
