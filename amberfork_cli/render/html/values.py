"""One difference as cells of a table: what is shown of each side, and all of it behind a fold."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from amberfork_cli.core.compare.lookalikes import spelled
from amberfork_cli.core.compare.report import MISSING, Difference, Kind, Side
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.render.html.markup import NOTHING, Html, joined, multiline, tag, written
from amberfork_cli.render.html.room import LONGEST_VALUE, Room
from amberfork_cli.render.labels import suffix
from amberfork_cli.render.lines import Line, Style, line_width, plain_text
from amberfork_cli.render.lines import joined as one_style
from amberfork_cli.render.page import Page
from amberfork_cli.render.pairs import RECORDED, REISSUED, is_unseen, more_changes
from amberfork_cli.render.spots import is_told, told_words
from amberfork_cli.render.textdiff import text_diff
from amberfork_cli.render.values import long_sides, short_sides

PAGE = Page(None)
_SHORT = 200  # characters of both values that are shown as they are
_LINE = 160  # of a line that is cut out of a long text
_TAGS = {Style.RECORDED_WORD: "del", Style.REISSUED_WORD: "ins"}
_ONE_SIDED = (Kind.ADDED, Kind.REMOVED)


@dataclass(frozen=True, slots=True)
class Cells:
    """What stands in a row: remarks below the name, the two sides, and the whole values if they are cut.

    `told` stands across both sides where neither has a value.
    """

    name: str
    remarks: tuple[str, ...]
    recorded: Html
    reissued: Html
    told: Html = NOTHING
    whole: Html = NOTHING


def cells(name: str, difference: Difference, room: Room) -> Cells:
    """The row of a difference."""
    if is_told(difference):
        return _told(name, difference, room)
    short = short_sides(difference, page=PAGE, cells=_SHORT)
    if short is not None and sum(map(line_width, short)) <= _SHORT:
        remarks = tuple(filter(None, (_kind(difference),)))
        return Cells(
            name,
            remarks,
            *_values([line for line in short[:1] if line], [line for line in short[1:] if line]),
        )
    return _long(name, difference, room)


def _kind(difference: Difference) -> str:
    return difference.kind.value if difference.kind in _ONE_SIDED else suffix(difference)


def _told(name: str, difference: Difference, room: Room) -> Cells:
    """A whole message or tool that one side has, or what is said of several."""
    first, rest = told_words(name, difference, PAGE)
    whole = _whole(difference, room)
    remarks = (difference.kind.value,) if difference.kind in _ONE_SIDED else ()
    label = name or first
    if difference.kind is Kind.REMOVED:
        return Cells(label, remarks, tag("del", rest, class_="value old"), NOTHING, whole=whole)
    if difference.kind is Kind.ADDED:
        return Cells(label, remarks, NOTHING, tag("ins", rest, class_="value new"), whole=whole)
    return Cells(label, remarks, NOTHING, NOTHING, told=tag("span", rest), whole=whole)


def _long(name: str, difference: Difference, room: Room) -> Cells:
    sides = long_sides(difference, page=PAGE, cells=_LINE)
    more = more_changes(sides.more) if sides.more else ""
    remarks = tuple(filter(None, (sides.remark, _kind(difference), more)))
    old = [line for left, _ in sides.pairs for line in left]
    new = [line for _, right in sides.pairs for line in right]
    return Cells(name, remarks, *_values(old, new), whole=_whole(difference, room))


def _values(old: Sequence[Line], new: Sequence[Line]) -> tuple[Html, Html]:
    """Both sides: marked words in their common text, or all of it in the colour of its side."""
    styles = {style for line in (*old, *new) for _, style in line}
    marked = bool(styles & _TAGS.keys()) and bool(styles & {Style.RECORDED, Style.REISSUED})
    return _value(old, "cut" if marked else "old"), _value(new, "cut" if marked else "new")


def _value(lines: Sequence[Line], look: str) -> Html:
    if not lines:
        return NOTHING
    if look != "cut" and len(lines) == 1:
        return tag("del" if look == "old" else "ins", plain_text(lines[0]), class_=f"value {look}")
    return tag("div", *(tag("div", *map(_span, one_style(line))) for line in lines), class_=f"value {look}")


def _span(span: tuple[str, Style]) -> str:
    text, style = span
    return tag(_TAGS[style], text) if style in _TAGS else text


def _whole(difference: Difference, room: Room) -> Html:
    """All of both values behind a fold, one text in which the changes are marked."""
    sides = [side for side in (difference.recorded, difference.reissued) if side is not MISSING]
    plain = all(isinstance(side, str) for side in sides)
    texts = [side if plain and isinstance(side, str) else _notation(side) for side in sides]
    if not texts:
        return NOTHING
    sizes = " and ".join(dict.fromkeys(f"{len(text):,}" for text in texts))
    title = f"Whole {'text' if plain else 'value'}, {sizes} characters"
    if max(map(len, texts)) > LONGEST_VALUE or not room.takes(*texts):
        return tag("p", f"{title}: too long for this report, the tapes have it.", class_="note")
    shown = multiline if plain else written
    inside = joined(_marked(shown, *texts)) if len(texts) == 2 else shown(texts[0])
    side = "" if len(texts) == 2 else " old" if difference.reissued is MISSING else " new"
    pre = tag("pre", inside, class_=f"whole{side}", tabindex=0, role="region", aria_label=title)
    room.fill(pre)
    return tag("details", tag("summary", title), pre)


def _notation(side: Side) -> str:
    """A value as JSON on as many lines as it takes; bytes as base64."""
    if isinstance(side, bytes):
        return base64.b64encode(side).decode()
    return "" if side is MISSING else dumps(side, indent=True).decode()


def _marked(shown: Callable[[str], Html], old: str, new: str) -> Iterator[Html]:
    for run in text_diff(old, new).runs:
        if run.same:
            yield shown(run.old)
            continue
        for name, side in (("del", RECORDED), ("ins", REISSUED)):
            text = side.text(run)
            if text:
                yield tag(name, spelled(text) if is_unseen(run, side) else shown(text))
