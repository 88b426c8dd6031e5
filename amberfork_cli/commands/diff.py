"""`amberfork diff`: a re-issued run beside the recorded one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.commands.options import (
    COMPARED,
    SHOWN,
    Ids,
    Ignore,
    InputFormat,
    Lenient,
    NoColor,
    Presets,
    Replace,
    pairs,
)
from amberfork_cli.commands.reporting import Format
from amberfork_cli.errors import OptionError

if TYPE_CHECKING:
    from amberfork_cli.commands.comparing import Comparing
    from amberfork_cli.core.report import DiffReport
    from amberfork_cli.files import Notice


def diff(
    recorded: Annotated[
        Path, typer.Argument(metavar="RECORDED", help="The tape, or body, as it was recorded; - for stdin.")
    ],
    reissued: Annotated[
        Path, typer.Argument(metavar="REISSUED", help="The same run, issued again; - for stdin.")
    ],
    *,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            metavar="|".join(Format),
            help="How to show it: as text (the default), as one JSON document, or a difference a line.",
            rich_help_panel=SHOWN,
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write it to a file as well, in the form its name tells: .txt, .json, .jsonl. Repeatable.",
            rich_help_panel=SHOWN,
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Show whole values and every difference.", rich_help_panel=SHOWN)
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="Say nothing: the exit code answers.", rich_help_panel=SHOWN),
    ] = False,
    no_color: NoColor = False,
    loose: Annotated[
        bool,
        typer.Option(
            "--loose",
            help="Let spelling (1 and 1.0) and form (a text, or one text part) pass.",
            rich_help_panel=COMPARED,
        ),
    ] = False,
    responses: Annotated[
        bool, typer.Option("--responses", help="Compare what came back as well.", rich_help_panel=COMPARED)
    ] = False,
    ids: Ids = None,
    ignore: Ignore = None,
    replace: Replace = None,
    preset: Presets = None,
    lenient: Lenient = False,
    input_format: InputFormat = None,
) -> ExitCode:
    """Compare two tapes: find where the run forked, and what changed there.

    Two request bodies will do as well. Fresh IDs are no difference; which result answers which call is.
    Exits 0 when they agree, 1 when they differ, 2 on trouble.
    """
    from amberfork_cli.commands import reporting, showing
    from amberfork_cli.commands.comparing import chosen, comparing, project_settings

    if recorded == reissued == Path("-"):
        raise OptionError("only one of the two can come from stdin")
    files = [(file, reporting.format_of(file)) for file in output or ()]
    if no_color:
        showing.forbid_colour()
    settings = project_settings()
    usual = chosen(settings, "format", settings.format, Format) if settings.format else Format.TEXT
    counts = comparing(settings, ids=ids, ignore=ignore, replace=pairs(replace), preset=preset)
    report = _report(
        (recorded, reissued),
        counts,
        loose=loose,
        responses=responses,
        lenient=lenient,
        input_format=input_format,
        notice=None if quiet else showing.tell,
    )
    reporting.save(report, files, full=full)
    if not quiet:
        reporting.show(report, format or usual, full=full)
    return ExitCode.SAME if report.same else ExitCode.DIFFERENT


def _report(
    tapes: tuple[Path, Path],
    counts: Comparing,
    *,
    loose: bool,
    responses: bool,
    lenient: bool,
    input_format: str | None,
    notice: Notice | None,
) -> DiffReport:
    """What comparing the two tapes finds, with what was set aside for it."""
    from dataclasses import replace

    from amberfork_cli.commands.progress import watched
    from amberfork_cli.core.diffing import DiffOptions, diff_tapes
    from amberfork_cli.tapes import open_tape

    options = DiffOptions(counts.rules, counts.adjustments, loose=loose, responses=responses)
    old, new = (open_tape(tape, input_format=input_format, lenient=lenient, notice=notice) for tape in tapes)
    with watched(old) as recorded, watched(new) as reissued:
        report = diff_tapes(recorded, reissued, options)
    presets = (f"presets: {', '.join(counts.presets)}",) if counts.presets else ()
    return replace(report, settings=counts.settings, notes=(*report.notes, *presets))
