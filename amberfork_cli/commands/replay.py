"""`amberfork replay`: the agent once more, answered from a tape."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amberfork_cli.commands.options import (
    SHOWN,
    Ids,
    Ignore,
    InputFormat,
    Lenient,
    Loose,
    Presets,
    Replace,
    pairs,
)
from amberfork_cli.commands.served import SERVED, Command, Env, Port, Upstreams
from amberfork_cli.errors import OptionError
from amberfork_cli.proxy.replaying.choices import OnMiss, Pace

if TYPE_CHECKING:
    from amberfork_cli.proxy.replaying.recorded import RecordedTape
    from amberfork_cli.proxy.replaying.reissue import Tally


def replay(
    tape: Annotated[Path, typer.Argument(metavar="TAPE", help="The tape that answers.")],
    command: Command = None,
    *,
    on_miss: Annotated[
        OnMiss,
        typer.Option(
            "--on-miss",
            metavar="|".join(OnMiss),
            help="Answer a request that is not on the tape with an error that says what differs (the "
            "default), by asking the provider, or as the nearest request was answered.",
            rich_help_panel=SERVED,
        ),
    ] = OnMiss.FAIL,
    pace: Annotated[
        Pace,
        typer.Option(
            "--pace",
            metavar="|".join(Pace),
            help="How fast streams come: at once (none, the default), or as they were recorded.",
            rich_help_panel=SERVED,
        ),
    ] = Pace.NONE,
    upstream: Upstreams = None,
    env: Env = None,
    port: Port = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="TAPE", help="Record what is asked now.", rich_help_panel=SHOWN
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Record over a file that is there.", rich_help_panel=SHOWN)
    ] = False,
    loose: Loose = False,
    ids: Ids = None,
    ignore: Ignore = None,
    replace: Replace = None,
    preset: Presets = None,
    lenient: Lenient = False,
    input_format: InputFormat = None,
) -> int:
    """Run an agent again, answered from a tape: without network, and without cost.

    A request is looked up by method, path and body, with fresh IDs set aside; equal requests are answered in
    the order of the tape. Streams, signals and exit code of the agent pass through.
    """
    from amberfork_cli.commands.served import run_replay
    from amberfork_cli.commands.showing import tell
    from amberfork_cli.comparing import comparing, project_settings
    from amberfork_cli.core.compare.diffing import DiffOptions
    from amberfork_cli.proxy.recording.redacted import as_redacted
    from amberfork_cli.proxy.replaying.recorded import RecordedTape
    from amberfork_cli.tapes import open_tape

    if output is not None and output.exists() and tape.exists() and output.samefile(tape):
        raise OptionError(f"{output} is the tape itself: what is asked now needs a file of its own")
    if output is not None and output.exists() and not force:
        raise OptionError(f"{output} exists: --force records over it")
    counts = comparing(project_settings(), ids=ids, ignore=ignore, replace=pairs(replace), preset=preset)
    with open_tape(tape, input_format=input_format, lenient=lenient, notice=tell) as opened:
        options = DiffOptions(counts.rules, counts.adjustments, loose=loose)
        recorded = RecordedTape(as_redacted(opened), options)
        code, tally = run_replay(
            recorded,
            command,
            header=opened.header,
            output=output,
            force=force,
            on_miss=on_miss,
            pace=pace,
            named=upstream,
            variables=env,
            port=port,
        )
    tell(_told(recorded, tally, served=not command))
    return code


def _told(recorded: RecordedTape, tally: Tally, *, served: bool) -> str:
    """How much of the tape was asked for, and how much that is not on it."""
    asked = f"{tally.hits:,} of {tally.hits + recorded.unused:,} recorded exchanges replayed"
    if not (tally.hits or tally.misses or served):
        return f"{asked}: does the agent take its base URL from its environment?"
    noun = "request was" if tally.misses == 1 else "requests were"
    return f"{asked}, {tally.misses:,} {noun} not on the tape" if tally.misses else asked
