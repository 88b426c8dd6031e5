"""The head of a diff: the two tapes, the run as a strip of marks, the counts, what was set aside."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from amberfork_cli.core.compare.report import DiffReport, ExchangeDiff, Spot, Verdict, ours
from amberfork_cli.render.exchange_words import losses
from amberfork_cli.render.labels import Mark, exchanges_word, mark, remarks, totals
from amberfork_cli.render.lines import (
    Line,
    Span,
    Style,
    cut,
    cut_left,
    cut_middle,
    fits,
    joined,
    line_width,
    padded,
    width,
    wrapped,
)
from amberfork_cli.render.page import Page

INDENT = 11  # cells of `re-issued` and its spaces
_STRIP = 64
_SHORTEST_NAME = 12

_MARK_STYLES = {
    Mark.MATCH: Style.MUTED,
    Mark.MOVED: Style.MUTED,
    Mark.CARRIED: Style.ACCENT,
    Mark.EXTRA: Style.LOUD,
    Mark.MISSING: Style.LOUD,
    Mark.CHANGED: Style.LOUD,
    Mark.FORK: Style.LOUD,
}


def header(report: DiffReport, *, page: Page, with_strip: bool) -> list[Line]:
    """The lines above the first exchange; `with_strip` where the whole run is one conversation."""
    lines = _tapes(report, page)
    if with_strip and report.verdict is not Verdict.SAME:
        lines += _strip_and_counts(report, page)
    told = [word for remark in remarks(report) for word in (ours("; "), *remark)][1:]
    if told:
        lines += _below(page.words(tuple(told)), page)
    return lines


def common_endpoint(report: DiffReport) -> str:
    """The endpoint that all exchanges of both tapes have, or nothing."""
    endpoints = {exchange.endpoint for exchange in report.exchanges}
    changed = any(map(_is_of_endpoint, (spot for exchange in report.changes for spot in exchange.spots)))
    return endpoints.pop() if len(endpoints) == 1 and not changed else ""


def _is_of_endpoint(spot: Spot) -> bool:
    """Whether a place is the request's method or path, and not a member of the body that is called so."""
    return spot.label in ("method", "path") and spot.differences[0].recorded_path == ()


def strip(exchanges: Sequence[ExchangeDiff], *, page: Page, cells: int) -> Line:
    """One mark an exchange, in order; where they are too many, the weightiest of each few."""
    count = min(len(exchanges), _STRIP, cells)
    marks = [mark(exchange) for exchange in exchanges]
    bounds = [at * len(marks) // count for at in range(count + 1)] if count > 0 else []
    weightiest = [max(marks[first:last]) for first, last in pairwise(bounds)]
    return joined((page.glyphs.marks[each], _MARK_STYLES[each]) for each in weightiest)


def mark_span(each: Mark, *, page: Page) -> Span:
    """The mark at the beginning of an exchange's line."""
    return page.glyphs.marks[each], _MARK_STYLES[each]


def _tapes(report: DiffReport, page: Page) -> list[Line]:
    counts, lost = _counts(report), [losses(report.recorded), losses(report.reissued)]
    together = [f"{count}, {loss}" if loss else count for count, loss in zip(counts, lost, strict=True)]
    room = page.cells - INDENT - 2
    beside = page.width is None or max(map(width, together)) + _SHORTEST_NAME <= room
    lines = _tape_lines(report, together if beside else counts, page)
    if not beside:
        for side, loss in zip(("recorded", "re-issued"), lost, strict=True):
            lines += _below(f"{side}: {loss}", page) if loss else []
    return lines


def _tape_lines(report: DiffReport, counts: Sequence[str], page: Page) -> list[Line]:
    names = [page.written(tape.source) for tape in (report.recorded, report.reissued)]
    if page.width is not None:
        names = _short_names(names, page.cells - INDENT - 2 - max(map(width, counts)), page.dots)
    column = max(map(width, names))
    lines: list[Line] = [
        (
            (padded(side, INDENT), Style.MUTED),
            (padded(name, column), Style.PLAIN),
            (f"  {count}", Style.MUTED),
        )
        for side, name, count in zip(("recorded", "re-issued"), names, counts, strict=True)
    ]
    endpoint = f"  {page.written(common_endpoint(report))}"
    if endpoint.strip() and (page.width is None or fits(endpoint, page.cells - line_width(lines[0]))):
        lines[0] = (*lines[0], (endpoint, Style.MUTED))
    return lines


def _counts(report: DiffReport) -> list[str]:
    counts = (report.recorded.exchanges, report.reissued.exchanges)
    digits = len(str(max(counts)))
    return [" " * (digits - len(str(count))) + exchanges_word(count) for count in counts]


def _short_names(names: Sequence[str], cells: int, dots: str) -> list[str]:
    """Both names, cut so that they still differ: on the left, in the middle, or around the difference."""
    recorded, reissued = names
    for shorten in (cut_left, cut_middle):
        short = [shorten(name, cells, dots=dots) for name in names]
        if short[0] != short[1] or recorded == reissued:
            return short
    pairs = enumerate(zip(recorded, reissued, strict=False))
    first = next((at for at, (one, other) in pairs if one != other), min(map(len, names)))
    start = max(first - cells // 2, 0)
    return [dots + cut(name[start:], cells - width(dots), dots=dots) for name in names]


def _strip_and_counts(report: DiffReport, page: Page) -> list[Line]:
    marks = strip(report.exchanges, page=page, cells=page.cells - INDENT)
    counts = ", ".join(f"{count} {word}" for word, count in totals(report).items() if count)
    line: Line = ((" " * INDENT, Style.PLAIN), *marks, (f"  {counts}", Style.MUTED))
    if page.width is None or line_width(line) <= page.cells:
        return [line]
    return [line[:-1], *_below(counts, page)]


def _below(text: str, page: Page) -> list[Line]:
    """Muted text under the names, on as many lines as it takes."""
    room = None if page.width is None else page.cells - INDENT
    return [((" " * INDENT, Style.PLAIN), *line) for line in wrapped(((text, Style.MUTED),), room)]
