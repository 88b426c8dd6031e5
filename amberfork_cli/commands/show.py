"""`amberfork show`: what is on a tape, as a table, or exchange by exchange as a conversation."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.commands.options import SHOWN, InputFormat, Lenient, NoColor
from amberfork_cli.errors import OptionError

if TYPE_CHECKING:
    from amberfork_cli.core.tape import Tape


class Form(StrEnum):
    """How a tape is shown."""

    TEXT = "text"
    JSON = "json"


def show(
    tape: Annotated[Path, typer.Argument(metavar="TAPE", help="The tape to look at; - for stdin.")],
    numbers: Annotated[
        list[int] | None,
        typer.Argument(
            metavar="[N]...", help="Show these exchanges as conversations, in place of the table."
        ),
    ] = None,
    *,
    format: Annotated[
        Form,
        typer.Option(
            "--format",
            "-f",
            metavar="|".join(Form),
            help="As text, or as JSON: one document for the table, a line for each exchange.",
            rich_help_panel=SHOWN,
        ),
    ] = Form.TEXT,
    raw: Annotated[
        bool,
        typer.Option(
            "--raw", help="Write the exchanges as lines of a tape, nothing left out.", rich_help_panel=SHOWN
        ),
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Fold nothing: whole texts and values.", rich_help_panel=SHOWN)
    ] = False,
    no_color: NoColor = False,
    lenient: Lenient = False,
    input_format: InputFormat = None,
) -> ExitCode:
    """Show what is on a tape: a line an exchange, or some exchanges as conversations.

    The table says what each request adds, which tools the answer calls, and which exchange it continues.
    """
    from amberfork_cli.commands import showing
    from amberfork_cli.tapes import open_tape

    if raw and format is not Form.TEXT:
        raise OptionError("--raw and --format exclude each other")
    if no_color:
        showing.forbid_colour()
    again = bool(numbers)  # exchanges that are named are looked at a second time
    with open_tape(
        tape, input_format=input_format, lenient=lenient, one_pass=not again, notice=showing.tell
    ) as opened:
        if raw:
            _write_raw(opened, numbers or ())
        elif numbers:
            _show_exchanges(opened, numbers, format, full=full)
        else:
            _show_table(opened, format)
    return ExitCode.SAME


def _show_table(tape: Tape, form: Form) -> None:
    from amberfork_cli.commands.progress import watched
    from amberfork_cli.commands.showing import output, stdout
    from amberfork_cli.core.overview import overview
    from amberfork_cli.core.tape import at_least_one

    rows = overview(at_least_one(watched(tape)))
    if form is Form.JSON:
        from amberfork_cli.render.exchange_json import table

        with output(None) as stream:
            stream.write(table(tape.source, rows))
    else:
        from amberfork_cli.render import terminal
        from amberfork_cli.render.overview_text import lay_out

        stream_ = stdout()
        width, plain = terminal.columns(stream_), terminal.needs_ascii(stream_)
        lines = lay_out(tape.source, rows, width=width, ascii=plain)
        terminal.show(lines, stream_, closing=lines[:1])


def _show_exchanges(tape: Tape, numbers: list[int], form: Form, *, full: bool) -> None:
    from amberfork_cli.commands.progress import watched
    from amberfork_cli.commands.showing import output, stdout
    from amberfork_cli.core.transcript import transcripts

    found = transcripts(watched(tape), numbers)
    if form is Form.JSON:
        from amberfork_cli.render.exchange_json import conversations

        with output(None) as stream:
            stream.writelines(conversations(tape.source, found))
    else:
        from amberfork_cli.render import terminal
        from amberfork_cli.render.transcript_text import lay_out

        stream_ = stdout()
        width, plain = terminal.columns(stream_), terminal.needs_ascii(stream_)
        blocks = [lay_out(each, width=width, full=full, ascii=plain) for each in found]
        lines = [line for block in blocks for line in ((), *block)]
        terminal.show(lines[1:], stream_)


def _write_raw(tape: Tape, numbers: list[int] | tuple[()]) -> None:
    from amberfork_cli.commands.showing import output
    from amberfork_cli.core.tape import at_least_one
    from amberfork_cli.core.transcript import chosen
    from amberfork_cli.tapes import exchange_line

    exchanges = chosen(tape, numbers) if numbers else at_least_one(tape)
    with output(None) as stream:
        for exchange in exchanges:
            stream.write(exchange_line(exchange))
