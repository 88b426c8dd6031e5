"""The IDs that were set aside, and what stands for them: as JSON, or as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from amberfork_cli.core.ids.canonical import IdUse
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.render.lines import Line, Style, cut, cut_middle, padded, width
from amberfork_cli.render.visible import visible

_GAP: Final = 2
_PLACES: Final = 4  # of one kind that are shown; an ID can be mentioned in every turn


def members(ids: Iterable[IdUse]) -> list[JsonValue]:
    """Each ID as a JSON object: its token, class and original, and the JSON Pointers where it stands."""
    return [_members(use) for use in ids]


def lay_out(ids: Sequence[IdUse], *, cells: int, dots: str = "…") -> list[Line]:
    """The IDs as a table of two columns, no line of it wider than `cells`, from 60 on."""
    column = max((width(use.token) for use in ids), default=0) + _GAP
    return [line for use in ids for line in _rows(use, column, cells - column, dots)]


def _members(use: IdUse) -> JsonValue:
    return {
        "token": use.token,
        "class": use.id_class.value,
        "original": use.original,
        "declared": [*use.declared],
        "references": [*use.references],
        **({"mentions": [*use.mentions]} if use.mentions else {}),
        **({"orphan": True} if use.orphan else {}),
    }


def _rows(use: IdUse, column: int, room: int, dots: str) -> Iterator[Line]:
    original = cut(visible(use.original), room, dots=dots) if use.original else '""'
    yield (padded(use.token, column), Style.BOLD), (original, Style.PLAIN)
    told = (("declared", use.declared), (_referring(use), use.references), ("in text", use.mentions))
    for word, pointers in told:
        for number, pointer in enumerate(pointers[:_PLACES]):
            label = padded(f"  {word if number == 0 else ''}", column)
            yield (label, Style.MUTED), (cut_middle(visible(pointer), room, dots=dots), Style.PLAIN)
        if len(pointers) > _PLACES:
            yield (" " * column, Style.MUTED), (f"and {len(pointers) - _PLACES} more", Style.MUTED)


def _referring(use: IdUse) -> str:
    return "orphan" if use.orphan else "referred to"
