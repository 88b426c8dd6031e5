"""A report on its way out: to stdout in the form that was wanted, to files in the form their names tell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from amberfork_cli.commands.showing import output, stdout
from amberfork_cli.errors import OptionError, OutputError

if TYPE_CHECKING:
    from amberfork_cli.core.compare.report import DiffReport
    from amberfork_cli.core.tools.run_report import RunReport
    from amberfork_cli.render.html import Reread
    from amberfork_cli.render.lines import Line


class Format(StrEnum):
    """How a report is shown on stdout; `github` is for a job of GitHub Actions."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    GITHUB = "github"


class FileForm(StrEnum):
    """How a report is written to a file, by the suffix of its name."""

    TEXT = ".txt"
    JSON = ".json"
    JSONL = ".jsonl"
    MARKDOWN = ".md"
    HTML = ".html"
    JUNIT = ".xml"


_AS_FILE: Final[Mapping[Format, FileForm]] = MappingProxyType(
    {Format.JSON: FileForm.JSON, Format.JSONL: FileForm.JSONL}
)


class Told(ABC):
    """What a command has found, in every form that it can be told in."""

    @abstractmethod
    def lines(self, *, width: int | None, ascii: bool = False) -> Sequence[Line]:
        """As text, no wider than so many cells; `None` is for a pipe."""

    @abstractmethod
    def answer(self, *, width: int | None, ascii: bool = False) -> Sequence[Line]:
        """The end of that text, to stay on the screen when a pager has shown it all."""

    @abstractmethod
    def annotations(self) -> str:
        """As workflow commands of GitHub Actions."""

    @abstractmethod
    def markdown(self) -> str:
        """As a comment on a pull request, or the summary of a job."""

    def written(self, form: FileForm) -> bytes:
        """As the content of a file."""
        if form is FileForm.TEXT:
            from amberfork_cli.render.lines import plain_text

            return "".join(f"{plain_text(line)}\n" for line in self.lines(width=None)).encode()
        return self.markdown().encode() if form is FileForm.MARKDOWN else self._written(form)

    @abstractmethod
    def _written(self, form: FileForm) -> bytes:
        """The same for what is neither text nor Markdown."""


@dataclass(frozen=True, slots=True)
class DiffTold(Told):
    """What comparing two tapes found.

    `full` tells whole values and every difference, `reread` looks up the exchanges that a page shows whole,
    `tools` is the run of tools beside it, if there was one.
    """

    report: DiffReport
    full: bool = False
    reread: Reread | None = None
    tools: RunReport | None = None

    def lines(self, *, width: int | None, ascii: bool = False) -> Sequence[Line]:
        """The diff, and the run below it."""
        from amberfork_cli.render.text import lay_out

        lines = lay_out(self.report, width=width, full=self.full, ascii=ascii)
        beside = self._beside()
        return [*lines, (), *beside.lines(width=width, ascii=ascii)] if beside else lines

    def answer(self, *, width: int | None, ascii: bool = False) -> Sequence[Line]:
        """The sentence of the diff, and that of the run."""
        from amberfork_cli.render.text import closing

        lines = closing(self.report, width=width, ascii=ascii)
        beside = self._beside()
        return [*lines, *beside.answer(width=width, ascii=ascii)] if beside else lines

    def annotations(self) -> str:
        """One for each fork, and for each call that does not answer as it did."""
        from amberfork_cli.render.github import to_github

        return to_github(self.report, tools=self.tools)

    def markdown(self) -> str:
        """Below the length that a comment may have."""
        from amberfork_cli.render.markdown import to_markdown

        return to_markdown(self.report, full=self.full, tools=self.tools)

    def _beside(self) -> RunTold | None:
        return RunTold(self.tools, full=self.full) if self.tools else None

    def _written(self, form: FileForm) -> bytes:
        if form is FileForm.HTML:
            from amberfork_cli.render.html import to_html

            return to_html(self.report, reread=self.reread, full=self.full, tools=self.tools)
        if form is FileForm.JUNIT:
            from amberfork_cli.render.junit import to_junit

            return to_junit(self.report, full=self.full, tools=self.tools)
        from amberfork_cli.render.json import to_json, to_jsonl

        return to_json(self.report, tools=self.tools) if form is FileForm.JSON else to_jsonl(self.report)


@dataclass(frozen=True, slots=True)
class RunTold(Told):
    """What running the tools of a tape found, or the plan of it."""

    report: RunReport
    full: bool = False
    is_plan: bool = False

    def lines(self, *, width: int | None, ascii: bool = False) -> Sequence[Line]:
        """A table of calls, what differs, the answer."""
        from amberfork_cli.render.run_text import lay_out

        return lay_out(self.report, width=width, is_plan=self.is_plan, full=self.full, ascii=ascii)

    def answer(self, *, width: int | None, ascii: bool = False) -> Sequence[Line]:
        """The sentence, and what would run the calls that were not run."""
        from amberfork_cli.render.run_text import closing

        return closing(self.report, width=width, is_plan=self.is_plan, ascii=ascii)

    def annotations(self) -> str:
        """One for each call that does not answer as it did."""
        from amberfork_cli.render.run_github import to_github

        return to_github(self.report, is_plan=self.is_plan)

    def markdown(self) -> str:
        """Below the length that a comment may have."""
        from amberfork_cli.render.run_markdown import to_markdown

        return to_markdown(self.report, is_plan=self.is_plan, full=self.full)

    def _written(self, form: FileForm) -> bytes:
        if form is FileForm.HTML:
            from amberfork_cli.render.html.run_page import to_html

            return to_html(self.report, is_plan=self.is_plan, full=self.full)
        if form is FileForm.JUNIT:
            from amberfork_cli.render.run_junit import to_junit

            return to_junit(self.report, is_plan=self.is_plan, full=self.full)
        from amberfork_cli.render.run_json import to_json, to_jsonl

        return to_json(self.report, is_plan=self.is_plan) if form is FileForm.JSON else to_jsonl(self.report)


def form_of(file: Path) -> FileForm:
    """The form that the name of a file tells; raises OptionError where it tells none."""
    suffix = file.suffix.lower()
    if suffix in set(FileForm):
        return FileForm(suffix)
    known = ", ".join(FileForm)
    raise OptionError(f"{file}: the name does not tell the form of the report: end it in {known}")


def refuse_what_cannot_be_written(files: Iterable[Path], *, read: Sequence[Path]) -> None:
    """Raises OptionError and OutputError for what would lose a report after all the work for it.

    Or a tape: none that is `read` is written over.
    """
    for file in files:
        form_of(file)
        refuse_a_missing_folder(file)
        if file.exists() and any(tape.exists() and tape.samefile(file) for tape in read):
            raise OptionError(f"{file} is a tape that is read: the report needs a file of its own")


def refuse_a_missing_folder(file: Path) -> None:
    """Raises OutputError where nothing can be written by that name."""
    if not file.parent.is_dir():
        raise OutputError(f"there is no folder {file.parent}", target=str(file))


def show(told: Told, form: Format) -> None:
    """Show a report on stdout; a terminal gets it in its width and colours, through a pager if it is long.

    Raises OutputError.
    """
    if form is Format.TEXT:
        _show_text(told)
    elif form is Format.GITHUB:
        from amberfork_cli.commands import github

        github.show(told)
    else:
        with output(None) as stream:
            stream.write(told.written(_AS_FILE[form]))


def save(told: Told, files: Iterable[Path]) -> None:
    """Write a report to files, each whole or not at all, in the form of its suffix; raises OutputError."""
    for file in files:
        with output(file) as stream:
            stream.write(told.written(form_of(file)))


def _show_text(told: Told) -> None:
    from amberfork_cli.render import terminal

    stream = stdout()
    width, plain = terminal.columns(stream), terminal.needs_ascii(stream)
    lines = told.lines(width=width, ascii=plain)
    terminal.show(lines, stream, closing=told.answer(width=width, ascii=plain))
