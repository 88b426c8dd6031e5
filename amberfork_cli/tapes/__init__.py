"""Every file format that reads as a tape, and the tape as it is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO

from amberfork_cli.core.tape import NOTHING, Exchange, ExchangeList, JsonValue, Tape, TapeForm
from amberfork_cli.errors import CompressionError, OptionError, OutputError, TapeError
from amberfork_cli.files import Notice, Readable, Source, Writable, atomic_output, open_source
from amberfork_cli.tapes.bodies import body_line, text_exchange
from amberfork_cli.tapes.formats import DocumentFormat, ForeignFormat, LineFormat, TapeFormat
from amberfork_cli.tapes.jsonl import exchange_line, header_line, tape_lines
from amberfork_cli.tapes.reading import Reading
from amberfork_cli.tapes.sessions import SessionTape
from amberfork_cli.tapes.sniffing import FORMATS, Lines, examine
from amberfork_cli.tapes.streamed import StreamedTape

__all__ = [
    "FORMATS",
    "DocumentFormat",
    "ForeignFormat",
    "LineFormat",
    "TapeFormat",
    "exchange_line",
    "header_line",
    "open_tape",
    "save_tape",
    "tape_lines",
]


def open_tape(
    source: Readable,
    *,
    input_format: str | None = None,
    lenient: bool = False,
    as_text: bool = False,
    one_pass: bool = False,
    notice: Notice | None = None,
) -> Tape:
    """Open a file, a stream of bytes, or stdin for `-`, as a tape; close it, or use it in a `with` block.

    `input_format` is the name of one of FORMATS, and found out where it is not given. `lenient` reads on past
    bad lines, NaN and duplicate keys, and counts them in `left_out`. `as_text` takes the whole source as the
    body of one request, whatever it is. `one_pass` saves the copy of pipes and compressed files that a second
    look needs. `notice` is told, in whole sentences, what a person should know meanwhile.

    Raises TapeError where there is no tape, and OptionError for an unknown format. A line that is no exchange
    is found when the iteration comes to it.
    """
    chosen = None if input_format is None else _format_named(input_format)
    opened = open_source(source, notice=notice)
    try:
        if as_text:
            return _text_tape(opened)
        reading = Reading(opened.name, lenient=lenient, notice=notice)
        held = examine(opened, reading, chosen=chosen)
        exchanges = held if isinstance(held, Lines) else held.read(reading)
        if isinstance(exchanges, Sequence):
            opened.close()
            reading.tell_left_out()
            return SessionTape(exchanges, reading, form=held.format.form)
        return StreamedTape(
            opened, exchanges, reading, one_pass=one_pass, form=held.format.form, header=held.header
        )
    except CompressionError as error:
        opened.close()
        raise TapeError(str(error), source=opened.name) from error
    except BaseException:
        opened.close()
        raise


def save_tape(
    tape: Tape | Iterable[Exchange],
    target: Writable | BinaryIO,
    *,
    form: TapeForm | None = None,
    header: Mapping[str, JsonValue] | None = None,
) -> None:
    """Write exchanges to a file, whole or not at all, or to a stream of bytes.

    The form BODIES gives lines of request bodies, any other a native tape. Form and header are those of the
    tape where they are not given. Raises OutputError; and TapeError where reading the exchanges does.
    """
    if isinstance(tape, Tape):
        form, header = form or tape.form, tape.header if header is None else header
    lines = _body_lines(tape) if form is TapeForm.BODIES else tape_lines(tape, header or NOTHING)
    if isinstance(target, (str, os.PathLike)):
        with atomic_output(target) as output:
            output.writelines(lines)
    else:
        target.writelines(lines)


def _format_named(name: str) -> TapeFormat:
    for known in FORMATS:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in FORMATS)
    raise OptionError(f'there is no input format "{name}": choose one of {names}')


def _text_tape(opened: Source) -> Tape:
    with opened:
        return ExchangeList([text_exchange(opened.rest())], source=opened.name, form=TapeForm.TEXT)


def _body_lines(exchanges: Iterable[Exchange]) -> Iterator[bytes]:
    for exchange in exchanges:
        line = body_line(exchange)
        if line is None:
            raise OutputError(f"#{exchange.number} has no JSON body, which bare bodies need", target="bodies")
        yield line
