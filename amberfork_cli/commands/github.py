"""A report in a job of GitHub Actions: annotations on stdout, the whole of it in the summary of the job."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from amberfork_cli.commands.showing import output, tell
from amberfork_cli.errors import OutputError

if TYPE_CHECKING:
    from amberfork_cli.commands.reporting import Told

SUMMARY: Final = "GITHUB_STEP_SUMMARY"


def show(told: Told) -> None:
    """Write annotations to stdout, and Markdown to the end of the file that the environment names.

    Raises OutputError.
    """
    target = os.environ.get(SUMMARY)
    if target:
        _append(Path(target), f"{told.markdown()}\n".encode())
    else:
        tell(f"{SUMMARY} names no file, so there is no summary")
    with output(None) as stream:
        stream.write(told.annotations().encode())


def _append(target: Path, text: bytes) -> None:
    """Add to a file in which other steps of the job may have written before."""
    try:
        with target.open("ab") as stream:
            stream.write(text)
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
        raise OutputError(problem, target=str(target)) from error
