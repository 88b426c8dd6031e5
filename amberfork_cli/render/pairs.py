"""A long text that changed, as a line of each side: cut around the change, below or beside each other.

Both lines begin alike, so that the change stands in the same column: that is what makes it readable without
colour. Context is only text that both sides have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import islice, zip_longest
from typing import TypeAlias

from amberfork_cli.core.compare.lookalikes import spelled
from amberfork_cli.render.lines import (
    Line,
    Span,
    Style,
    cut_line,
    end_of,
    fits,
    line_width,
    plain_text,
    start_of,
    width,
    wrapped,
)
from amberfork_cli.render.page import Page
from amberfork_cli.render.places import CONTEXT, Place, places
from amberfork_cli.render.textdiff import Run, TextDiff
from amberfork_cli.render.visible import unseen

Shown: TypeAlias = Callable[[str], str]
Pair: TypeAlias = tuple[list[Line], list[Line]]

_PLACES = 4
_LINES = 3
_LINES_BESIDE = 6
_SIGN = 2  # cells of a sign and its space
_CHARACTERS = 8  # a cell: no more of a text is looked at
_LOOKED_AT = 4096  # characters of a change that tell whether it would be seen
# Terminals draw joined emoji and flags in different widths: nothing may stand to the right of one.
_UNSTEADY = re.compile("[\u200d\ufe0f\u20e3\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff]")


@dataclass(frozen=True, slots=True)
class Side:
    """How one of the two texts is drawn."""

    sign: str
    style: Style
    word: Style

    def text(self, run: Run) -> str:
        """What this side has of a run."""
        return run.old if self.sign == "-" else run.new

    def signed(self, line: Line) -> Line:
        """A line of this side, its sign before it."""
        return ((f"{self.sign} ", self.style), *line) if plain_text(line) else ((self.sign, self.style),)


RECORDED = Side("-", Style.RECORDED, Style.RECORDED_WORD)
REISSUED = Side("+", Style.REISSUED, Style.REISSUED_WORD)


def changed_lines(diff: TextDiff, *, page: Page, cells: int, shown: Shown) -> list[Line]:
    """The first places of the text that changed, and how many more there are."""
    found, more = _first_places(diff, (_column(page, cells) or cells) - _SIGN)
    lines: list[Line] = []
    for place in found:
        lines += _below_or_beside(partial(_pair, place, page, shown), page, cells)
    if more:
        lines.append(((f"{more_changes(more)} (--full shows them)", Style.MUTED),))
    return lines


def changed_pairs(diff: TextDiff, *, page: Page, cells: int, shown: Shown) -> tuple[list[Pair], int]:
    """The same as pairs, for displays that place the sides themselves; and how many changes are left."""
    found, more = _first_places(diff, cells - _SIGN)
    return [_pair(place, page, shown, cells - _SIGN) for place in found], more


def rewritten_lines(diff: TextDiff, *, page: Page, cells: int, shown: Shown) -> list[Line]:
    """The first lines of each side of a text that was rewritten, from where the sides begin to differ."""
    place = next(places(diff.whole(), cells))
    most = _LINES_BESIDE if _column(page, cells) else _LINES
    return _below_or_beside(partial(_beginnings, place, most, page, shown), page, cells)


def rewritten_pair(diff: TextDiff, *, page: Page, cells: int, shown: Shown) -> Pair:
    """The same as a pair."""
    return _beginnings(next(places(diff.whole(), cells)), _LINES_BESIDE, page, shown, cells - _SIGN)


def full_lines(diff: TextDiff, *, page: Page, cells: int, shown: Shown) -> list[Line]:
    """Both texts as they are, changes marked, every line of them with the sign of its side."""
    left, right = _signed(full_pair(diff, page=page, cells=cells, shown=shown))
    return [*left, *right]


def full_pair(diff: TextDiff, *, page: Page, cells: int, shown: Shown) -> Pair:
    """The same as a pair."""
    room = None if page.width is None else cells - _SIGN
    left, right = (
        [line for text_line in _text_lines(diff.runs, side, shown) for line in wrapped(text_line, room)]
        for side in (RECORDED, REISSUED)
    )
    return left, right


def first_line(text: str, *, page: Page, cells: int, shown: Shown) -> str:
    """The first line of a text that says anything, cut to stand behind a sign."""
    room = cells - _SIGN
    lines = [line for line in text.split("\n") if line.strip()] or [text.replace("\n", " ")]
    ending = f" {page.dots}" if len(lines) > 1 else ""
    return (
        words_that_fit(shown(lines[0][: room * _CHARACTERS + 1]), room - width(ending), dots=page.dots)
        + ending
    )


def shows_all(old: str, new: str, *, page: Page, cells: int, shown: Shown) -> bool:
    """Whether a line of each side is enough for these texts."""
    room = (_column(page, cells) or cells) - _SIGN
    return not any(
        "\n" in text or len(text) > room * _CHARACTERS or not fits(shown(text), room) for text in (old, new)
    )


def more_changes(count: int) -> str:
    """What is said of changes that are not shown."""
    return f"{count} more {'change' if count == 1 else 'changes'} in this text"


def is_unseen(run: Run, side: Side) -> bool:
    """Whether nobody would see what one side of a change is."""
    recorded, reissued = unseen(run.old[:_LOOKED_AT], run.new[:_LOOKED_AT])
    return recorded if side is RECORDED else reissued


def words_that_fit(text: str, cells: int, *, dots: str) -> str:
    """The text if it fits, else whole words of its beginning and dots; a word longer than all is divided."""
    if fits(text, cells):
        return text
    head = start_of(text, cells - width(dots))
    return head[: head.rfind(" ") + 1 or len(head)] + dots


def _first_places(diff: TextDiff, cells: int) -> tuple[list[Place], int]:
    """The first places of the text that changed, and how many changes are not there."""
    found = list(islice(places(diff, cells), _PLACES))
    return found, len(diff.changes) - sum(place.changes for place in found)


def _below_or_beside(make: Callable[[int], Pair], page: Page, cells: int) -> list[Line]:
    """Both sides in columns where the page has room for them and nothing on the left is unsteady."""
    column = _column(page, cells)
    if column:
        left, right = _signed(make(column - _SIGN))
        if left and right and not any(_UNSTEADY.search(plain_text(line)) for line in left):
            return [_row(*both, column, page) for both in zip_longest(left, right, fillvalue=())]
    left, right = _signed(make(cells - _SIGN))
    return [*left, *right]


def _signed(pair: Pair) -> Pair:
    """The pair with the sign of its side before every line."""
    left, right = pair
    return [RECORDED.signed(line) for line in left], [REISSUED.signed(line) for line in right]


def _column(page: Page, cells: int) -> int | None:
    """How many cells each of two columns has; none where they stand below each other."""
    return (cells - 3) // 2 if page.side_by_side else None


def _row(left: Line, right: Line, column: int, page: Page) -> Line:
    gap = " " * (column - line_width(left))
    return (*left, (f"{gap} {page.glyphs.between}{' ' if right else ''}", Style.MUTED), *right)


def _pair(place: Place, page: Page, shown: Shown, room: int) -> Pair:
    """A line of each side, or one where only one has it; two lines that look the same are spelled out."""
    if place.whole_lines:
        return _lone(place.runs[0], page, shown, room)
    left, right = _lines(place, _View(page, shown, room))
    if plain_text(left) == plain_text(right):
        left, right = _lines(place.sharpened(), _View(page, shown, room, spells=True))
    return [left], [right]


@dataclass(frozen=True, slots=True)
class _View:
    """What one line may take and how its text is made visible; `spells` out every change."""

    page: Page
    shown: Shown
    cells: int
    spells: bool = False

    def start(self, text: str) -> str:
        """The beginning of a text, more of it than a line can take."""
        return self.shown(text[: self.cells * _CHARACTERS + 1])

    def end(self, text: str) -> str:
        """The end of a text, more of it than a line can take."""
        return self.shown(text[-(self.cells * _CHARACTERS + 1) :])


def _lines(place: Place, view: _View) -> tuple[Line, Line]:
    before, after = view.end(place.before), view.start(place.after)
    bodies = [_body(place, side, view) for side in (RECORDED, REISSUED)]
    dots = view.page.dots
    if place.goes_on:
        after += dots
    wide = any(width(before) + line_width(body.spans) + width(after) > view.cells for body in bodies)
    if wide or place.inside:
        before = _context(before, dots=dots, inside=place.inside)
    left, right = (_around(before, body, after, view) for body in bodies)
    return left, right


@dataclass(frozen=True, slots=True)
class _Body:
    """What one side has at a place; `broken` where it goes on behind a line break."""

    side: Side
    spans: tuple[Span, ...]
    broken: bool


def _body(place: Place, side: Side, view: _View) -> _Body:
    spans: list[Span] = []
    for run in place.runs:
        text = side.text(run)
        if run.same:
            spans.append((view.start(text), side.style))
        elif view.spells or is_unseen(run, side):
            spans.append((spelled(text[: view.cells * _CHARACTERS + 1]), side.word))
        else:
            first, line_break, _ = text.partition("\n")
            spans.append((view.start(first), side.word))
            if line_break:
                return _Body(side, tuple(spans), broken=True)
    return _Body(side, tuple(spans), broken=False)


def _context(before: str, *, dots: str, inside: bool) -> str:
    """Whole words before a change, no more than make it easy to find."""
    if fits(before, CONTEXT - width(dots)) or (not inside and fits(before, CONTEXT)):
        return dots + before if inside else before
    tail = end_of(before, CONTEXT - width(dots))
    return dots + tail[max(tail.find(" "), 0) :]


def _around(before: str, body: _Body, after: str, view: _View) -> Line:
    """The change between what stands before and after it, cut to the line."""
    dots, style = view.page.dots, body.side.style
    line = ((before, style), *body.spans)
    room = view.cells - line_width(line)
    if body.broken:
        return cut_line((*line, (dots, style)), view.cells, dots=dots)
    if room < width(dots):
        return cut_line((*line, (after, style)), view.cells, dots=dots)
    return (*line, (words_that_fit(after, room, dots=dots), style))


def _lone(run: Run, page: Page, shown: Shown, room: int) -> Pair:
    """The first of the lines that only one side has."""
    side = RECORDED if run.old else REISSUED
    text = first_line(run.old or run.new, page=page, cells=room + _SIGN, shown=shown)
    line = ((text, side.word),)
    return ([line], []) if side is RECORDED else ([], [line])


def _beginnings(place: Place, most: int, page: Page, shown: Shown, room: int) -> Pair:
    left, right = (_beginning(place, side, most, _View(page, shown, room)) for side in (RECORDED, REISSUED))
    return left, right


def _beginning(place: Place, side: Side, most: int, view: _View) -> list[Line]:
    """The first lines of one side from the change on, none of it marked: all of it is new."""
    dots = view.page.dots
    text = "".join(side.text(run) for run in place.runs) + place.after
    start, *others = text[: view.cells * _CHARACTERS * most].split("\n")[: most + 1]
    first = _context(view.end(place.before), dots=dots, inside=place.inside) + view.shown(start)
    lines = [line for part in (first, *map(view.shown, others)) for line in _laid(part, view)]
    if len(lines) > most:
        last = words_that_fit(lines[most - 1], view.cells - width(dots) - 1, dots="")
        lines[most - 1] = f"{last.rstrip(' ')} {dots}"
    return [((line, side.style),) for line in lines[:most]]


def _laid(text: str, view: _View) -> list[str]:
    """A line of the text on as many lines as it takes; in a pipe on one, cut."""
    if view.page.width is None:
        return [words_that_fit(text, view.cells, dots=view.page.dots)]
    return [plain_text(line) for line in wrapped(((text, Style.PLAIN),), view.cells)]


def _text_lines(runs: Iterable[Run], side: Side, shown: Shown) -> list[list[Span]]:
    """All lines of one side, changes marked and spelled out where nobody would see them."""
    lines: list[list[Span]] = [[]]
    for run in runs:
        unseen_change = not run.same and is_unseen(run, side)
        parts = side.text(run).split("\n")
        for at, part in enumerate(parts):
            if at:
                lines.append([])
            ending = "\n" if unseen_change and at < len(parts) - 1 else ""
            visible = spelled(part + ending) if unseen_change else shown(part)
            lines[-1].append((visible, side.style if run.same else side.word))
    return lines
