"""`amberfork record`: a tape of what an agent and its providers say, without a change to the agent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amberfork_cli.commands.options import SHOWN
from amberfork_cli.commands.served import Command, Env, Port, Upstreams
from amberfork_cli.errors import OptionError

if TYPE_CHECKING:
    from amberfork_cli.proxy.recording.tapefile import Existing, TapeFile


def record(
    command: Command = None,
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="TAPE", help="The tape to write, as it goes.", rich_help_panel=SHOWN
        ),
    ],
    append: Annotated[
        bool, typer.Option("--append", help="Go on with a tape that is there.", rich_help_panel=SHOWN)
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Record over a file that is there.", rich_help_panel=SHOWN)
    ] = False,
    redact: Annotated[
        bool,
        typer.Option(
            "--redact", help="Put placeholders for credentials in bodies as well.", rich_help_panel=SHOWN
        ),
    ] = False,
    upstream: Upstreams = None,
    env: Env = None,
    port: Port = 0,
) -> int:
    """Record what an agent and its providers say to each other.

    The agent's SDKs are pointed to a proxy on this machine by their base-URL variables. Its streams, signals
    and exit code pass through. Without a command, serve until Ctrl-C and print the variables to set.
    """
    from amberfork_cli.commands.served import run_served
    from amberfork_cli.commands.showing import tell
    from amberfork_cli.proxy.recording.redacted import RedactedTape
    from amberfork_cli.proxy.recording.relay import Relay

    tape = _opened(output, _existing(append=append, force=force), tell, redacted=redact)
    try:
        relay = Relay(RedactedTape(tape) if redact else tape)
        kept = "without the credentials that are found in them" if redact else "verbatim"
        tell(f"recording to {output}: bodies are kept {kept}, credentials in headers and URLs are not")
        code = run_served(relay, command, named=upstream, variables=env, port=port, stopping=relay.stop)
        if tape.failure is not None:
            raise tape.failure
        tell(_told(tape, served=not command))
        return code
    finally:
        tape.close()


def _existing(*, append: bool, force: bool) -> Existing:
    from amberfork_cli.proxy.recording.tapefile import Existing

    if append and force:
        raise OptionError("--append and --force exclude each other")
    return Existing.APPEND if append else Existing.FORCE if force else Existing.REFUSE


def _opened(output: Path, existing: Existing, tell: Callable[[str], None], *, redacted: bool) -> TapeFile:
    from amberfork_cli.proxy.recording.tapefile import TapeFile, recorder

    tape = TapeFile(output, existing=existing, header=recorder(redacted=redacted))
    if tape.torn:
        tell(f"{output}: the last line was torn where an earlier recording stopped, and is cut off")
    return tape


def _told(tape: TapeFile, *, served: bool) -> str:
    if tape.count:
        noun = "exchange" if tape.count == 1 else "exchanges"
        return f"{tape.count:,} {noun} recorded to {tape.path}"
    hint = "" if served else ": does the agent take its base URL from its environment?"
    return f"no exchange was recorded{hint}"
