"""Values to exact JSON: by orjson, and where it refuses step by step, in the words that it would have used.

orjson refuses depth, integers past 64 bits, halves of surrogate pairs, and the non-finite numbers of a
lenient reading. Whatever it can write is still written by it, so that both ways spell alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

import orjson

from amberfork_cli.core.jsonreader import NonFinite

# What is no JSON value is refused, though orjson knows how to write some of it.
_EXACT = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
_OPTIONS = {
    (sort_keys, indent): _EXACT
    | (orjson.OPT_SORT_KEYS if sort_keys else 0)
    | (orjson.OPT_INDENT_2 if indent else 0)
    for sort_keys in (False, True)
    for indent in (False, True)
}
_LINE = _EXACT | orjson.OPT_APPEND_NEWLINE

_TRIED = 6  # levels: down to the parts of a message; each costs at most one more pass of orjson
_DIGITS_AT_ONCE = 640  # Python converts so many whatever its limit for longer ones is set to
_CHUNK = 10**_DIGITS_AT_ONCE

_HALF = re.compile("([\ud800-\udfff])")
_NAMES = {"nan": b"NaN", "inf": b"Infinity", "-inf": b"-Infinity"}


def dumps(value: object, *, sort_keys: bool = False, indent: bool = False, finite: bool = False) -> bytes:
    """The value as UTF-8 JSON, compact or indented by two spaces, names as they come or sorted by code point.

    Any depth and any integer; half a surrogate pair as its escape. (A high half right before a low one is one
    character in JSON, and is read as one.) Only `NonFinite` is written as no JSON has it: `NaN`, `Infinity`,
    `-Infinity`. Raises TypeError for what is no JSON value, other non-finite numbers included.

    `finite` is the caller's word that no number in it is infinite or `NaN`, as in all that was read exactly:
    to look for one takes longer than to write.
    """
    text = _by_orjson(value, _OPTIONS[sort_keys, indent], finite=finite)
    if text is not None:
        return text
    return _Writer(sort_keys=sort_keys, indent=indent, tried=0 if indent else _TRIED).document(value)


def dumps_line(value: object, *, finite: bool = False) -> bytes:
    """What `dumps` gives back, compact, as a line that ends with LF. Raises TypeError as `dumps` does."""
    text = _by_orjson(value, _LINE, finite=finite)
    return dumps(value) + b"\n" if text is None else text


def spelled(text: bytes) -> Any:
    """What `dumps` writes as that text, which must be JSON and is not looked at."""
    return orjson.Fragment(text)


def step_by_step(value: object, *, sort_keys: bool = False, indent: bool = False) -> bytes:
    """What `dumps` gives back, with nothing but the leaves left to orjson: slow, and the check on `dumps`."""
    return _Writer(sort_keys=sort_keys, indent=indent, tried=0).document(value)


@dataclass(slots=True)
class _Level:
    """A container that is being written: what is left of it, and how it ends."""

    container: object
    entries: Iterator[tuple[bytes, object]]
    closing: bytes
    begun: bool = False


class _Writer:
    """One text as it grows; in the outermost `tried` levels orjson gets a try at each container."""

    def __init__(self, *, sort_keys: bool, indent: bool, tried: int) -> None:
        self.sort_keys, self.indent, self.tried = sort_keys, indent, tried
        self.option = _OPTIONS[sort_keys, indent]
        self.parts: list[bytes] = []
        self.open: list[_Level] = []
        self.around: set[int] = set()

    def document(self, value: object) -> bytes:
        """The whole text of a value."""
        self._value(value)
        while self.open:
            self._step(self.open[-1])
        return b"".join(self.parts)

    def _value(self, value: object) -> None:
        if type(value) is not dict and type(value) is not list and type(value) is not tuple:
            self.parts.append(_leaf(value))
        elif len(self.open) < self.tried and (text := _by_orjson(value, self.option)) is not None:
            self.parts.append(text)
        elif not value:
            self.parts.append(b"{}" if type(value) is dict else b"[]")
        elif type(value) is dict:
            self._begin(_Level(value, self._members(value), b"}"), b"{")
        else:
            self._begin(_Level(value, ((b"", item) for item in value), b"]"), b"[")

    def _members(self, value: dict[Any, Any]) -> Iterator[tuple[bytes, object]]:
        colon = b": " if self.indent else b":"
        for name in sorted(value) if self.sort_keys else value:
            if type(name) is not str:
                raise TypeError("a member name must be text")
            yield _text(name) + colon, value[name]

    def _begin(self, level: _Level, opening: bytes) -> None:
        if id(level.container) in self.around:
            raise TypeError("a value that holds itself is no JSON value")
        self.around.add(id(level.container))
        self.open.append(level)
        self.parts.append(opening)

    def _step(self, level: _Level) -> None:
        """Write the next entry of a container, or its end."""
        entry = next(level.entries, None)
        if entry is None:
            self.open.pop()
            self.around.discard(id(level.container))
            self.parts += (self._line(), level.closing)
            return
        self.parts += (b"," if level.begun else b"", self._line(), entry[0])
        level.begun = True
        self._value(entry[1])

    def _line(self) -> bytes:
        return b"\n" + b"  " * len(self.open) if self.indent else b""


def _by_orjson(value: object, option: int, *, finite: bool = False) -> bytes | None:
    """What orjson writes; `None` where it refuses."""
    try:
        text = orjson.dumps(value, option=option)
    except orjson.JSONEncodeError:
        return None
    if not finite and b"null" in text and _holds_non_finite(value):  # null is what orjson writes for them
        raise TypeError("a number that is not finite is no JSON value")
    return text


def _holds_non_finite(value: Any) -> bool:
    """Whether an infinity or `NaN` is anywhere in what orjson wrote."""
    rest = [value]
    for item in rest:  # grows as it is walked
        kind = type(item)
        if kind is dict:
            rest += item.values()
        elif kind is list or kind is tuple:
            rest += item
        elif kind is float and not isfinite(item):
            return True
    return False


def _leaf(value: object) -> bytes:
    if type(value) is str:
        return _text(value)
    if type(value) is int:
        return _integer(value)
    if type(value) is NonFinite:
        return _NAMES[repr(value)]
    if type(value) is float and not isfinite(value):
        raise TypeError("a number that is not finite is no JSON value")
    return orjson.dumps(value, option=_EXACT)


def _text(text: str) -> bytes:
    try:
        return orjson.dumps(text)
    except orjson.JSONEncodeError:
        return b'"' + b"".join(map(_piece, _HALF.split(text))) + b'"'


def _piece(piece: str) -> bytes:
    return rb"\u%04x" % ord(piece) if _HALF.fullmatch(piece) else orjson.dumps(piece)[1:-1]


def _integer(number: int) -> bytes:
    rest, chunks = abs(number), []
    while rest >= _CHUNK:
        rest, chunk = divmod(rest, _CHUNK)
        chunks.append(f"{chunk:0{_DIGITS_AT_ONCE}d}")
    chunks.append(f"{'-' if number < 0 else ''}{rest}")
    return "".join(reversed(chunks)).encode()
