"""What a linter found, as text: two lines a finding, and a sentence that answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from amberfork_cli.core.linting.findings import Finding, LintReport, Rule
from amberfork_cli.render.figures import counted
from amberfork_cli.render.labels import exchanges_word
from amberfork_cli.render.lines import Line, Style, cut_middle, wrapped
from amberfork_cli.render.page import Page

_INDENT = 4


def lay_out(reports: Sequence[LintReport], *, width: int | None, ascii: bool = False) -> list[Line]:
    """The reports as lines, none wider than `width` cells (from 60 on); a pipe, `None`, has room for all."""
    page = Page(width, ascii=ascii)
    lines = [
        line for report in reports for finding in report.findings for line in _told(report, finding, page)
    ]
    answers = [line for report in reports for line in _answer(report, page)]
    return [*lines, *([()] if lines else []), *answers]


def _told(report: LintReport, finding: Finding, page: Page) -> Iterator[Line]:
    place = finding.place
    line = f":{place.line}" if place.line is not None else ""
    exchange = f" #{place.exchange}" if place.exchange is not None else ""
    head = [
        (f"{page.written(report.source)}{line}:{exchange}", Style.BOLD),
        (f" {finding.rule.value}", Style.LOUD),
        (f"  {page.raw(finding.message)}", Style.PLAIN),
    ]
    yield from _hung(wrapped(head, page.line_cells and page.line_cells - _INDENT))
    yield from _where(finding, page)


def _where(finding: Finding, page: Page) -> Iterator[Line]:
    """The JSON Pointer, and how many places more there are."""
    more = f"and {counted(finding.more, 'place')} more" if finding.more else ""
    pointer = page.raw(finding.place.pointer)
    words = f"{pointer}  {more}".strip()
    if words:
        if page.width is not None:
            room = page.cells - _INDENT - (len(more) + 2 if more else 0)
            words = f"{cut_middle(pointer, room, dots=page.dots)}  {more}".strip()
        yield ((f"{' ' * _INDENT}{words}", Style.MUTED),)


def _hung(lines: Sequence[Line]) -> Iterator[Line]:
    yield from lines[:1]
    for line in lines[1:]:
        yield ((" " * _INDENT, Style.PLAIN), *line)


def _answer(report: LintReport, page: Page) -> Sequence[Line]:
    """How many findings there are, and of which rules."""
    counts = Counter(finding.rule for finding in report.findings)
    rules = ", ".join(f"{counts[rule]} {rule.value}" for rule in Rule if counts[rule])
    found = f"{counted(len(report.findings), 'finding')} in" if rules else "nothing found in"
    sentence = f"{page.written(report.source)}: {found} {exchanges_word(report.exchanges)}"
    return wrapped([(f"{sentence}: {rules}." if rules else f"{sentence}.", Style.BOLD)], page.line_cells)
