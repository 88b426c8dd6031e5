"""How the program ends: the only place that turns an answer, or trouble, into an exit code."""

from enum import IntEnum

import typer


class ExitCode(IntEnum):
    """What the shell is told, after diff(1)."""

    SAME = 0
    DIFFERENT = 1
    TROUBLE = 2
    INTERRUPTED = 130


def run(app: typer.Typer) -> None:
    """Run the command line and end the program with its answer."""
    app()
