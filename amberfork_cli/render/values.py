"""One difference: both values on one line if they fit, else what changed in them on lines of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from sys import maxsize

from amberfork_cli.core.compare.lookalikes import spelled
from amberfork_cli.core.compare.report import MISSING, Difference
from amberfork_cli.core.compare.report import Side as Value
from amberfork_cli.render.lines import Line, Span, Style, width, wrapped
from amberfork_cli.render.notation import notation, quote_of, quoted_inside, spelled_inside
from amberfork_cli.render.page import Page
from amberfork_cli.render.pairs import (
    RECORDED,
    REISSUED,
    Pair,
    Shown,
    Side,
    changed_lines,
    changed_pairs,
    first_line,
    full_lines,
    full_pair,
    is_unseen,
    rewritten_lines,
    rewritten_pair,
    shows_all,
)
from amberfork_cli.render.textdiff import LONGEST, Run, TextDiff, text_diff

_CHARACTERS = 8  # a cell: a value with more of them cannot fit
_ALIKE = 0.5  # texts that share less than half are shown whole: marks all over them would be confetti


@dataclass(frozen=True, slots=True)
class Long:
    """A difference that takes lines of its own, and a remark on what changed in it."""

    remark: str
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class Sides:
    """The same without signs: both sides' lines for each place that is shown; `more` changes are not."""

    remark: str
    pairs: list[Pair]
    more: int


def on_one_line(difference: Difference, *, page: Page, cells: int) -> list[Span] | None:
    """`old → new`, or the only side behind its sign; nothing where that cannot fit."""
    sides = short_sides(difference, page=page, cells=cells)
    if sides is None:
        return None
    old, new = sides
    if old and new:
        return [*old, (f" {page.glyphs.arrow} ", Style.PLAIN), *new]
    return [
        span
        for side, spans in ((RECORDED, old), (REISSUED, new))
        if spans
        for span in ((f"{side.sign} ", side.word), *spans)
    ]


def short_sides(difference: Difference, *, page: Page, cells: int) -> tuple[Line, Line] | None:
    """Each value on a line, nothing on a side without one; `None` where they are certain not to fit."""
    sides = _contents(difference, page, cells * _CHARACTERS)
    if sum(len(content.text) for content in sides) > cells * _CHARACTERS:
        return None
    if len(sides) == 2:
        old, new = sides
        runs = _marked(old, new)
        return _spans(runs, old, page), _spans(runs, new, page)
    lines: dict[str, Line] = {content.side.sign: _only(content, page) for content in sides}
    return lines.get(RECORDED.sign, ()), lines.get(REISSUED.sign, ())


def on_lines(difference: Difference, *, page: Page, cells: int) -> Long:
    """The same on as many lines as it takes, each of no more than that many cells."""
    sides = _contents(difference, page, _most(difference, page, cells))
    if len(sides) == 2 and sides[0].quoted == sides[1].quoted:
        return _texts(sides[0], sides[1], page, cells)
    return Long(_size(sides), [line for content in sides for line in _alone(content, page, cells)])


def long_sides(difference: Difference, *, page: Page, cells: int) -> Sides:
    """The first places where two long values differ, or all of both, for displays that place the sides."""
    sides = _contents(difference, page, _most(difference, page, cells))
    if len(sides) == 2 and sides[0].quoted == sides[1].quoted:
        old, new = sides
        diff = text_diff(old.text, new.text)
        remark, marked, shown = _remark(diff, old, new, page, cells), _markable(diff), old.shown(page)
        if page.full:
            return Sides(remark, [full_pair(marked, page=page, cells=cells, shown=shown)], 0)
        if diff.rewritten:
            return Sides(remark, [rewritten_pair(marked, page=page, cells=cells, shown=shown)], 0)
        return Sides(remark, *changed_pairs(marked, page=page, cells=cells, shown=shown))
    return Sides(_size(sides), [_only_side(content, page, cells) for content in sides], 0)


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


def _only(content: _Content, page: Page) -> Line:
    """The only side there is."""
    only = Run(content.text, "") if content.side is RECORDED else Run("", content.text)
    return _spans([only], content, page, spells=False)


def _spans(runs: Sequence[Run], content: _Content, page: Page, *, spells: bool = True) -> Line:
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
        return tuple(spans)
    around = side.style if any(run.same for run in runs) else side.word
    return (quote, around), *spans, (quote, around)


def _texts(old: _Content, new: _Content, page: Page, cells: int) -> Long:
    """Where one text became another."""
    diff = text_diff(old.text, new.text)
    remark, marked, shown = _remark(diff, old, new, page, cells), _markable(diff), old.shown(page)
    if page.full and diff.rewritten:
        return Long(remark, [*_alone(old, page, cells), *_alone(new, page, cells)])
    if page.full:
        return Long(remark, full_lines(marked, page=page, cells=cells, shown=shown))
    lines = rewritten_lines if diff.rewritten else changed_lines
    return Long(remark, lines(marked, page=page, cells=cells, shown=shown))


def _markable(diff: TextDiff) -> TextDiff:
    """The runs that are marked: one change of all where the texts share too little."""
    return diff if diff.shared >= _ALIKE else diff.whole()


def _remark(diff: TextDiff, old: _Content, new: _Content, page: Page, cells: int) -> str:
    """What changed in a text; nothing where all of it is shown."""
    if diff.rewritten:
        return f"rewritten: {len(old.text):,}, now {len(new.text):,} characters"
    if diff.words and shows_all(old.text, new.text, page=page, cells=cells, shown=old.shown(page)):
        return ""
    return _extent(diff, old.text, new.text)


def _size(sides: Sequence[_Content]) -> str:
    """How long a text is that only one side has."""
    text = sides[0].text if len(sides) == 1 and sides[0].quoted else ""
    return f"{len(text):,} characters" if text else ""


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


def _only_side(content: _Content, page: Page, cells: int) -> Pair:
    """One side by itself, as a pair."""
    lines = _unmarked(content, page, cells)
    return (lines, []) if content.side is RECORDED else ([], lines)


def _alone(content: _Content, page: Page, cells: int) -> list[Line]:
    """One side by itself, every line with its sign."""
    return [content.side.signed(line) for line in _unmarked(content, page, cells)]


def _unmarked(content: _Content, page: Page, cells: int) -> list[Line]:
    """A value that is not marked: its beginning on one line, or all of it on as many as it takes."""
    side = content.side
    if content.quoted and not content.text.strip():
        return [
            _spans([Run(content.text, content.text)], content, page)
        ]  # nobody would see it without quotes
    if not page.full:
        line = first_line(content.text, page=page, cells=cells, shown=content.shown(page))
        return [((line, side.style),)]
    room = None if page.width is None else cells - width(side.sign) - 1
    return [
        line
        for text in content.text.split("\n")
        for line in wrapped(((content.shown(page)(text), side.style),), room)
    ]
