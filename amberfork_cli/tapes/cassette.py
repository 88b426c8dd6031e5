"""amberfork's own `.cassette.json`: the exchanges of a tape in one JSON document, which is read whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from amberfork_cli.core.tape import Exchange, JsonValue, TapeForm
from amberfork_cli.tapes.exchanges import exchange_from
from amberfork_cli.tapes.formats import DocumentFormat
from amberfork_cli.tapes.reading import Reading, ShapeError

VERSION: Final = "0.1"


def _fits(value: JsonValue) -> bool:
    return isinstance(value, dict) and "cassette_version" in value


def _exchanges(value: JsonValue, reading: Reading) -> Iterator[Exchange]:
    """Each exchange, let go of by the cassette as it is given."""
    held = value.get("exchanges") if isinstance(value, dict) else None
    if not isinstance(held, list):
        raise ShapeError('not a cassette: no list of "exchanges"')
    number = 0
    held.reverse()
    for index in range(len(held)):
        try:
            exchange = exchange_from(held.pop(), number, None, reading)
        except ShapeError as error:
            reading.pass_over(ShapeError(error.problem, f"/exchanges/{index}{error.path}"), 1, torn=False)
            continue
        yield exchange
        del exchange
        number += 1


def _header(value: JsonValue) -> Mapping[str, JsonValue]:
    if not isinstance(value, dict) or value.get("cassette_version", VERSION) != VERSION:
        raise ShapeError(f'unsupported cassette version: amberfork reads "{VERSION}"', "/cassette_version")
    return {name: held for name, held in value.items() if name not in ("cassette_version", "exchanges")}


CASSETTE: Final = DocumentFormat("cassette", TapeForm.CASSETTE, _fits, _exchanges, _header)
