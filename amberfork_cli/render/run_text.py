"""A run of tools as text, for terminals and pipes: a table of calls, what differs, a sentence that answers.

A plan is the same table of what would be done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from amberfork_cli.core.compare.words import call_words
from amberfork_cli.core.tools.run_report import CallReport, RunReport
from amberfork_cli.render.header import mark_span
from amberfork_cli.render.labels import Mark
from amberfork_cli.render.lines import Line, Span, Style, cut, cut_line, padded, width, wrapped
from amberfork_cli.render.page import Page
from amberfork_cli.render.run_details import (
    PRINTED_LINES,
    PRINTED_QUIETLY,
    detail_lines,
    duration,
    printed_lines,
)
from amberfork_cli.render.run_labels import Telling, flags, header_counts, is_quiet, mark

_BETWEEN = 18  # cells of a line of the table for its mark, its time and the gaps
_NARROWEST = 16  # cells for a call, however narrow the terminal is
_LONG = 100  # milliseconds; two runs of a quick tool differ by less


def lay_out(
    report: RunReport,
    *,
    width: int | None,
    is_plan: bool = False,
    full: bool = False,
    ascii: bool = False,
) -> list[Line]:
    """The report as lines of styled text, no wider than `width` cells; `None` is for a pipe.

    A plan says what would be done with each call, and what would have to be said for more of them to run.
    `full` shows whole values, and tracebacks.
    """
    page, telling = Page(width, full=full, ascii=ascii), Telling(report, is_plan)
    lines = [*_header(report, page), (), *_table(telling, page)]
    for call in telling.told:
        block = [*_barred(detail_lines(call, page), page), *_printed_by(call, page)]
        lines += [(), _title(call, telling, page), *block] if block else []
    for exchange, text in report.strays:
        heading = ((f"printed by one of the calls at #{exchange}", Style.MUTED),)
        lines += [(), heading, *_printed(text, 0, page, most=PRINTED_LINES)]
    return [*lines, (), *closing(report, width=width, is_plan=is_plan, ascii=ascii)]


def closing(
    report: RunReport, *, width: int | None, is_plan: bool = False, ascii: bool = False
) -> list[Line]:
    """The sentence that answers, and what would run the calls that were not run."""
    page, telling = Page(width, ascii=ascii), Telling(report, is_plan)
    lines = wrapped([(page.words(telling.sentence), Style.BOLD)], page.line_cells)
    if telling.remarks:
        lines += wrapped([(page.words(telling.remarks), Style.PLAIN)], page.line_cells)
    said = " ".join(page.raw(flag) for flag in flags(report))
    return [
        *lines,
        *(wrapped([(f"To run more of them: {said}", Style.PLAIN)], page.line_cells) if said else ()),
    ]


def _header(report: RunReport, page: Page) -> list[Line]:
    names = [page.raw(report.tape.source), page.raw(report.registry)]
    tape = padded(names[0], max(map(width, names))), Style.PLAIN
    return [
        _within([("tape      ", Style.MUTED), tape, (f"  {header_counts(report)}", Style.MUTED)], page),
        _within([("registry  ", Style.MUTED), (names[1], Style.PLAIN)], page),
    ]


def _table(telling: Telling, page: Page) -> Iterator[Line]:
    """One line a call: its mark, where it stands, what it asks, what became of it, how long that took."""
    report = telling.report
    labels = [(telling.mark(call), telling.word(call)) for call in report.calls]
    numbers = [f"#{call.exchange}" for call in report.calls]
    column, widest = max(map(width, numbers), default=0), max((width(said) for _, said in labels), default=0)
    room = max(page.cells - _BETWEEN - column - widest, _NARROWEST)
    asked = [cut(_asked(call, page), room, dots=page.dots) for call in report.calls]
    room = max(map(width, asked), default=0)
    for call, number, call_text, (drawn, said) in zip(report.calls, numbers, asked, labels, strict=True):
        style = Style.MUTED if drawn is Mark.MATCH else Style.PLAIN
        time = f"  {taken}" if (taken := _time(call, page)) else ""
        yield _within(
            [
                mark_span(drawn, page=page),
                (f" {padded(number, column)}  {padded(call_text, room)}  ", style),
                (padded(said, widest) if time else said, style if call.good else Style.LOUD),
                (time, Style.MUTED),
            ],
            page,
        )
        if is_quiet(call):
            yield from _printed(call.printed, call.printed_more, page, most=PRINTED_QUIETLY)


def _asked(call: CallReport, page: Page) -> str:
    return page.words(call_words(call.planned.recorded.call))


def _time(call: CallReport, page: Page) -> str:
    """How long the tool took; in a pipe only where that is more than chance."""
    chance = page.width is None and (call.invocation.duration_ms or 0) < _LONG
    return "" if chance else duration(call)


def _title(call: CallReport, telling: Telling, page: Page) -> Line:
    style = Style.MUTED if call.good else Style.LOUD
    return _within(
        [
            mark_span(mark(call), page=page),
            (f" #{call.exchange}  {_asked(call, page)}  ", Style.PLAIN),
            (telling.word(call), style),
        ],
        page,
    )


def _printed_by(call: CallReport, page: Page) -> Iterator[Line]:
    return _printed(call.printed, call.printed_more, page, most=PRINTED_LINES)


def _printed(text: str, more: int, page: Page, *, most: int) -> Iterator[Line]:
    """What was printed, its first lines."""
    shown, rest = printed_lines(text, more, most=None if page.full else most)
    yield from _barred([[("printed  ", Style.MUTED), (page.raw(line), Style.PLAIN)] for line in shown], page)
    yield from _barred([[(rest, Style.MUTED)]] if rest else [], page)


def _barred(lines: Sequence[Sequence[Span]], page: Page) -> Iterator[Line]:
    for line in lines:
        yield _within([(f"{page.glyphs.bar} ", Style.ACCENT), *line], page)


def _within(line: Sequence[Span], page: Page) -> Line:
    return tuple(line) if page.line_cells is None else cut_line(line, page.line_cells, dots=page.dots)
