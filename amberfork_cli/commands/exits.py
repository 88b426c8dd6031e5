"""How the program ends: the only place that turns an answer, or trouble, into an exit code.

Typer ignores what a command gives back, answers a broken pipe with 1, which means "different" here, and
treats Ctrl-C as its version likes. So a command runs inside `ended`, which leaves Typer nothing to answer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from typing import Any, NoReturn

import typer

from amberfork_cli.commands.light import ClickException
from amberfork_cli.commands.showing import stdout, tell
from amberfork_cli.errors import AmberforkError, RegistryLoadError

NAME = "amberfork"


class ExitCode(IntEnum):
    """What the shell is told, after diff(1); the last two are what it says of programs ended by a signal."""

    SAME = 0
    DIFFERENT = 1
    TROUBLE = 2
    INTERRUPTED = 130
    BROKEN_PIPE = 141


def run(app: typer.Typer) -> NoReturn:
    """Run the command line and end the program with its answer; without arguments it is the help."""
    command = typer.main.get_command(app)
    arguments = None if sys.argv[1:] else ["--help"]
    raise SystemExit(ended(lambda: command.main(arguments, prog_name=NAME, standalone_mode=False)))


def ended(work: Callable[[], object]) -> int:
    """The exit code for what some work gives back or raises; trouble is told on stderr, in one line."""
    try:
        answer = work()
        if sys.stdout is not None:
            sys.stdout.flush()
    except typer.Exit as finished:
        return finished.exit_code
    except BrokenPipeError:
        _let_go_of_stdout()
        return ExitCode.BROKEN_PIPE
    except (KeyboardInterrupt, typer.Abort):
        return ExitCode.INTERRUPTED
    except Exception as error:  # the boundary: no fault may end the program as "different"
        _tell_trouble(error)
        return ExitCode.TROUBLE
    return answer if isinstance(answer, int) else ExitCode.SAME


def print_version(asked: bool) -> None:
    """Answer `--version`, wherever in the command line it stands."""
    if asked:
        from amberfork_cli import __version__

        stdout().write(f"{NAME} {__version__}\n")
        raise typer.Exit


def _tell_trouble(error: Exception) -> None:
    if os.environ.get("AMBERFORK_DEBUG") == "1":
        from traceback import print_exception

        print_exception(error)
    for line in _lines(error):
        tell(line)


def _lines(error: Exception) -> list[str]:
    if isinstance(error, RegistryLoadError):
        return str(error).split("\n")  # the user's own code, and where it failed
    if isinstance(error, AmberforkError):
        return [str(error)]
    if isinstance(error, ClickException):
        return [_misused(error)]
    if isinstance(error, OSError):
        _let_go_of_stdout()  # the disk may be full, and what is left to write would fail again
        return [_refused(error)]
    problem = f"unexpected {type(error).__name__}: {error}"
    return [f"{problem} (set AMBERFORK_DEBUG=1 to see where)"]


def _misused(error: Any) -> str:
    """What Typer has against the command line, as a sentence of ours."""
    message = error.format_message().removesuffix(".")
    context = getattr(error, "ctx", None)
    where = context.command_path if context else NAME
    return f"{message[:1].lower()}{message[1:]} (see {where} --help)"


def _refused(error: OSError) -> str:
    words = error.strerror or str(error)
    name = f"{error.filename}: " if error.filename else ""
    return f"{name}{words[:1].lower()}{words[1:]}"


def _let_go_of_stdout() -> None:
    """Keep Python from writing at its end what nobody will read."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
