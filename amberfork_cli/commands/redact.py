"""`amberfork redact`: a tape without credentials, and without what the user names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Final

import typer

from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.commands.options import InputFormat, Lenient, Output

if TYPE_CHECKING:
    from amberfork_cli.core.redaction.redact import TapeRedactor
    from amberfork_cli.core.tape import Tape

TAKEN_OUT: Final = "What goes"


def redact(
    tape: Annotated[Path, typer.Argument(metavar="TAPE", help="The tape to redact; - for stdin.")],
    *,
    output: Output = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            "--pattern",
            metavar="REGEX",
            help="Take out what matches in any text as well, outside IDs. Repeatable.",
            rich_help_panel=TAKEN_OUT,
        ),
    ] = None,
    lenient: Lenient = False,
    input_format: InputFormat = None,
) -> ExitCode:
    """Write a tape with placeholders for credentials and for what --pattern matches.

    IDs stay, so that a redacted tape still compares: the placeholders are the same in every run.
    """
    from amberfork_cli.commands import showing
    from amberfork_cli.commands.progress import watched
    from amberfork_cli.core.redaction.redact import TapeRedactor
    from amberfork_cli.core.redaction.redacting import Rules
    from amberfork_cli.tapes import open_tape

    redactor = TapeRedactor(Rules.parse(pattern or ()))
    with (
        open_tape(
            tape, input_format=input_format, lenient=lenient, one_pass=True, notice=showing.tell
        ) as opened,
        showing.output(output) as stream,
    ):
        _write(watched(opened, shares_terminal=output is None), redactor, stream)
    _tell(opened.source, redactor)
    return ExitCode.SAME


def _write(tape: Tape, redactor: TapeRedactor, stream: BinaryIO) -> None:
    """Write a tape as a tape, and a body alone as JSON."""
    from amberfork_cli.core.jsontext import dumps
    from amberfork_cli.core.tape import TapeForm, at_least_one
    from amberfork_cli.tapes import save_tape

    made = (redactor.exchange(exchange) for exchange in at_least_one(tape))
    if tape.form is TapeForm.BODY:
        stream.writelines(dumps(exchange.request.body.value, indent=True) + b"\n" for exchange in made)
    else:
        save_tape(made, stream, form=tape.form, header=redactor.header(tape.header))


def _tell(source: str, redactor: TapeRedactor) -> None:
    """Say on stderr what was taken out, and what a reader should know of the rest."""
    from amberfork_cli.commands.showing import tell

    counts = redactor.counts
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.taken.items()))
    tell(f"{source}: {_places(counts.taken.total())} redacted{f': {kinds}' if kinds else ''}")
    if counts.in_ids:
        tell(f"{source}: {_places(counts.in_ids)} left alone, in IDs, which tell what answers what")
    if counts.in_names:
        tell(f"{source}: {_places(counts.in_names)} left alone, in the names of members")
    if redactor.unstreamed:
        answers = "1 stream is" if redactor.unstreamed == 1 else f"{redactor.unstreamed:,} streams are"
        tell(f"{source}: {answers} written as the answer that it spells, to take all out")


def _places(count: int) -> str:
    return f"{count:,} place" if count == 1 else f"{count:,} places"
