"""A tape as a table: a line an exchange, headed by where it went and which model was asked.

The heading stands once for as many exchanges as share it. Columns that would be empty are left out, and on a
narrow terminal those that say least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from amberfork_cli.core.overview import Delivery, Endpoint, Overview, Results, Tokens
from amberfork_cli.render.figures import counted, repeated, short
from amberfork_cli.render.labels import exchanges_word
from amberfork_cli.render.lines import Line, Span, Style, cut_left, cut_line, line_width, padded, width
from amberfork_cli.render.page import Page

_FAILED = 400  # the least status that says so
_GAP = "  "
_STREAMS = (Delivery.STREAMED, Delivery.CUT_SHORT)
_LEFT = ("stream",)  # the columns whose cells begin at the left
_LEAST = ("bytes", "stream", "tokens")  # the columns that make room first
_TURN = 30  # cells of the last column, below which it says too little


def lay_out(source: str, rows: Sequence[Overview], *, width: int | None, ascii: bool = False) -> list[Line]:
    """The table as lines, none wider than `width` cells (from 60 on); a pipe, `None`, has room for all."""
    page = Page(width, ascii=ascii)
    beside = max((len(_added(row)) for row in rows), default=0)
    cells = [_cells(row, beside, page) for row in rows]
    widths = _widths(cells, page)
    lines = [_title(source, rows, page), (), _head(widths, page)]
    for (endpoint, model), group in groupby(
        zip(rows, cells, strict=True), key=lambda pair: (pair[0].endpoint, pair[0].model)
    ):
        lines.append(_heading(endpoint, model, page))
        lines += [_row(row, texts, widths, page) for row, texts in group]
    return lines


def _title(source: str, rows: Sequence[Overview], page: Page) -> Line:
    conversations = len({row.conversation for row in rows})
    counts = f"{_GAP}{exchanges_word(len(rows))}, {counted(conversations, 'conversation')}"
    name = page.written(source)
    if page.width is not None:
        name = cut_left(name, page.cells - len(counts), dots=page.dots)
    return (name, Style.BOLD), (counts, Style.MUTED)


def _heading(endpoint: Endpoint, model: str, page: Page) -> Line:
    aside = "" if endpoint.to_model else f"{_GAP}not to a model"
    name = (page.raw(str(endpoint)), Style.MUTED)
    asked = f"{_GAP}{page.raw(model)}" if model else ""
    beside = line_width([(asked + aside, Style.MUTED)])
    if page.width is not None and beside < page.cells // 2:
        name = (cut_left(name[0], page.cells - beside, dots=page.dots), Style.MUTED)
    return _within([name, (asked, Style.ACCENT), (aside, Style.LOUD)], page)


def _head(widths: dict[str, int], page: Page) -> Line:
    names = [_aligned(name, name, cells) for name, cells in widths.items()]
    return _within([(_GAP.join([*names, "turn"]), Style.MUTED)], page)


def _row(row: Overview, texts: dict[str, str], widths: dict[str, int], page: Page) -> Line:
    spans: list[Span] = []
    for name, cells in widths.items():
        style = Style.BOLD if name == "#" else Style.MUTED
        if name == "status" and (row.answer.status or 0) >= _FAILED:
            style = Style.LOUD
        spans.append((_aligned(name, texts[name], cells) + _GAP, style))
    turn = [*_turn(row, page)]
    if not turn:  # a line ends where its words end
        spans[-1] = (spans[-1][0].rstrip(), spans[-1][1])
    return _within([*spans, *turn], page)


def _cells(row: Overview, beside: int, page: Page) -> dict[str, str]:
    """What stands in each column but the last; what a turn adds takes `beside` cells."""
    return {
        "#": f"#{row.number}",
        "after": "" if row.continues is None else f"#{row.continues}",
        "messages": f"{row.messages}{_added(row):{beside}}" if row.messages else "",
        "status": "" if row.answer.status is None else str(row.answer.status),
        "stream": "stream" if row.answer.delivery in _STREAMS else "",
        "bytes": _pair(short(row.sent), short(row.received), page),
        "tokens": _tokens(row.answer.tokens, page),
    }


def _added(row: Overview) -> str:
    return "" if row.continues is None else f" +{row.added}"


def _widths(rows: Sequence[dict[str, str]], page: Page) -> dict[str, int]:
    """The columns before the last one, and how wide each is."""
    widths = {
        name: max(width(name), *(width(row[name]) for row in rows))
        for name in (rows[0] if rows else ())
        if any(row[name] for row in rows)
    }
    for name in _LEAST:
        taken = sum(widths.values()) + len(_GAP) * len(widths)
        if page.width is not None and page.cells - taken < _TURN:
            widths.pop(name, None)
    return widths


def _pair(sent: str, received: str, page: Page) -> str:
    return f"{sent} {page.glyphs.arrow} {received:>4}"


def _tokens(tokens: Tokens, page: Page) -> str:
    if not tokens:
        return ""
    sent, received = ("?" if count is None else short(count) for count in (tokens.sent, tokens.received))
    return _pair(sent, received, page)


def _turn(row: Overview, page: Page) -> Iterator[Span]:
    """What was brought to the model, and what it made of it."""
    brought = _results(row.results)
    if brought:
        yield brought, Style.REISSUED if not row.results.failed else Style.LOUD
    told, style = _told(row, page)
    if told:
        yield (", " if brought else "") + told, style
    if row.answer.delivery is Delivery.CUT_SHORT:
        yield (", " if brought or told else "") + "cut short", Style.LOUD


def _results(results: Results) -> str:
    failed = f" ({results.failed} failed)" if results.failed else ""
    return counted(results.count, "result") + failed if results.count else ""


def _told(row: Overview, page: Page) -> tuple[str, Style]:
    answer = row.answer
    if answer.calls:
        names = repeated((page.raw(name) or "?" for name in answer.calls), "x" if page.ascii else "×")
        return f"calls {names}", Style.PLAIN
    if answer.words:
        verb, style = ("error: ", Style.LOUD) if answer.error else ("", Style.PLAIN)
        return f'{verb}"{page.raw(answer.words)}"', style
    return ("no response", Style.MUTED) if answer.delivery is Delivery.NONE else ("", Style.PLAIN)


def _aligned(column: str, text: str, cells: int) -> str:
    if column in _LEFT:
        return padded(text, cells)
    return " " * (cells - width(text)) + text


def _within(line: Sequence[Span], page: Page) -> Line:
    kept = [span for span in line if span[0]]
    return tuple(kept) if page.width is None else cut_line(kept, page.cells, dots=page.dots)
