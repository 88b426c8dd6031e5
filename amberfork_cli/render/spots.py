"""What differs in one exchange, place by place, as the lines of its block.

A place stands at column 0 of the block, a path at 2, a sign at 4; whoever draws the block adds its bar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from amberfork_cli.core.compare.report import Difference, Kind, Spot, ours
from amberfork_cli.core.paths import to_text
from amberfork_cli.render.labels import settled, suffix
from amberfork_cli.render.lines import (
    Line,
    Span,
    Style,
    cut_line,
    cut_middle,
    line_width,
    padded,
    width,
    wrapped,
)
from amberfork_cli.render.page import Page
from amberfork_cli.render.pairs import RECORDED, REISSUED
from amberfork_cli.render.values import Long, on_lines, on_one_line

BAR = 2  # cells of the bar and its space
DIFFERENCES = 8  # an exchange; then a count
_ALIGNED = 28  # cells of the longest path that the others are padded to
_LINKS = (Kind.LINK, Kind.ORPHAN)
_STEP = 2  # cells from a place to its paths, from a path to its signs


def spot_lines(spots: Sequence[Spot], *, page: Page) -> list[Line]:
    """The places of an exchange and what differs there, without the bar; only the first unless in full."""
    total = sum(len(spot.differences) for spot in spots)
    most = total if page.full else DIFFERENCES
    lines: list[Line] = []
    for are_values, group in groupby(first_differences(spots, most), key=is_value):
        if are_values:
            lines += _entries([entry for spot in group for entry in named(spot)], 0, page)
        else:
            for spot in group:
                lines += _place(spot, page)
    if total > most:
        lines.append(((f"{more_differences(total - most)} (--full shows them)", Style.MUTED),))
    return lines


def first_differences(spots: Sequence[Spot], most: int) -> Iterator[Spot]:
    """The places with their first differences, no more of them in all than that many."""
    for spot in spots:
        if most > 0:
            yield replace(spot, differences=spot.differences[:most])
        most -= len(spot.differences)


def is_value(spot: Spot) -> bool:
    """Whether the place needs no line of its own: the name of what differs says where, such as `model`."""
    if spot.who or spot.note:
        return False
    return len(spot.differences) == 1 or all(is_told(each) and each.path for each in spot.differences)


def is_told(difference: Difference) -> bool:
    """Whether a difference is told in words: a whole message or tool, or results in another order."""
    return bool(difference.summary)


def told_words(name: str, difference: Difference, page: Page) -> tuple[str, str]:
    """What a message is, where no name says so, and what it says, or what there is to say of a tool."""
    what = 1 if not name and len(difference.summary) > 1 else 0
    return page.words(difference.summary[:what]), page.words(difference.summary[what:])


def named(spot: Spot) -> list[tuple[str, Difference]]:
    """The differences of a place, each with what stands before its values.

    That leads from the place on, or from the body on where the place has no line of its own: `model`,
    `tools.search_docs`. Of a link it is the word that says what differs.
    """
    inside = is_value(spot)
    return [(_from_body(spot, each) if inside else _from_place(each), each) for each in spot.differences]


def notes(remark: str, difference: Difference, page: Page) -> str:
    """What changed in a long value, and the kind where the values do not show it."""
    return "  ".join(filter(None, (page.words((ours(remark),)), suffix(difference))))


def more_differences(count: int) -> str:
    """What is said of differences that are not shown."""
    return f"{count} more {'difference' if count == 1 else 'differences'}"


def _from_body(spot: Spot, difference: Difference) -> str:
    linked = difference.recorded_path if difference.kind in _LINKS else None
    if linked:
        return to_text(linked)
    inside = to_text(difference.path)
    return f"{spot.label}{'.' if inside and not inside.startswith('[') else ''}{inside}"


def _from_place(difference: Difference) -> str:
    return "answers" if difference.kind in _LINKS and not difference.path else to_text(difference.path)


def _place(spot: Spot, page: Page) -> Iterator[Line]:
    heading: list[Span] = [(settled(spot.label, ascii=page.ascii), Style.PLAIN)]
    if spot.who:
        heading.append((f"  {page.words(spot.who)}", Style.MUTED))
    long = _nameless(spot, page)
    if long and long.remark:
        heading.append((f"  {long.remark}", Style.MUTED))
    yield _cut(heading, page)
    if spot.note:
        yield from _wrapped_note(page.words(spot.note), page)
    if long:
        yield from _indented(long.lines, _STEP)
    else:
        yield from _entries(named(spot), _STEP, page)


def _nameless(spot: Spot, page: Page) -> Long | None:
    """The lines of a long difference that has no name, so that its remark can stand beside the place."""
    (name, difference), *others = named(spot)
    if name or others or is_told(difference):
        return None
    cells = page.cells - BAR - _STEP
    if _one_line("", difference, 0, cells, page):
        return None
    long = on_lines(difference, page=page, cells=page.text_cells - BAR - _STEP)
    return replace(long, remark=notes(long.remark, difference, page))


def _entries(entries: Sequence[tuple[str, Difference]], indent: int, page: Page) -> Iterator[Line]:
    """Every difference of a group, names or first words aligned where that keeps them together."""
    names = [settled(name, ascii=page.ascii) for name, _ in entries]
    column = _column(
        [name for name, (_, difference) in zip(names, entries, strict=True) if not is_told(difference)]
    )
    labels = _column(
        [told_words(name, difference, page)[0] for name, difference in entries if is_told(difference)]
    )
    for name, (_, difference) in zip(names, entries, strict=True):
        if is_told(difference):
            yield from _told(name, difference, labels, indent, page)
        else:
            yield from _entry(name, difference, column, indent, page)


def _column(names: Sequence[str]) -> int:
    longest = max(map(width, names), default=0)
    return longest if longest <= _ALIGNED else 0


def _entry(name: str, difference: Difference, column: int, indent: int, page: Page) -> Iterator[Line]:
    cells = page.cells - BAR - indent
    line = _one_line(name, difference, column, cells, page)
    if line:
        yield _behind(indent, line)
        return
    deeper = indent + _STEP if name else indent
    long = on_lines(difference, page=page, cells=page.text_cells - BAR - deeper)
    behind = notes(long.remark, difference, page)
    if name or behind:
        yield _cut(_heading(name, behind, indent, page), page)
    yield from _indented(long.lines, deeper)


def _heading(name: str, behind: str, indent: int, page: Page) -> Line:
    behind = f"  {behind}" if name and behind else behind
    if page.width is not None:
        room = page.cells - BAR - indent
        name = cut_middle(name, max(room - width(behind), room // 2), dots=page.dots)
    return _behind(indent, ((name, Style.PLAIN), (behind, Style.MUTED)))


def _one_line(name: str, difference: Difference, column: int, cells: int, page: Page) -> list[Span]:
    """Name, values and kind if they fit on one line, else nothing."""
    values = on_one_line(difference, page=page, cells=cells)
    if values is None:
        return []
    start = [(f"{padded(name, column)}  ", Style.PLAIN)] if name else []
    word = suffix(difference)
    line = [*start, *values, *([(f"  {word}", Style.MUTED)] if word else [])]
    return line if line_width(line) <= cells else []


def _told(name: str, difference: Difference, column: int, indent: int, page: Page) -> Iterator[Line]:
    """A message, a tool that one side has, behind its sign; with its whole value where all is asked for."""
    sign, style = _sign(difference)
    first, rest = told_words(name, difference, page)
    if name:
        line = [(f"{sign}{name}", style), (f"  {rest}", Style.MUTED)]
    elif first:
        line = [(f"{sign}{padded(first, column)}  {rest}", style)]
    else:
        line = [(f"{sign}{rest}", style)]
    yield cut_line(_behind(indent, line), page.cells - BAR, dots=page.dots)
    if page.full:
        deeper = indent + _STEP
        yield from _indented(
            on_lines(difference, page=page, cells=page.text_cells - BAR - deeper).lines, deeper
        )


def _sign(difference: Difference) -> tuple[str, Style]:
    if difference.kind is Kind.ADDED:
        return f"{REISSUED.sign} ", REISSUED.style
    if difference.kind is Kind.REMOVED:
        return f"{RECORDED.sign} ", RECORDED.style
    return "", Style.PLAIN


def _wrapped_note(note: str, page: Page) -> Iterator[Line]:
    room = None if page.width is None else page.cells - BAR - _STEP
    yield from _indented(wrapped(((note, Style.MUTED),), room), _STEP)


def _cut(line: Sequence[Span], page: Page) -> Line:
    """The line as the page has room for it; a pipe has room for all."""
    return tuple(line) if page.width is None else cut_line(line, page.cells - BAR, dots=page.dots)


def _indented(lines: Sequence[Line], indent: int) -> Iterator[Line]:
    return (_behind(indent, line) for line in lines)


def _behind(indent: int, line: Sequence[Span]) -> Line:
    return ((" " * indent, Style.PLAIN), *line) if indent else tuple(line)
