"""One difference: both values on one line if they fit, else what changed in them on lines of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from sys import maxsize

from amberfork_cli.core.report import MISSING, Difference
from amberfork_cli.core.report import Side as Value
from amberfork_cli.render.lines import Line, Span, Style, width, wrapped
from amberfork_cli.render.notation import notation, quote_of, quoted_inside, spelled_inside
from amberfork_cli.render.page import Page
from amberfork_cli.render.pairs import (
    RECORDED,
    REISSUED,
    Shown,
    Side,
    changed_lines,
    first_line,
    full_lines,
    is_unseen,
    rewritten_lines,
    shows_all,
)
from amberfork_cli.render.textdiff import LONGEST, Run, TextDiff, text_diff
from amberfork_cli.render.visible import spelled

_CHARACTERS = 8  # a cell: a value with more of them cannot fit
_ALIKE = 0.5  # texts that share less than half are shown whole: marks all over them would be confetti


@dataclass(frozen=True, slots=True)
class Long:
    """A difference that takes lines of its own, and a remark on what changed in it."""

    remark: str
    lines: list[Line]


def on_one_line(difference: Difference, *, page: Page, cells: int) -> list[Span] | None:
    """`old → new`, or the only side behind its sign; nothing where that cannot fit."""
    sides = _contents(difference, page, cells * _CHARACTERS)
    if sum(len(content.text) for content in sides) > cells * _CHARACTERS:
        return None
    if len(sides) < 2:
        return [span for content in sides for span in _signed(content, page)]
    old, new = sides
    runs = _marked(old, new)
    arrow = (f" {page.glyphs.arrow} ", Style.PLAIN)
    return [*_spans(runs, old, page), arrow, *_spans(runs, new, page)]


def on_lines(difference: Difference, *, page: Page, cells: int) -> Long:
    """The same on as many lines as it takes, each of no more than that many cells."""
    sides = _contents(difference, page, _most(difference, page, cells))
    if len(sides) == 2 and sides[0].quoted == sides[1].quoted:
        return _texts(sides[0], sides[1], page, cells)
    lines = [line for content in sides for line in _alone(content, page, cells)]
    text = sides[0].text if len(sides) == 1 and sides[0].quoted else ""
    return Long(f"{len(text):,} characters" if text else "", lines)


@dataclass(frozen=True, slots=True)
class _Content:
    """What one side has, as text: one of the tape, which is quoted on a line, or what is visible already."""

    side: Side
    value: Value
    text: str
    quoted: bool

    @property
    def nested(self) -> bool:
        """Whether the value has parts of its own."""
        return isinstance(self.value, (dict, list))

    @property
    def divisible(self) -> bool:
        """Whether a part of it says something: of a number it does not."""
        return self.quoted or self.nested or self.value is MISSING

    def shown(self, page: Page) -> Shown:
        """What makes its text visible."""
        return page.raw if self.quoted else str


def _most(difference: Difference, page: Page, cells: int) -> int:
    """How many characters of a value's notation are written: to be compared, more than are shown."""
    if page.full:
        return maxsize
    return cells * _CHARACTERS if MISSING in (difference.recorded, difference.reissued) else LONGEST


def _contents(difference: Difference, page: Page, most: int) -> list[_Content]:
    """The recorded side and the re-issued one, without one that has nothing."""
    found = (
        (RECORDED, difference.recorded, difference.recorded_words),
        (REISSUED, difference.reissued, difference.reissued_words),
    )
    contents = []
    for side, value, words in found:
        if words:
            contents.append(_Content(side, MISSING, page.words(words), quoted=False))
        elif isinstance(value, str):
            contents.append(_Content(side, value, value, quoted=True))
        elif value is not MISSING:
            contents.append(_Content(side, value, notation(value, most, ascii=page.ascii), quoted=False))
    return contents


def _marked(old: _Content, new: _Content) -> Sequence[Run]:
    """The runs of two values that share enough to be marked inside, else both as one change."""
    whole = (Run(old.text, new.text),)
    if old.quoted != new.quoted or not (old.divisible and new.divisible):
        return whole
    diff = text_diff(old.text, new.text)
    return diff.runs if diff.shared >= _ALIKE else whole


def _signed(content: _Content, page: Page) -> list[Span]:
    """The only side there is, behind its sign."""
    only = Run(content.text, "") if content.side is RECORDED else Run("", content.text)
    return [(f"{content.side.sign} ", content.side.word), *_spans([only], content, page, spells=False)]


def _spans(runs: Sequence[Run], content: _Content, page: Page, *, spells: bool = True) -> list[Span]:
    """One side of the runs on a line, a text between its quotes."""
    side = content.side
    quote = quote_of(content.text) if content.quoted else ""
    spans: list[Span] = []
    for run in runs:
        text = side.text(run)
        if spells and not run.same and is_unseen(run, side):
            text = spelled_inside(text, quote) if quote else spelled(text)
        elif quote:
            text = quoted_inside(text, quote, ascii=page.ascii)
        spans.append((text, side.style if run.same else side.word))
    if not quote:
        return spans
    around = side.style if any(run.same for run in runs) else side.word
    return [(quote, around), *spans, (quote, around)]


def _texts(old: _Content, new: _Content, page: Page, cells: int) -> Long:
    """Where one text became another."""
    diff = text_diff(old.text, new.text)
    shown = old.shown(page)
    marked = diff if diff.shared >= _ALIKE else diff.whole()
    if diff.rewritten:
        remark = f"rewritten: {len(old.text):,}, now {len(new.text):,} characters"
    elif diff.words and shows_all(old.text, new.text, page=page, cells=cells, shown=shown):
        remark = ""
    else:
        remark = _extent(diff, old.text, new.text)
    if page.full and diff.rewritten:
        return Long(remark, [*_alone(old, page, cells), *_alone(new, page, cells)])
    if page.full:
        return Long(remark, full_lines(marked, page=page, cells=cells, shown=shown))
    lines = rewritten_lines if diff.rewritten else changed_lines
    return Long(remark, lines(marked, page=page, cells=cells, shown=shown))


def _extent(diff: TextDiff, old: str, new: str) -> str:
    """How many words differ, and where: `3 words differ, lines 2–9 of 40`."""
    words = diff.words
    what = (
        f"{words} {'word differs' if words == 1 else 'words differ'}" if words else "signs or spaces differ"
    )
    lines = old.count("\n") + 1
    if lines == 1 and "\n" not in new:
        return f"{what} in {max(len(old), len(new)):,} characters"
    first, last = _changed_lines_of(diff)
    where = f"line {first}" if first == last else f"lines {first}–{last}"
    return f"{what}, {where} of {lines}"


def _changed_lines_of(diff: TextDiff) -> tuple[int, int]:
    """The recorded lines that the first and the last change begin in, from 1."""
    line, found = 1, []
    for run in diff.runs:
        if not run.same:
            found.append(line)
        line += run.old.count("\n")
    return (found[0], found[-1]) if found else (1, 1)


def _alone(content: _Content, page: Page, cells: int) -> list[Line]:
    """One side by itself, not marked: its beginning on one line, or all of it on as many as it takes."""
    side = content.side
    if not page.full:
        line = first_line(content.text, page=page, cells=cells, shown=content.shown(page))
        return [side.signed(((line, side.style),))]
    room = None if page.width is None else cells - width(side.sign) - 1
    return [
        side.signed(line)
        for text in content.text.split("\n")
        for line in wrapped(((content.shown(page)(text), side.style),), room)
    ]
