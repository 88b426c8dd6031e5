"""`amberfork lint`: what is wrong or risky on tapes."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amberfork_cli.commands.exits import ExitCode
from amberfork_cli.commands.options import SHOWN, InputFormat, NoColor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from amberfork_cli.core.linting.findings import LintReport


class Form(StrEnum):
    """How findings are shown."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


def lint(
    tapes: Annotated[
        list[Path], typer.Argument(metavar="TAPE...", help="The tapes to look through; - for stdin.")
    ],
    *,
    format: Annotated[
        Form,
        typer.Option(
            "--format",
            "-f",
            metavar="|".join(Form),
            help="As text, as one JSON document, or as SARIF 2.1.0 for code scanning.",
            rich_help_panel=SHOWN,
        ),
    ] = Form.TEXT,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="Say nothing: the exit code answers.", rich_help_panel=SHOWN),
    ] = False,
    no_color: NoColor = False,
    input_format: InputFormat = None,
) -> ExitCode:
    """Find what is wrong or risky on tapes: bad lines, lossy JSON, broken tool calls, secrets.

    Exits 0 when nothing is found, 1 when something is, 2 on trouble. Secrets are never printed whole.
    """
    from amberfork_cli.commands import showing

    if no_color:
        showing.forbid_colour()
    reports = [_linted(tape, input_format) for tape in tapes]
    if not quiet:
        _show(reports, format)
    return ExitCode.SAME if all(report.clean for report in reports) else ExitCode.DIFFERENT


def _linted(source: Path, input_format: str | None) -> LintReport:
    from amberfork_cli.commands.progress import watched
    from amberfork_cli.core.linting.lint import lint as find
    from amberfork_cli.tapes import open_tape

    with open_tape(source, input_format=input_format, lenient=True, one_pass=True) as tape:
        return find(watched(tape))


def _show(reports: Sequence[LintReport], form: Form) -> None:
    from amberfork_cli import __version__
    from amberfork_cli.commands.showing import output, stdout

    if form is Form.TEXT:
        from amberfork_cli.render import terminal
        from amberfork_cli.render.lint_text import lay_out

        stream = stdout()
        width, plain = terminal.columns(stream), terminal.needs_ascii(stream)
        lines = lay_out(reports, width=width, ascii=plain)
        terminal.show(lines, stream, closing=lines[-len(reports) :])
        return
    from amberfork_cli.render.lint_json import to_json, to_sarif

    with output(None) as bytes_:
        bytes_.write(to_json(reports) if form is Form.JSON else to_sarif(reports, version=__version__))
