"""The native tape: JSON Lines, one exchange a line, as docs/tape-format.md describes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from amberfork_cli.core.jsontext import dumps_line
from amberfork_cli.core.tape import NOTHING, Exchange, JsonValue, Place, TapeForm
from amberfork_cli.tapes.exchanges import exchange_from, exchange_value
from amberfork_cli.tapes.formats import DocumentFormat, LineFormat
from amberfork_cli.tapes.reading import Reading, ShapeError

VERSION: Final = "1"


def tape_lines(
    exchanges: Iterable[Exchange], header: Mapping[str, JsonValue], *, finite: bool = False
) -> Iterator[bytes]:
    """The lines of a tape, its header first if that says anything; `finite` is as for `exchange_line`."""
    if header:
        yield header_line(header)
    for exchange in exchanges:
        yield exchange_line(exchange, finite=finite)


def exchange_line(exchange: Exchange, *, finite: bool = False) -> bytes:
    """The line of a tape, LF included, that reads as an equal exchange.

    `finite` is the caller's word that every number in it is, as where it was read from JSON.
    """
    return dumps_line(exchange_value(exchange), finite=finite)


def header_line(header: Mapping[str, JsonValue]) -> bytes:
    """The first line of a tape, LF included, that says this about it."""
    return dumps_line({"tape_version": VERSION, **header})


def _fits(value: JsonValue) -> bool:
    return _is_exchange(value) or _is_header(value)


def _is_exchange(value: JsonValue) -> bool:
    return isinstance(value, dict) and "request" in value


def _is_header(value: JsonValue) -> bool:
    return isinstance(value, dict) and "tape_version" in value and "request" not in value


def _header(value: JsonValue) -> Mapping[str, JsonValue]:
    if not isinstance(value, dict) or not _is_header(value):
        return NOTHING
    if value["tape_version"] != VERSION:
        raise ShapeError(f'unsupported tape version: amberfork reads "{VERSION}"', "/tape_version")
    return value


def _exchange(value: JsonValue, number: int, place: Place | None, reading: Reading) -> Exchange:
    if _is_header(value):
        raise ShapeError("not an exchange: the header of a tape, which must be its first line")
    return exchange_from(value, number, place, reading)


def _only_exchange(value: JsonValue, reading: Reading) -> Iterator[Exchange]:
    yield exchange_from(value, 0, None, reading)


JSONL: Final = LineFormat("jsonl", TapeForm.TAPE, _fits, _exchange, _header)
PRETTY_EXCHANGE: Final = DocumentFormat("exchange", TapeForm.TAPE, _is_exchange, _only_exchange)
