"""Lines of styled text: how wide they are on a terminal, and how they are cut, padded and wrapped.

Widths are cells; a grapheme is never divided. Text comes here made visible: without line breaks and controls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TypeAlias

from rich.cells import cell_len, split_graphemes


class Style(StrEnum):
    """What a stretch of text is; a terminal gives it a look, a pipe none."""

    PLAIN = "plain"
    BOLD = "bold"
    MUTED = "muted"
    ACCENT = "accent"
    LOUD = "loud"
    RECORDED = "recorded"
    RECORDED_WORD = "recorded word"
    REISSUED = "reissued"
    REISSUED_WORD = "reissued word"


Span: TypeAlias = tuple[str, Style]
Line: TypeAlias = tuple[Span, ...]

_WORD = re.compile(r" *[^ ]+| +")
_CHARACTERS = 8  # a megabyte is sliced to this many characters a cell before it is measured


def plain_text(line: Line) -> str:
    """The line without its styles."""
    return "".join(text for text, _ in line)


def width(text: str) -> int:
    """How many cells the text takes."""
    return len(text) if text.isascii() else cell_len(text)


def line_width(line: Iterable[Span]) -> int:
    """How many cells all spans of a line take."""
    return sum(width(text) for text, _ in line)


def joined(spans: Iterable[Span]) -> Line:
    """The spans, neighbours of one style made one."""
    made: list[Span] = []
    for text, style in spans:
        if made and made[-1][1] == style:
            made[-1] = (made[-1][0] + text, style)
        elif text:
            made.append((text, style))
    return tuple(made)


def padded(text: str, cells: int) -> str:
    """The text with spaces behind it, up to that many cells."""
    return text + " " * (cells - width(text))


def fits(text: str, cells: int) -> bool:
    """Whether the text takes no more than that many cells; a long one is not measured to its end."""
    return len(text) <= max(cells, 0) * _CHARACTERS and width(text) <= cells


def start_of(text: str, cells: int) -> str:
    """As much of the text's beginning as takes no more than that many cells."""
    if text.isascii():
        return text[: max(cells, 0)]
    text = _beginning(text, 0, cells)
    taken = 0
    for start, _, size in split_graphemes(text)[0]:
        if taken + size > cells:
            return text[:start]
        taken += size
    return text


def end_of(text: str, cells: int) -> str:
    """As much of the text's end as takes no more than that many cells."""
    if text.isascii():
        return text[max(len(text) - max(cells, 0), 0) :]
    text = text[max(len(text) - max(cells, 0) * _CHARACTERS, 0) :]
    taken = 0
    for _, stop, size in reversed(split_graphemes(text)[0]):
        if taken + size > cells:
            return text[stop:]
        taken += size
    return text


def cut(text: str, cells: int, *, dots: str) -> str:
    """The text if it fits, else its beginning and dots."""
    return text if fits(text, cells) else start_of(text, cells - width(dots)) + dots


def cut_left(text: str, cells: int, *, dots: str) -> str:
    """The text if it fits, else dots and its end."""
    return text if fits(text, cells) else dots + end_of(text, cells - width(dots))


def cut_middle(text: str, cells: int, *, dots: str) -> str:
    """The text if it fits, else its beginning, dots and its end."""
    if fits(text, cells):
        return text
    room = cells - width(dots)
    head = start_of(text, room // 2)
    return head + dots + end_of(text, room - width(head))


def cut_line(line: Sequence[Span], cells: int, *, dots: str) -> Line:
    """The spans if they fit, else as many as fit and dots in the style of the one that was cut."""
    if all(fits(text, cells) for text, _ in line) and line_width(line) <= cells:
        return tuple(line)
    kept: list[Span] = []
    room = cells - width(dots)
    for text, style in line:
        if not fits(text, room):
            return (*kept, (start_of(text, room) + dots, style))
        kept.append((text, style))
        room -= width(text)
    return tuple(kept)


def wrapped(line: Iterable[Span], cells: int | None) -> list[Line]:
    """The spans on as many lines as they need, divided at spaces, words longer than a line anywhere.

    Without a number of cells all stays on one line. There is always at least one line.
    """
    if cells is None:
        return [tuple(line)]
    lines: list[list[Span]] = [[]]
    room = cells
    for following in _words(line):
        word = following
        if lines[-1] and line_width(word) > room:
            lines.append([])
            room = cells
            word = _without_leading_spaces(word)
        room = _place(word, lines, room, cells)
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return [joined(spans) for spans in lines]


def _beginning(text: str, at: int, cells: int) -> str:
    """More of the text from there on than the cells take; not without the selector that widens a sign."""
    stop = at + max(cells, 0) * _CHARACTERS
    return text[at : stop + 1] if text[stop : stop + 1] == "\ufe0f" else text[at:stop]


def _words(line: Iterable[Span]) -> Iterator[list[Span]]:
    """Each word with the spaces before it; where the style changes inside a word, as several spans."""
    word: list[Span] = []
    for text, style in line:
        for part in _WORD.findall(text):
            if word and part.startswith(" "):
                yield word
                word = []
            word.append((part, style))
    if word:
        yield word


def _without_leading_spaces(word: list[Span]) -> list[Span]:
    text, style = word[0]
    return [(text.lstrip(" "), style), *word[1:]]


def _place(word: Sequence[Span], lines: list[list[Span]], room: int, cells: int) -> int:
    """Put a word on the last line, on several if it is wider; gives back the room left there."""
    if line_width(word) <= room:
        lines[-1].extend(word)
        return room - line_width(word)
    for text, style in word:
        at = 0
        while at < len(text):
            head = start_of(_beginning(text, at, room), room)
            if not head:
                lines.append([])
                room = cells
                head = start_of(_beginning(text, at, room), room) or text[at]
            lines[-1].append((head, style))
            room -= width(head)
            at += len(head)
    return room
