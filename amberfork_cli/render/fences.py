"""What differs in one exchange as the lines of a diff that Markdown colours: a sign at column 0 of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from amberfork_cli.core.compare.report import Difference, Kind, Spot
from amberfork_cli.render.labels import settled, suffix
from amberfork_cli.render.lines import Line, cut, cut_middle, line_width, plain_text
from amberfork_cli.render.page import Page
from amberfork_cli.render.pairs import RECORDED, REISSUED, more_changes
from amberfork_cli.render.spots import (
    DIFFERENCES,
    first_differences,
    is_told,
    is_value,
    more_differences,
    named,
    notes,
    told_words,
)
from amberfork_cli.render.values import long_sides, short_sides

_NAME = 200  # cells of a path or of what stands at a place; a member's name may be a megabyte
_BOTH = " "


def diff_lines(spots: Sequence[Spot], *, full: bool) -> Iterator[str]:
    """The places of an exchange and what differs there; only the first differences unless in full."""
    page = Page(None, full=full)
    total = sum(len(spot.differences) for spot in spots)
    most = total if full else DIFFERENCES
    for spot in first_differences(spots, most):
        yield from _values(spot, "", page) if is_value(spot) else _place(spot, page)
    if total > most:
        yield f"{_BOTH} {more_differences(total - most)} (--full shows them)"


def _place(spot: Spot, page: Page) -> Iterator[str]:
    who = f"  {_cut(page.words(spot.who), page)}" if spot.who else ""
    yield f"{_BOTH} {_name(settled(spot.label), page)}{who}"
    if spot.note:
        yield f"{_BOTH}   {_cut(page.words(spot.note), page)}"
    yield from _values(spot, "  ", page)


def _values(spot: Spot, indent: str, page: Page) -> Iterator[str]:
    for text, difference in named(spot):
        name = _name(settled(text), page)
        if is_told(difference):
            yield from _told(name, difference, indent, page)
        else:
            yield from _short(name, difference, indent, page) or _long(name, difference, indent, page)


def _told(name: str, difference: Difference, indent: str, page: Page) -> Iterator[str]:
    """A message or a tool that one side has, with its whole value where all is asked for."""
    sign = {Kind.ADDED: REISSUED.sign, Kind.REMOVED: RECORDED.sign}.get(difference.kind, _BOTH)
    first, rest = told_words(name, difference, page)
    yield _cut(f"{sign} {indent}{': '.join(filter(None, (name or first, rest)))}", page)
    if page.full:
        yield from _pairs(long_sides(difference, page=page, cells=page.text_cells).pairs, f"{indent}  ")


def _short(name: str, difference: Difference, indent: str, page: Page) -> list[str]:
    """Each value on a line behind the name; nothing where they are too long for that."""
    sides = short_sides(difference, page=page, cells=page.cells)
    if sides is None or sum(map(line_width, sides)) > page.cells:
        return []
    kind = suffix(difference)
    start = f"{indent}{name}{': ' if name else ''}"
    lines = [
        f"{side.sign} {start}{plain_text(line)}"
        for side, line in zip((RECORDED, REISSUED), sides, strict=True)
        if line
    ]
    return [*lines[:-1], f"{lines[-1]}  ({kind})" if kind else lines[-1]] if lines else []


def _long(name: str, difference: Difference, indent: str, page: Page) -> Iterator[str]:
    sides = long_sides(difference, page=page, cells=page.text_cells)
    behind = notes(sides.remark, difference, page)
    heading = "  ".join(filter(None, (name, behind)))
    if heading:
        yield f"{_BOTH} {indent}{heading}"
    deeper = f"{indent}  " if name else indent
    yield from _pairs(sides.pairs, deeper)
    if sides.more:
        yield f"{_BOTH} {deeper}{more_changes(sides.more)} (--full shows them)"


def _pairs(pairs: Sequence[tuple[list[Line], list[Line]]], indent: str) -> Iterator[str]:
    for recorded, reissued in pairs:
        signed = ((RECORDED.sign, recorded), (REISSUED.sign, reissued))
        yield from chain.from_iterable(
            (f"{sign} {indent}{plain_text(line)}" for line in lines) for sign, lines in signed
        )


def _name(name: str, page: Page) -> str:
    return cut_middle(name, _NAME, dots=page.dots)


def _cut(text: str, page: Page) -> str:
    return cut(text, _NAME, dots=page.dots)
