"""`amberfork check`: replay a tape to the agent, and say whether it still asks the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.commands.options import (
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
from amberfork_cli.commands.reporting import DiffFormat
from amberfork_cli.commands.served import SERVED, Command, Env, Port, Upstreams
from amberfork_cli.errors import OptionError, TapeError
from amberfork_cli.proxy.choices import OnMiss

if TYPE_CHECKING:
    from amberfork_cli.core.compare.report import DiffReport
    from amberfork_cli.core.tape import Exchange, Tape

_THIS_RUN: Final = "this run"


def check(
    tape: Annotated[Path, typer.Argument(metavar="TAPE", help="The tape that answers.")],
    command: Command = None,
    *,
    format: Annotated[
        DiffFormat | None,
        typer.Option(
            "--format",
            "-f",
            metavar="|".join(DiffFormat),
            help="How to show the report, as with diff.",
            rich_help_panel=SHOWN,
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the report to a file as well, in the form its name tells, as with diff. Repeatable.",
            rich_help_panel=SHOWN,
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Show whole values and every difference.", rich_help_panel=SHOWN)
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="Show no report: the exit code answers.", rich_help_panel=SHOWN),
    ] = False,
    no_color: NoColor = False,
    update: Annotated[
        bool,
        typer.Option(
            "--update",
            help="Ask the provider what is not on the tape, show what changed, and write the tape anew.",
            rich_help_panel=SERVED,
        ),
    ] = False,
    upstream: Upstreams = None,
    env: Env = None,
    port: Port = 0,
    ids: Ids = None,
    ignore: Ignore = None,
    replace: Replace = None,
    preset: Presets = None,
    lenient: Lenient = False,
    input_format: InputFormat = None,
) -> ExitCode:
    """Run an agent again, answered from a tape, and compare what it asks with what it asked then.

    Exits 0 when the agent asks the same, 1 when it does not, 2 on trouble, which includes an agent that
    fails. What the agent writes to stdout goes to stderr, so that stdout is the report.
    """
    from tempfile import TemporaryDirectory

    from amberfork_cli.commands import reporting, showing
    from amberfork_cli.commands.comparing import chosen, comparing, project_settings
    from amberfork_cli.commands.diff import compared, looking_up
    from amberfork_cli.commands.served import run_replay
    from amberfork_cli.core.compare.diffing import DiffOptions
    from amberfork_cli.proxy.recorded import RecordedTape
    from amberfork_cli.tapes import open_tape

    if not command:
        raise OptionError("check runs an agent: amberfork check TAPE -- CMD...")
    for file in output or ():
        reporting.suffix_of(file, reporting.DIFF_FORMS)
    if update:
        _refuse_to_update_what_is_no_recording(tape)
    if no_color:
        showing.forbid_colour()
    settings = project_settings()
    usual = chosen(settings, "format", settings.format, DiffFormat) if settings.format else DiffFormat.TEXT
    counts = comparing(settings, ids=ids, ignore=ignore, replace=pairs(replace), preset=preset)
    opened = open_tape(tape, input_format=input_format, lenient=lenient, notice=showing.tell)
    with opened as recorded, TemporaryDirectory(prefix="amberfork-") as folder:
        asked_now = Path(folder) / "reissued.jsonl"
        code, tally = run_replay(
            RecordedTape(recorded, DiffOptions(counts.rules, counts.adjustments)),
            command,
            output=asked_now,
            force=False,
            on_miss=OnMiss.RELAY if update else OnMiss.FAIL,
            named=upstream,
            variables=env,
            port=port,
            quiet=True,
        )
        if not (tally.hits or tally.misses):
            raise TapeError(_asked_nothing(code), source=str(tape))
        with open_tape(asked_now) as reissued:
            reissued.source = _THIS_RUN  # and not the name of a temporary file
            report = compared(recorded, reissued, counts, loose=False, responses=False)
            reporting.save(report, output or (), full=full, reread=looking_up(recorded, reissued))
            if not quiet:
                reporting.show(report, format or usual, full=full)
            if update and not report.same and not code:
                _update(tape, recorded, reissued)
                return ExitCode.SAME
    return _verdict(report, code)


def _asked_nothing(code: int) -> str:
    ended = f" and ended with exit code {code}" if code else ""
    return f"the agent asked nothing{ended}: does it take its base URL from its environment?"


def _verdict(report: DiffReport, code: int) -> ExitCode:
    """The exit code: an agent that fails although it asked the same is trouble, and told."""
    from amberfork_cli.commands.showing import tell

    if code:
        tell(f"the agent ended with exit code {code}")
    if not report.same:
        return ExitCode.DIFFERENT
    return ExitCode.TROUBLE if code else ExitCode.SAME


def _refuse_to_update_what_is_no_recording(tape: Path) -> None:
    """Raises OptionError for a tape of another tool, or a compressed one, which would lose its form."""
    from amberfork_cli.proxy.tapefile import is_recording

    if not is_recording(tape):
        raise OptionError(f"{tape}: only a tape as amberfork records it can be written anew")


def _update(tape: Path, recorded: Tape, reissued: Tape) -> None:
    """Write the tape anew: what was replayed as it stands there, what the provider said as it came."""
    from amberfork_cli.commands.showing import tell
    from amberfork_cli.proxy.replay import replayed
    from amberfork_cli.tapes import save_tape

    kept = [replayed(exchange) for exchange in reissued]
    save_tape(_renewed(recorded, reissued), tape, header=recorded.header)
    new = kept.count(None)
    noun = "exchange" if len(kept) == 1 else "exchanges"
    tell(f"{tape} is written anew: {new:,} of {len(kept):,} {noun} new")


def _renewed(recorded: Tape, reissued: Tape) -> Iterator[Exchange]:
    from amberfork_cli.proxy.replay import replayed

    for exchange in reissued:
        number = replayed(exchange)
        yield exchange if number is None else recorded.reread(number)
