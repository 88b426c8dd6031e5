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
    Loose,
    NoColor,
    Presets,
    Replace,
    pairs,
)
from amberfork_cli.commands.reporting import Format
from amberfork_cli.errors import OptionError

if TYPE_CHECKING:
    from amberfork_cli.comparing import Comparing
    from amberfork_cli.core.compare.report import DiffReport, ExchangeDiff
    from amberfork_cli.core.tape import Exchange, Tape
    from amberfork_cli.render.html import Reread


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
            help="How to show it: as text (the default), as one JSON document, a difference a line, or as "
            "annotations and a summary in GitHub Actions.",
            rich_help_panel=SHOWN,
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write it to a file as well, in the form its name tells: .txt, .json, .jsonl, .md, .html "
            "or .xml (JUnit). Repeatable.",
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
    loose: Loose = False,
    responses: Annotated[
        bool, typer.Option("--responses", help="Compare what came back as well.", rich_help_panel=COMPARED)
    ] = False,
    ids: Ids = None,
    ignore: Ignore = None,
    replace: Replace = None,
    preset: Presets = None,
    lenient: Lenient = False,
    input_format: InputFormat = None,
    all_hosts: Annotated[
        bool,
        typer.Option(
            "--all-hosts",
            help="Compare what a recorder marked as not with a model, too: telemetry, vector stores.",
            rich_help_panel=COMPARED,
        ),
    ] = False,
) -> ExitCode:
    """Compare two tapes: find where the run forked, and what changed there.

    Two request bodies will do as well. Fresh IDs are no difference; which result answers which call is.
    Exits 0 when they agree, 1 when they differ, 2 on trouble.
    """
    from amberfork_cli.commands import reporting, showing
    from amberfork_cli.comparing import chosen, comparing, project_settings
    from amberfork_cli.tapes.models import models_only

    if recorded == reissued == Path("-"):
        raise OptionError("only one of the two can come from stdin")
    reporting.refuse_what_cannot_be_written(output or (), read=(recorded, reissued))
    if no_color:
        showing.forbid_colour()
    settings = project_settings()
    usual = chosen(settings, "format", settings.format, Format) if settings.format else Format.TEXT
    counts = comparing(settings, ids=ids, ignore=ignore, replace=pairs(replace), preset=preset)

    def opened(tape: Path) -> Tape:
        found = _opened(tape, input_format=input_format, lenient=lenient, quiet=quiet)
        return found if all_hosts else models_only(found, notice=None if quiet else showing.tell)

    with opened(recorded) as old, opened(reissued) as new:
        report = compared(old, new, counts, loose=loose, responses=responses)
        told = reporting.DiffTold(report, full=full, reread=looking_up(old, new))
        reporting.save(told, output or ())
    if not quiet:
        reporting.show(told, format or usual)
    return ExitCode.SAME if report.same else ExitCode.DIFFERENT


def _opened(tape: Path, *, input_format: str | None, lenient: bool, quiet: bool) -> Tape:
    from amberfork_cli.commands.progress import watched
    from amberfork_cli.commands.showing import tell
    from amberfork_cli.tapes import open_tape

    notice = None if quiet else tell
    return watched(open_tape(tape, input_format=input_format, lenient=lenient, notice=notice))


def compared(
    old: Tape, new: Tape, counts: Comparing, *, loose: bool, responses: bool, command: str = ""
) -> DiffReport:
    """What comparing the two tapes finds, with what was set aside for it, and the command that gives it."""
    from dataclasses import replace

    from amberfork_cli.core.compare.diffing import DiffOptions, diff_tapes

    options = DiffOptions(counts.rules, counts.adjustments, loose=loose, responses=responses)
    report = diff_tapes(old, new, options)
    presets = (f"presets: {', '.join(counts.presets)}",) if counts.presets else ()
    notes = (*report.notes, *presets)
    return replace(report, settings=counts.settings, notes=notes, command=command)


def looking_up(old: Tape, new: Tape) -> Reread:
    """How a report finds both sides of an exchange again."""

    def reread(exchange: ExchangeDiff) -> tuple[Exchange | None, Exchange | None]:
        recorded, reissued = exchange.recorded, exchange.reissued
        return (
            None if recorded is None else old.reread(recorded),
            None if reissued is None else new.reread(reissued),
        )

    return reread
