"""`amberfork check`: replay a tape to the agent, and say whether it still asks the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.commands.options import (
    READ,
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
from amberfork_cli.commands.reporting import FileForm, Format
from amberfork_cli.commands.served import SERVED, Command, Env, Port, Upstreams
from amberfork_cli.errors import OptionError, TapeError
from amberfork_cli.proxy.replaying.choices import OnMiss

if TYPE_CHECKING:
    from amberfork_cli.core.compare.report import DiffReport
    from amberfork_cli.core.tape import Exchange, Tape
    from amberfork_cli.core.tools.run_report import RunReport


def check(
    tape: Annotated[Path, typer.Argument(metavar="TAPE", help="The tape that answers.")],
    command: Command = None,
    *,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            metavar="|".join(Format),
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
    tools: Annotated[
        str | None,
        typer.Option(
            "--tools",
            metavar="REF",
            help="Run the tool calls of the tape again as well, as run-tools does: mytools.py, "
            "mytools.py:attr, pkg.mod or pkg.mod:attr. What has side effects is not run.",
            rich_help_panel=READ,
        ),
    ] = None,
    loose: Loose = False,
    ids: Ids = None,
    ignore: Ignore = None,
    replace: Replace = None,
    preset: Presets = None,
    lenient: Lenient = False,
    input_format: InputFormat = None,
) -> ExitCode:
    """Run an agent again, answered from a tape, and compare what it asks with what it asked then.

    Exits 0 when the agent asks the same, 1 when it does not, or a tool of --tools answers otherwise, 2 on
    trouble, which includes an agent that fails. What the agent writes to stdout goes to stderr, so that
    stdout is the report.
    """
    from tempfile import TemporaryDirectory

    from amberfork_cli.commands import reporting, showing
    from amberfork_cli.commands.diff import compared, looking_up
    from amberfork_cli.commands.served import run_replay
    from amberfork_cli.comparing import chosen, comparing, project_settings
    from amberfork_cli.core.compare.diffing import DiffOptions
    from amberfork_cli.proxy.recording.redacted import as_redacted
    from amberfork_cli.proxy.replaying.recorded import RecordedTape
    from amberfork_cli.proxy.replaying.reissue import THIS_RUN
    from amberfork_cli.tapes import open_tape

    if not command:
        raise OptionError("check runs an agent: amberfork check TAPE -- CMD...")
    reporting.refuse_what_cannot_be_written(output or (), read=(tape,))
    if update:
        _refuse_to_update_what_is_no_recording(tape)
    if no_color:
        showing.forbid_colour()
    settings = project_settings()
    usual = chosen(settings, "format", settings.format, Format) if settings.format else Format.TEXT
    if tools is not None:
        _refuse_what_tools_exclude(tools, format or usual, output or (), update=update)
    counts = comparing(settings, ids=ids, ignore=ignore, replace=pairs(replace), preset=preset)
    opened = open_tape(tape, input_format=input_format, lenient=lenient, notice=showing.tell)
    with as_redacted(opened) as recorded, TemporaryDirectory(prefix="amberfork-") as folder:
        tool_report = None if tools is None else _tools_run(recorded, tools)
        asked_now = Path(folder) / "reissued.jsonl"
        code, tally = run_replay(
            RecordedTape(recorded, DiffOptions(counts.rules, counts.adjustments, loose=loose)),
            command,
            header=recorded.header,
            output=asked_now,
            force=False,
            on_miss=OnMiss.RELAY if update else OnMiss.FAIL,
            named=upstream,
            variables=env,
            port=port,
            quiet=True,
        )
        if not (tally.hits or tally.misses):
            if code == ExitCode.INTERRUPTED:
                return ExitCode.INTERRUPTED
            raise TapeError(_asked_nothing(code), source=str(tape))
        with open_tape(asked_now) as reissued:
            reissued.source = THIS_RUN
            again = _again(tape, command)
            report = compared(recorded, reissued, counts, loose=loose, responses=False, command=again)
            told = reporting.DiffTold(
                report, full=full, reread=looking_up(recorded, reissued), tools=tool_report
            )
            reporting.save(told, output or ())
            if not quiet:
                reporting.show(told, format or usual)
                showing.stdout().flush()  # a change is seen before the tape has it
            if update and not report.same and _may_be_written(tape, reissued, code):
                _update(tape, recorded, reissued)
                return ExitCode.SAME
    return _verdict(report, code, tool_report)


def _asked_nothing(code: int) -> str:
    ended = f" and ended with exit code {code}" if code else ""
    return f"the agent asked nothing{ended}: does it take its base URL from its environment?"


def _verdict(report: DiffReport, code: int, tools: RunReport | None) -> ExitCode:
    """The exit code: an agent that fails although it asked the same is trouble, and told."""
    from amberfork_cli.commands.showing import tell

    if code:
        tell(f"the agent ended with exit code {code}")
    if code == ExitCode.INTERRUPTED:
        return ExitCode.INTERRUPTED
    if not report.same:
        return ExitCode.DIFFERENT
    if code:
        return ExitCode.TROUBLE
    return ExitCode.SAME if tools is None or tools.good else ExitCode.DIFFERENT


def _again(tape: Path, command: Sequence[str]) -> str:
    """What to run for this report; of the agent its program alone: there may be a key in its arguments."""
    from shlex import join

    run = join(["amberfork", "check", str(tape), "--", command[0]])
    return f"{run} …" if len(command) > 1 else run


def _tools_run(recorded: Tape, registry: str) -> RunReport:
    """What became of the tool calls; before the agent runs, since a registry may be trouble."""
    from amberfork_cli.commands import tool_runs

    return tool_runs.report_on(recorded, registry)


def _refuse_what_tools_exclude(registry: str, form: Format, files: Sequence[Path], *, update: bool) -> None:
    """Raises OptionError for what would leave it open which results count, or mix two kinds of lines."""
    if not registry:
        raise OptionError("which tools? Name them: --tools mytools.py")
    if update:
        raise OptionError("--tools and --update exclude each other: check the tools once the tape is new")
    if form is Format.JSONL:
        raise OptionError("--tools and --format jsonl exclude each other: json has both in one document")
    for file in files:
        if file.suffix.lower() == FileForm.JSONL:
            raise OptionError(f"--tools and {file} exclude each other: .json has both in one document")


def _refuse_to_update_what_is_no_recording(tape: Path) -> None:
    """Raises OptionError for a tape of another tool, or a compressed one, which would lose its form."""
    from amberfork_cli.proxy.recording.tapefile import is_recording

    if not is_recording(tape):
        raise OptionError(f"{tape}: only a tape as amberfork records it can be written anew")


def _may_be_written(tape: Path, reissued: Tape, code: int) -> bool:
    """Whether the run can take the place of the tape; what speaks against it is told."""
    from amberfork_cli.commands.showing import tell
    from amberfork_cli.proxy.recording.exchange import unanswered
    from amberfork_cli.proxy.replaying.reissue import replayed

    missing = sum(unanswered(exchange) for exchange in reissued if replayed(exchange) is None)
    if missing:
        answers = "an answer" if missing == 1 else f"{missing:,} answers"
        tell(f"{tape} is left as it is: its provider owes {answers}")
    elif code:
        tell(f"{tape} is left as it is")
    return not (missing or code)


def _update(tape: Path, recorded: Tape, reissued: Tape) -> None:
    """Write the tape anew: what was replayed as it stands there, what the provider said as it came."""
    from amberfork_cli.commands.showing import tell
    from amberfork_cli.proxy.replaying.reissue import replayed
    from amberfork_cli.tapes import save_tape

    kept = [replayed(exchange) for exchange in reissued]
    save_tape(_renewed(recorded, reissued), tape, header=recorded.header)
    new = kept.count(None)
    noun = "exchange" if len(kept) == 1 else "exchanges"
    tell(f"{tape} is written anew: {new:,} of {len(kept):,} {noun} new")


def _renewed(recorded: Tape, reissued: Tape) -> Iterator[Exchange]:
    from amberfork_cli.proxy.replaying.reissue import replayed

    for exchange in reissued:
        number = replayed(exchange)
        yield exchange if number is None else recorded.reread(number)
