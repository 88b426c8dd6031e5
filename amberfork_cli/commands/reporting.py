"""A report on its way out: to stdout in the form that was wanted, to files in the form their names tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from amberfork_cli.commands.showing import output, stdout
from amberfork_cli.errors import OptionError

if TYPE_CHECKING:
    from amberfork_cli.core.compare.report import DiffReport
    from amberfork_cli.render.html import Reread


class Format(StrEnum):
    """How a report is shown."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"


class DiffFormat(StrEnum):
    """How a diff is shown; `github` is for a job of GitHub Actions."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    GITHUB = "github"


SUFFIXES: Final = {".txt": Format.TEXT, ".json": Format.JSON, ".jsonl": Format.JSONL}


def format_of(file: Path) -> Format:
    """The form that a file is to be written in, one of those of stdout; raises OptionError."""
    return SUFFIXES[suffix_of(file, SUFFIXES)]


def suffix_of(file: Path, known: Iterable[str]) -> str:
    """The suffix that tells the form of a file; raises OptionError where it is none of the known ones."""
    suffix = file.suffix.lower()
    if suffix in known:
        return suffix
    raise OptionError(f"{file}: the name does not tell the form of the report: end it in {', '.join(known)}")


def show(report: DiffReport, form: DiffFormat, *, full: bool) -> None:
    """Show a diff on stdout; a terminal gets it in its width and colours, through a pager if it is long.

    Raises OutputError.
    """
    if form is DiffFormat.TEXT:
        _show_text(report, full=full)
    elif form is DiffFormat.GITHUB:
        from amberfork_cli.commands import github

        github.show(report, full=full)
    else:
        with output(None) as stream:
            stream.write(DIFF_FORMS[f".{form.value}"](report, full, None))


def save(report: DiffReport, files: Iterable[Path], *, full: bool, reread: Reread | None = None) -> None:
    """Write a diff to files, each whole or not at all, in the form of its suffix, one of `DIFF_FORMS`.

    `reread` looks up the exchanges that a page shows whole. Raises OutputError.
    """
    for file in files:
        with output(file) as stream:
            stream.write(DIFF_FORMS[suffix_of(file, DIFF_FORMS)](report, full, reread))


def _show_text(report: DiffReport, *, full: bool) -> None:
    from amberfork_cli.render import terminal
    from amberfork_cli.render.text import closing, lay_out

    stream = stdout()
    width, plain = terminal.columns(stream), terminal.needs_ascii(stream)
    lines = lay_out(report, width=width, full=full, ascii=plain)
    terminal.show(lines, stream, closing=closing(report, width=width, ascii=plain))


def _to_text(report: DiffReport, full: bool, _: Reread | None) -> bytes:
    from amberfork_cli.render.lines import plain_text
    from amberfork_cli.render.text import lay_out

    return "".join(f"{plain_text(line)}\n" for line in lay_out(report, width=None, full=full)).encode()


def _to_json(report: DiffReport, _full: bool, _: Reread | None) -> bytes:
    from amberfork_cli.render.json import to_json

    return to_json(report)


def _to_jsonl(report: DiffReport, _full: bool, _: Reread | None) -> bytes:
    from amberfork_cli.render.json import to_jsonl

    return to_jsonl(report)


def _to_markdown(report: DiffReport, full: bool, _: Reread | None) -> bytes:
    from amberfork_cli.render.markdown import to_markdown

    return to_markdown(report, full=full).encode()


def _to_html(report: DiffReport, full: bool, reread: Reread | None) -> bytes:
    from amberfork_cli.render.html import to_html

    return to_html(report, reread=reread, full=full)


def _to_junit(report: DiffReport, full: bool, _: Reread | None) -> bytes:
    from amberfork_cli.render.junit import to_junit

    return to_junit(report, full=full)


DIFF_FORMS: Final[Mapping[str, Callable[[DiffReport, bool, Reread | None], bytes]]] = {
    ".txt": _to_text,
    ".json": _to_json,
    ".jsonl": _to_jsonl,
    ".md": _to_markdown,
    ".html": _to_html,
    ".xml": _to_junit,
}
"""The forms that a diff can be written in, by the suffix of the file."""
