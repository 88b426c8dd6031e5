"""`amberfork convert`: recordings of other tools as tapes, and tapes as recordings of other tools."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.commands.options import SHOWN, InputFormat, Lenient


class To(StrEnum):
    """What recordings are written as."""

    TAPE = "tape"
    CASSETTE = "cassette"
    VCR = "vcr"
    HAR = "har"


def convert(
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="SRC...", help="Recordings of any kind, folders of them, or - for stdin."),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="One file of all, or a folder with a file of each; stdout without it.",
            rich_help_panel=SHOWN,
        ),
    ] = None,
    to: Annotated[
        To | None,
        typer.Option(
            metavar="|".join(To),
            help="What to write; without it, what the name of OUT tells: .har, .yaml or a tape.",
            rich_help_panel=SHOWN,
        ),
    ] = None,
    lenient: Lenient = False,
    input_format: InputFormat = None,
) -> ExitCode:
    """Write recordings as a tape, or a tape as a recording of another tool.

    Cassettes of VCR, archives of HTTP, session logs and more are read as they are. Several become one tape,
    in their order; results of a batch join their requests. What the target has no room for is told.
    """
    from amberfork_cli.commands.converting import converted, tasks
    from amberfork_cli.commands.showing import tell
    from amberfork_cli.core.tape import Tape
    from amberfork_cli.tapes import open_tape
    from amberfork_cli.tapes.batch_results import BatchResults
    from amberfork_cli.tapes.exporting import export_called, export_for

    def opened(source: Path) -> Tape:
        return open_tape(source, input_format=input_format, lenient=lenient, one_pass=True, notice=tell)

    export = export_called(to) if to is not None else export_for("" if output is None else output.name)
    for task in tasks(sources, output, suffix=export.suffix):
        with BatchResults(input_format=input_format, lenient=lenient, notice=tell) as results:
            converted(task, opened, export, results, sniffed=input_format is None)
    return ExitCode.SAME
