"""What a file format has to say about itself to be read as a tape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from amberfork_cli.core.tape import NOTHING, Exchange, JsonValue, Place, TapeForm
from amberfork_cli.tapes.reading import Reading


def _no_header(_: JsonValue | bytes) -> Mapping[str, JsonValue]:
    return NOTHING


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


TapeFormat: TypeAlias = LineFormat | DocumentFormat
