"""Values as people read them: JSON on one line, no longer than there is room for.

A text stands in double quotes, or in single ones where that saves escapes. What comes out is visible.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from json.encoder import encode_basestring

from amberfork_cli.core.compare.report import Missing, Side
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.render.visible import escaped

_TYPES: dict[type, str] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "text",
    list: "list",
    dict: "object",
    bytes: "bytes",
}


def notation(value: Side, most: int, *, ascii: bool = False) -> str:
    """The value on one line; writing stops soon after `most` characters, wherever that is."""
    written: list[str] = []
    length = 0
    for bit in _bits(value, most):
        written.append(bit)
        length += len(bit)
        if length > most:
            break
    return escaped("".join(written), ascii=ascii)


def quote_of(text: str) -> str:
    """The quote that a text stands in: a single one if it has double ones and no single ones."""
    return "'" if '"' in text and "'" not in text else '"'


def quoted_inside(text: str, quote: str, *, ascii: bool = False) -> str:
    """The text as it stands between such quotes."""
    inside = encode_basestring(text)[1:-1]
    return escaped(inside.replace('\\"', '"') if quote == "'" else inside, ascii=ascii)


def spelled_inside(text: str, quote: str) -> str:
    """The same with what is no plain ASCII as its code, spaces too where there is nothing else."""
    inside = quoted_inside(text, quote, ascii=True)
    return inside.replace(" ", "\\u0020") if text.isspace() else inside


def type_word(value: Side) -> str:
    """What people call the type of a value."""
    return next((word for of, word in _TYPES.items() if isinstance(value, of)), "null")


def _bits(value: Side, most: int) -> Iterator[str]:
    """The value's notation, bit by bit, without recursion: a tape may nest deeper than Python's stack."""
    waiting: list[_Bit | Side] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _Bit):
            yield part.text
        elif isinstance(part, dict):
            waiting.extend(reversed(_enclosed("{", _members(part, most), "}")))
        elif isinstance(part, list):
            waiting.extend(reversed(_enclosed("[", [[item] for item in part[:most]], "]")))
        else:
            yield _scalar(part, most)


@dataclass(frozen=True, slots=True)
class _Bit:
    """A part of the notation that is written already."""

    text: str


def _members(value: dict[str, JsonValue], most: int) -> list[list[_Bit | Side]]:
    return [[_Bit(f"{_scalar(key, most)}: "), member] for key, member in islice(value.items(), most)]


def _enclosed(opening: str, groups: Sequence[Sequence[_Bit | Side]], closing: str) -> list[_Bit | Side]:
    """The groups with commas between them, in brackets."""
    parts: list[_Bit | Side] = [_Bit(opening)]
    for at, group in enumerate(groups):
        parts += [_Bit(", "), *group] if at else group
    return [*parts, _Bit(closing)]


def _scalar(value: Side, most: int) -> str:
    if isinstance(value, Missing):
        return ""
    if isinstance(value, bytes):
        return f'base64 "{base64.b64encode(value[:most]).decode()}"'
    if isinstance(value, str):
        quote = quote_of(value)
        inside = encode_basestring(value[: most + 1])[1:-1]
        return quote + (inside.replace('\\"', '"') if quote == "'" else inside) + quote
    return dumps(value).decode()
