"""A report on its way out: to stdout in the form that was wanted, to files in the form their names tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from amberfork_cli.commands.showing import output, stdout
from amberfork_cli.errors import OptionError

if TYPE_CHECKING:
    from amberfork_cli.core.report import DiffReport


class Format(StrEnum):
    """How a report is shown."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"


SUFFIXES: Final = {".txt": Format.TEXT, ".json": Format.JSON, ".jsonl": Format.JSONL}
_LATER: Final = (".md", ".html", ".xml")


def format_of(file: Path) -> Format:
    """The form that a file is to be written in; raises OptionError where its name does not tell."""
    form = SUFFIXES.get(file.suffix.lower())
    if form is not None:
        return form
    known = ", ".join(SUFFIXES)
    if file.suffix.lower() in _LATER:
        raise OptionError(f"{file}: reports cannot be written as {file.suffix.lower()} yet, only as {known}")
    raise OptionError(f"{file}: the name does not tell the form of the report: end it in {known}")


def show(report: DiffReport, form: Format, *, full: bool) -> None:
    """Show a report on stdout; a terminal gets it in its width and colours, through a pager if it is long."""
    if form is Format.TEXT:
        _show_text(report, full=full)
    else:
        with output(None) as stream:
            stream.write(_RENDERERS[form](report, full))


def save(report: DiffReport, files: Iterable[tuple[Path, Format]], *, full: bool) -> None:
    """Write a report to files, each whole or not at all; raises OutputError."""
    for file, form in files:
        with output(file) as stream:
            stream.write(_RENDERERS[form](report, full))


def _show_text(report: DiffReport, *, full: bool) -> None:
    from amberfork_cli.render import terminal
    from amberfork_cli.render.text import closing, lay_out

    stream = stdout()
    width, plain = terminal.columns(stream), terminal.needs_ascii(stream)
    lines = lay_out(report, width=width, full=full, ascii=plain)
    terminal.show(lines, stream, closing=closing(report, width=width, ascii=plain))


def _text(report: DiffReport, full: bool) -> bytes:
    from amberfork_cli.render.lines import plain_text
    from amberfork_cli.render.text import lay_out

    return "".join(f"{plain_text(line)}\n" for line in lay_out(report, width=None, full=full)).encode()


def _json(report: DiffReport, _: bool) -> bytes:
    from amberfork_cli.render.json import to_json

    return to_json(report)


def _jsonl(report: DiffReport, _: bool) -> bytes:
    from amberfork_cli.render.json import to_jsonl

    return to_jsonl(report)


_RENDERERS: Final[Mapping[Format, Callable[[DiffReport, bool], bytes]]] = {
    Format.TEXT: _text,
    Format.JSON: _json,
    Format.JSONL: _jsonl,
}
