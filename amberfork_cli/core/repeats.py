"""Read the lines of a tape, parsing of each only what the lines before it do not have.

Every request of an agent repeats the conversation so far, byte for byte, so a tape of a long run is nearly
all repetition. Where a line repeats the messages of one before it, a mark is put in their place, the rest is
parsed, and the messages that were read then are put where the mark stands. The mark's place in what was
parsed proves that the bytes stood where messages stand; where it does not prove it, the line is parsed whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from json import JSONDecoder
from typing import TypeAlias

from jiter import from_json

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.id_rules import HISTORIES
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import JsonError

_MOST = 8  # so many conversations may be interleaved
_MOST_BYTES = 2 << 20
_LEAST = 1024  # fewer bytes are parsed before it is known that they are repeated
_TAIL = 48
_MARK = -(10**60 // 9)  # a whole number can be spelled in one way only, so a look for its text finds it
_MARK_TEXT = jsontext.dumps(_MARK)

_Path: TypeAlias = tuple[str, ...]
_PATHS: tuple[_Path, ...] = tuple(
    (*holder, name) for holder in (("request", "body"), ()) for name in HISTORIES
)
_OPENINGS = {name: re.compile(rb'"%s"\s*:\s*\[' % name.encode()) for name in HISTORIES}
_decoder = JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Repeat:
    """The messages of a line: their path, their bytes from the name of the member on, their values.

    `text` ends before the closing bracket, `opening` is where in it the first message begins, `tail` what
    comes behind it.
    """

    path: _Path
    text: bytes
    opening: int
    messages: list[JsonValue]
    tail: bytes


class RepeatReader:
    """Reads one line after another. Values of different lines share the messages that they repeat.

    What it gives must not be changed, since other lines may hold the same objects.
    """

    def __init__(self) -> None:
        self._repeats: list[_Repeat] = []
        self._latest: tuple[bytes, JsonValue] | None = None

    def loads(self, line: bytes) -> JsonValue:
        """The value of the line, as `jsontext.loads` gives it; raises what that raises."""
        starts: dict[str, int | None] = {}
        for repeat in chain(tuple(self._repeats), self._of_latest(line)):
            name = repeat.path[-1]
            if name not in starts:
                starts[name] = _start(line, name)
            found = _spliced(line, starts[name], repeat)
            if found is not None:
                value, grown = found
                self._keep(repeat, grown)
                return value
        value = jsontext.loads(line)
        self._latest = line, value
        return value

    def _of_latest(self, line: bytes) -> Iterator[_Repeat]:
        """The messages of the last line that was parsed whole, if this line seems to begin with them."""
        if self._latest is None:
            return
        before, value = self._latest
        path = next((path for path in _PATHS if _list_at(value, path)), None)
        if path is None:
            return
        start, other = _start(before, path[-1]), _start(line, path[-1])
        if start is None or other is None:
            return
        half = max((len(before) - start) // 2, _LEAST)  # with less in common there is not much to gain
        if before[start : start + half] == line[other : other + half]:
            latest = _repeat_of(before, start, path, _list_at(value, path))
            if latest is not None and line.startswith(latest.text, other):
                yield latest

    def _keep(self, used: _Repeat, grown: _Repeat | None) -> None:
        """Put what a line has grown to in place of what it repeated: the latest first, and as many as fit."""
        kept = [repeat for repeat in self._repeats if repeat is not used]
        self._repeats = [grown, *kept][:_MOST] if grown else kept
        weight = 0
        for count, repeat in enumerate(self._repeats):
            weight += len(repeat.text)
            if count and weight > _MOST_BYTES:
                del self._repeats[count:]
                break


def _start(line: bytes, name: str) -> int | None:
    """Where a member of that name seems to begin that holds a list."""
    found = _OPENINGS[name].search(line)
    return found.start() if found else None


def _repeat_of(line: bytes, start: int, path: _Path, messages: list[JsonValue]) -> _Repeat | None:
    """The messages of a line that was parsed whole; `None` where they do not begin at `start`."""
    found = _OPENINGS[path[-1]].match(line, start)
    closing = _closing(line, found.end()) if found else None
    if found is None or closing is None:
        return None
    tail = line[closing : closing + _TAIL]
    repeat = _Repeat(path, line[start:closing], found.end() - start, messages, tail)
    return repeat if _spliced(line, start, repeat) is not None else None  # they may be another member's


def _spliced(line: bytes, at: int | None, repeat: _Repeat) -> tuple[JsonValue, _Repeat | None] | None:
    """The line's value from what it repeats and what it adds, and its messages to be repeated in turn.

    `None` where the line does not repeat those messages at `at`, or it cannot be told.
    """
    if at is None or not line.startswith(repeat.text, at):
        return None
    end = at + len(repeat.text)
    if line[end : end + 1] not in (b",", b"]") or _MARK_TEXT in line:
        return None
    try:
        value = jsontext.loads(b"".join((line[: at + repeat.opening], _MARK_TEXT, line[end:])))
    except JsonError:  # what is wrong, and where, is told by reading the line as it stands
        return None
    messages = _list_at(value, repeat.path)
    if not messages or messages[0] != _MARK:
        return None
    messages[:1] = repeat.messages
    added = len(messages) - len(repeat.messages)
    closing = _closing_before(line, end + 1, repeat.tail, added) if added else end
    if closing is None:
        return value, None
    text, tail = line[at:closing], line[closing : closing + _TAIL]
    return value, _Repeat(repeat.path, text, repeat.opening, messages.copy(), tail)


def _closing_before(line: bytes, start: int, tail: bytes, count: int) -> int | None:
    """Where the list ends of which `count` elements begin at `start`: before the usual tail, if that is it.

    What lies between must read as just that many elements; else the elements are read to find out.
    """
    closing = line.find(tail, start)
    try:
        between: JsonValue = from_json(b"[%s]" % line[start:closing]) if closing >= 0 else None
    except ValueError:
        between = None
    if isinstance(between, list) and len(between) == count:
        return closing
    return _closing(line, start)


def _closing(line: bytes, start: int) -> int | None:
    """Where the list ends whose next element begins at `start`; `None` where that cannot be told."""
    try:
        text = "[" + line[start:].decode()
        _, end = _decoder.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return start - 1 + len(text[: end - 1].encode())


def _list_at(value: JsonValue, path: _Path) -> list[JsonValue]:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, list) else []
