"""Values and texts as blocks of lines that say how much of them they leave out.

JSON that fits stands on one line; else each of its members does, cut where it has to be. `full` leaves
nothing out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from amberfork_cli.core.compare.values import text_of_json
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.render.figures import counted
from amberfork_cli.render.lines import Line, Style, cut, fits, wrapped
from amberfork_cli.render.notation import notation
from amberfork_cli.render.page import Page

_SHOWN = 12  # lines of a text, or members of a value; the rest is counted
_PIECE = 20_000  # characters of a text that are laid out where most of it is folded


def text_block(text: str, *, page: Page, indent: int) -> list[Line]:
    """A text of the tape, its own line breaks kept; JSON in it is laid out as JSON."""
    value = text_of_json(text)
    if value is not None:
        return value_block(value, page=page, indent=indent)
    shown = text if page.full else text[:_PIECE]
    lines = [line for raw in shown.split("\n") for line in _text_lines(raw, page, indent)]
    if page.full or (len(lines) <= _SHOWN and len(shown) == len(text)):
        return lines
    kept = lines[: _SHOWN - 1]
    left = text.count("\n") - shown.count("\n") + len(lines) - len(kept)
    words = counted(left, "more line") if left else counted(len(text) - len(shown), "more character")
    return [*kept, _left_out(words, page, indent)]


def value_block(value: JsonValue, *, page: Page, indent: int) -> list[Line]:
    """A JSON value, folded."""
    room = page.text_cells - indent
    line = notation(value, room, ascii=page.ascii)
    if page.full and not fits(line, room):
        return _whole(value, page, indent)
    if fits(line, room) or not isinstance(value, (dict, list)):
        return [_line(cut(line, room, dots=page.dots), indent)]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inside = [_line(entry, indent + 2) for entry in islice(_entries(value, room - 2, page), _SHOWN)]
    rest = counted(len(value) - len(inside), "more member" if isinstance(value, dict) else "more item")
    more = [_left_out(rest, page, indent + 2)] if len(value) > len(inside) else []
    return [_line(opening, indent), *inside, *more, _line(closing, indent)]


def _entries(value: dict[str, JsonValue] | list[JsonValue], room: int, page: Page) -> Iterator[str]:
    """Each member or item on a line of its own."""
    pairs: Sequence[tuple[str, JsonValue]] | Iterator[tuple[str, JsonValue]]
    if isinstance(value, dict):
        pairs = ((f"{notation(name, room, ascii=page.ascii)}: ", held) for name, held in value.items())
    else:
        pairs = (("", held) for held in value)
    for name, held in pairs:
        yield cut(name + notation(held, room, ascii=page.ascii), room, dots=page.dots)


def _whole(value: JsonValue, page: Page, indent: int) -> list[Line]:
    text = dumps(value, indent=True).decode(errors="surrogatepass")
    return [line for raw in text.split("\n") for line in _wrapped(page.written(raw), page, indent)]


def _text_lines(raw: str, page: Page, indent: int) -> list[Line]:
    text = page.raw(raw.removesuffix("\r").expandtabs(4))
    if not page.full and page.width is None:
        text = cut(text, page.text_cells, dots=page.dots)
    return _wrapped(text, page, indent)


def _wrapped(text: str, page: Page, indent: int) -> list[Line]:
    room = None if page.line_cells is None else page.line_cells - indent
    start = len(text) - len(text.lstrip(" "))
    deep = min(start, (room or start) // 2)
    inner = None if room is None else room - deep
    lines = wrapped([(text[start:], Style.PLAIN)], inner)
    return [_indented(line, indent + deep) for line in lines]


def _left_out(words: str, page: Page, indent: int) -> Line:
    return _indented([(f"{page.dots} {words}", Style.MUTED)], indent)


def _line(text: str, indent: int) -> Line:
    return _indented([(text, Style.PLAIN)], indent)


def _indented(line: Sequence[tuple[str, Style]], indent: int) -> Line:
    return ((" " * indent, Style.PLAIN), *line) if any(text for text, _ in line) else ()
