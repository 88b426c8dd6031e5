"""`amberfork run-tools`: the tool calls of a tape, run again against the user's own functions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.commands.options import READ, SHOWN, NoColor
from amberfork_cli.commands.reporting import Format
from amberfork_cli.commands.tools import Registry

RUN: Final = "What runs"


def run_tools(
    tape: Annotated[
        Path | None,
        typer.Argument(metavar="[TAPE]", help="The tape; stdin for -, or where something is piped."),
    ] = None,
    *,
    registry: Registry = "",
    context: Annotated[
        Path | None,
        typer.Option(
            "--context",
            metavar="FILE",
            help="A JSON file with the values that tools find in their ToolContext.",
            rich_help_panel=READ,
        ),
    ] = None,
    all_hosts: Annotated[
        bool,
        typer.Option(
            "--all-hosts",
            help="Look for calls in what a recorder marked as not with a model, too.",
            rich_help_panel=READ,
        ),
    ] = False,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow",
            metavar="NAME",
            help="Run this tool although it has side effects, or nobody said that it has none; * for any. "
            "Repeatable.",
            rich_help_panel=RUN,
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="Run no other tools. Repeatable.", rich_help_panel=RUN),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option("--skip", metavar="NAME", help="Leave this tool out. Repeatable.", rich_help_panel=RUN),
    ] = None,
    alias: Annotated[
        list[str] | None,
        typer.Option(
            "--alias",
            metavar="TAPE=LOCAL",
            help="The tool LOCAL stands as TAPE on the tape: 'mcp__shop__*=*'. Repeatable.",
            rich_help_panel=RUN,
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            metavar="N",
            help="How many calls of a turn run at once, all if not given; with 1, on the main thread.",
            rich_help_panel=RUN,
        ),
    ] = None,
    timeout: Annotated[
        int | None,
        typer.Option(
            "--timeout",
            metavar="MS",
            help="The limit for each call in milliseconds, for all tools.",
            rich_help_panel=RUN,
        ),
    ] = None,
    coerce: Annotated[
        bool,
        typer.Option("--coerce", help='Take "3" for 3 where a tool wants a number.', rich_help_panel=RUN),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Run nothing: show what would run, what would not and why, and which arguments are bad.",
            rich_help_panel=RUN,
        ),
    ] = False,
    format: Annotated[
        Format,
        typer.Option(
            "--format",
            "-f",
            metavar="|".join(Format),
            help='How to show it: as text, as one JSON document, as the messages of role "tool" that can be '
            "sent (jsonl), or as annotations and a summary in GitHub Actions.",
            rich_help_panel=SHOWN,
        ),
    ] = Format.TEXT,
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
    tape_out: Annotated[
        Path | None,
        typer.Option(
            "--tape-out",
            metavar="FILE",
            help="Write the tape with the fresh results in place of the recorded ones.",
            rich_help_panel=SHOWN,
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Show whole values, and tracebacks.", rich_help_panel=SHOWN)
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="Show no report: the exit code answers.", rich_help_panel=SHOWN),
    ] = False,
    no_color: NoColor = False,
) -> ExitCode:
    """Run the tool calls of a tape again, and say whether the tools still answer as they did.

    Turns run one after another, the calls of a turn at once. A tool with side effects is not run unless it is
    allowed by name.
    """
    from amberfork_cli.commands import reporting, showing, tool_runs

    if no_color:
        showing.forbid_colour()
    reporting.refuse_what_cannot_be_written(output or (), read=() if tape is None else (tape,))
    if tape_out is not None:
        reporting.refuse_a_missing_folder(tape_out)
    wanted = tool_runs.Wanted(
        tape=tape,
        registry=registry,
        context=context,
        choice=tool_runs.choice(allow, only, skip, alias),
        jobs=jobs,
        timeout_ms=timeout,
        coerce=coerce,
        check_only=dry_run,
        all_hosts=all_hosts,
    )
    report = tool_runs.report_of(wanted, tape_out=tape_out)
    told = reporting.RunTold(report, full=full, is_plan=dry_run)
    reporting.save(told, output or ())
    if not quiet:
        reporting.show(told, format)
    return ExitCode.SAME if report.good else ExitCode.DIFFERENT
