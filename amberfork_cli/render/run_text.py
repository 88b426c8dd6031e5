"""A run of tools as text, for terminals and pipes: a table of calls, what differs, a sentence that answers.

A plan is the same table of what would be done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.report import Difference, Spot
from amberfork_cli.core.compare.values import Change, changes
from amberfork_cli.core.compare.words import call_words
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.comparison import Status
from amberfork_cli.core.tools.run_report import CallReport, RunReport
from amberfork_cli.render.header import mark_span
from amberfork_cli.render.labels import Mark
from amberfork_cli.render.lines import Line, Span, Style, cut, cut_line, padded, width, wrapped
from amberfork_cli.render.page import Page
from amberfork_cli.render.run_labels import (
    calls_word,
    flags,
    mark,
    plan_mark,
    plan_sentence,
    plan_word,
    sentence,
    status_word,
)
from amberfork_cli.render.spots import spot_lines

_BETWEEN = 18  # cells of a line of the table for its mark, its time and the gaps
_NARROWEST = 16  # cells for a call, however narrow the terminal is
_PRINTED_LINES = 8  # of what a call printed
_PRINTED_QUIETLY = 3  # the same of a call that is no news
_LONG = 100  # milliseconds; two runs of a quick tool differ by less
_FAULTS = 8  # of arguments


def lay_out(report: RunReport, *, width: int | None, ascii: bool = False) -> list[Line]:
    """The report as lines of styled text, no wider than `width` cells; `None` is for a pipe."""
    page = Page(width, ascii=ascii)
    lines = [*_header(report, page), (), *_table(report, page, _told)]
    for call in _told_apart(report.calls):
        if not _is_quiet(call) and (details := list(_details(call, page))):
            lines += [(), _title(call, status_word(call), page), *details]
    for exchange, text in report.strays:
        heading = _muted(f"printed by one of the calls at #{exchange}")
        lines += [(), heading, *_printed(text, 0, page, most=_PRINTED_LINES)]
    return [*lines, (), *closing(report, width=width, ascii=ascii)]


def lay_out_plan(report: RunReport, *, width: int | None, ascii: bool = False) -> list[Line]:
    """What would be done with each call, and what would have to be said for more of them to run."""
    page = Page(width, ascii=ascii)
    lines = [*_header(report, page), (), *_table(report, page, _planned)]
    for call in _told_apart(report.calls):
        if call.status in _TOLD_BEFORE:
            lines += [(), _title(call, plan_word(call), page), *_error(call, page)]
    said = [(page.words(plan_sentence(report)), Style.BOLD)]
    return [*lines, (), *wrapped(said, page.line_cells), *_hints(report, page)]


def closing(report: RunReport, *, width: int | None, ascii: bool = False) -> list[Line]:
    """The sentence that answers, and what would run the calls that were not run."""
    page = Page(width, ascii=ascii)
    lines = wrapped([(page.words(sentence(report)), Style.BOLD)], page.line_cells)
    if report.restarts:
        times = "once" if report.restarts == 1 else f"{report.restarts} times"
        told = f"The registry was loaded anew {times}; what it held in memory was lost."
        lines += wrapped([(told, Style.PLAIN)], page.line_cells)
    return [*lines, *_hints(report, page)]


_TOLD_BEFORE = {Status.INVALID_ARGUMENTS, Status.UNKNOWN_TOOL}


def _told_apart(calls: Iterable[CallReport]) -> Iterator[CallReport]:
    """The calls, of each unknown tool only the first: there is no more to say of the others."""
    unknown: set[str] = set()
    for call in calls:
        if call.status is not Status.UNKNOWN_TOOL or call.planned.name not in unknown:
            yield call
        if call.status is Status.UNKNOWN_TOOL:
            unknown.add(call.planned.name)


def _hints(report: RunReport, page: Page) -> list[Line]:
    said = " ".join(page.raw(flag) for flag in flags(report))
    return wrapped([(f"To run more of them: {said}", Style.PLAIN)], page.line_cells) if said else []


def _header(report: RunReport, page: Page) -> list[Line]:
    turns = "1 turn" if report.turns == 1 else f"{report.turns:,} turns"
    provider = f", {report.by_provider:,} more run by the provider" if report.by_provider else ""
    counted = f"{calls_word(len(report.calls))} in {turns}{provider}"
    names = [page.raw(report.tape.source), page.raw(report.registry)]
    tape = (padded(names[0], max(map(width, names))), Style.PLAIN), (f"  {counted}", Style.MUTED)
    return [
        _within([("tape      ", Style.MUTED), *tape], page),
        _within([("registry  ", Style.MUTED), (names[1], Style.PLAIN)], page),
    ]


def _told(call: CallReport) -> tuple[Mark, str]:
    return mark(call), status_word(call)


def _planned(call: CallReport) -> tuple[Mark, str]:
    return plan_mark(call), plan_word(call)


def _table(report: RunReport, page: Page, label: Callable[[CallReport], tuple[Mark, str]]) -> Iterator[Line]:
    """One line a call: its mark, where it stands, what it asks, what became of it, how long that took."""
    labels = [label(call) for call in report.calls]
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
        if _is_quiet(call):
            yield from _printed(call.printed, call.printed_more, page, most=_PRINTED_QUIETLY)


def _is_quiet(call: CallReport) -> bool:
    """Whether all that there is to say of a call is its line, and what it printed."""
    return call.good and not (call.comparison and call.comparison.note)


def _asked(call: CallReport, page: Page) -> str:
    return page.words(call_words(call.planned.recorded.call))


def _time(call: CallReport, page: Page) -> str:
    """How long the tool took; in a pipe only where that is more than chance."""
    ms = call.invocation.duration_ms
    if ms is None or (page.width is None and ms < _LONG):
        return ""
    if ms < 1:
        return "<1 ms"
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def _title(call: CallReport, word: str, page: Page) -> Line:
    number = (f" #{call.exchange}  ", Style.PLAIN)
    asked = (f"{_asked(call, page)}  ", Style.PLAIN)
    return _within(
        [
            mark_span(mark(call), page=page),
            number,
            asked,
            (word, Style.LOUD if not call.good else Style.MUTED),
        ],
        page,
    )


def _details(call: CallReport, page: Page) -> Iterator[Line]:
    """What there is to say of a call beyond its line in the table."""
    if call.status is Status.CHANGED and call.invocation.ok:
        yield from _difference(call, page)
    elif not call.good:
        yield from _then(call, page)
        yield from _error(call, page)
    if call.comparison and call.comparison.note:
        yield from _barred([_muted(page.raw(call.comparison.note))], page)
    yield from _printed(call.printed, call.printed_more, page, most=_PRINTED_LINES)


def _difference(call: CallReport, page: Page) -> Iterator[Line]:
    comparison = call.comparison
    if comparison is not None:
        found = changes(comparison.then, comparison.now)
        yield from _barred(spot_lines([_spot(found)], page=page), page)


def _spot(found: Sequence[Change]) -> Spot:
    return Spot("result", (), tuple(_as_difference(change) for change in found))


def _as_difference(change: Change) -> Difference:
    path = change.path if change.inner is None else (*change.path, *change.inner)
    return Difference(
        change.kind, path, change.old_path, change.new_path, change.old, change.new, inner_path=change.inner
    )


def _then(call: CallReport, page: Page) -> Iterator[Line]:
    """What was recorded, where the fresh end is of another kind."""
    if call.comparison is not None and call.planned.recorded.result is not None:
        text = _one_line(call.comparison.then)
        yield from _barred([_signed("-", page.raw(text), Style.RECORDED, page)], page)


def _error(call: CallReport, page: Page) -> Iterator[Line]:
    """What was answered instead: the error with all its details, or the result."""
    end = call.invocation
    text = _one_line(end.data) if end.ok else end.error
    lines = [_signed("+", page.raw(line), Style.REISSUED, page) for line in text.splitlines()[:1]]
    if len(end.details) > 1:
        lines += [_signed(" ", page.raw(_fault(fault)), Style.PLAIN, page) for fault in end.details[:_FAULTS]]
    yield from _barred(lines, page)


def _fault(fault: JsonValue) -> str:
    if isinstance(fault, dict) and fault.keys() == {"path", "message"}:
        return f"{fault['path']}: {fault['message']}".removeprefix(": ")
    return _one_line(fault)


def _printed(text: str, more: int, page: Page, *, most: int) -> Iterator[Line]:
    """What was printed, its first lines."""
    if not text:
        return
    lines = text.splitlines()
    shown = [[("printed  ", Style.MUTED), (page.raw(line), Style.PLAIN)] for line in lines[:most]]
    left = len(lines) - most
    rest = [f"{left:,} more lines"] * (left > 0) + [f"{more:,} more characters"] * (more > 0)
    yield from _barred(shown + [[_muted(", ".join(rest))[0]]] * bool(rest), page)


def _one_line(value: JsonValue) -> str:
    text = value if isinstance(value, str) else jsontext.dumps(value).decode()
    return " ".join(text.split())


def _signed(sign: str, text: str, style: Style, page: Page) -> Line:
    return ((f"{sign} ", style), (cut(text, page.text_cells - 4, dots=page.dots), style))


def _muted(text: str) -> Line:
    return ((text, Style.MUTED),)


def _barred(lines: Sequence[Sequence[Span]], page: Page) -> Iterator[Line]:
    for line in lines:
        yield _within([(f"{page.glyphs.bar} ", Style.ACCENT), *line], page)


def _within(line: Sequence[Span], page: Page) -> Line:
    return tuple(line) if page.line_cells is None else cut_line(line, page.line_cells, dots=page.dots)
