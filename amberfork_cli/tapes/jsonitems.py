"""Read the items of one list in a JSON document one by one, so that a file of any size needs little memory.

The document is cut where an item ends, which takes no parsing, and each item is parsed alone. What stands
around the list is put together and parsed when the items are through, so that nothing passes for JSON which
is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from amberfork_cli.core.paths import to_pointer
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import JsonError
from amberfork_cli.tapes.reading import Reading, ShapeError

Names: TypeAlias = tuple[str, ...]
_Search: TypeAlias = Callable[[bytes, int], "re.Match[bytes] | None"]

_QUOTE: Final = ord('"')
_OPENING, _CLOSING = b"{[", b"}]"
_BRACKET: Final = re.compile(rb'["\[\]{}]').search
_BRACKET_OR_COMMA: Final = re.compile(rb'["\[\]{},]').search
_NO_SPACE: Final = re.compile(rb"[^ \t\r\n]").search
_COLON: Final = re.compile(rb"[ \t\r\n]*+:[ \t\r\n]*+").match
_ENDS: Final = "the text ends where {} should stand"


@dataclass(frozen=True, slots=True)
class JsonItem:
    """One item, the line of the file on which it begins, and the JSON Pointer to it."""

    line: int
    pointer: str
    value: JsonValue


class JsonItems:
    """The items of the first list that one of `paths` leads to, through objects alone.

    `around` is the document with nothing in that list, complete when the items have been read; without such a
    list it is the document. Raises JsonError, whose lines count from the first of the document, which is
    number `begins` of the file. Lenient reading leaves items out that are no JSON, and what stands behind a
    cut.
    """

    def __init__(
        self, pieces: Iterable[bytes], reading: Reading, *, paths: Collection[Names], begins: int = 1
    ) -> None:
        self.around: JsonValue = None
        self.found = False
        self._text, self._reading = _Text(pieces), reading
        self._paths, self._before = paths, begins - 1

    def __iter__(self) -> Iterator[JsonItem]:
        head, path = self._head()
        if path is None:
            self.around = self._reading.document(head)
            return
        self.found = True
        yield from self._items(to_pointer(path))
        self._tail(head)

    def _head(self) -> tuple[bytes, Names | None]:
        """The text up to and with the bracket that opens the list, and its path; without one, all of it."""
        text, head = self._text, []
        path: list[str] = []
        while True:
            head.append(text.space())
            opening = text.peek()
            if opening == b"[" and tuple(path) in self._paths:
                head.append(text.take(1))
                return b"".join(head), tuple(path)
            if opening == b"{" and self._leads_on(path):
                head.append(text.take(1))
            elif path:
                head.append(text.take(text.value()))
                path.pop()
            else:
                break
            name = self._next_name(head, path)
            if name is None:
                break
            path.append(name)
        head.append(text.rest())
        return b"".join(head), None

    def _leads_on(self, path: list[str]) -> bool:
        return any(len(one) > len(path) and one[: len(path)] == tuple(path) for one in self._paths)

    def _next_name(self, head: list[bytes], path: list[str]) -> str | None:
        """The next member's name, in the innermost object that has one; `None` where none follows."""
        text = self._text
        while True:
            head.append(text.space())
            sign = text.peek()
            if sign == b"}" and path:
                head.append(text.take(1))
                path.pop()
            elif sign == b",":
                head.append(text.take(1))
            elif sign == b'"':
                found = text.name()
                head.append(text.take(len(found)))
                return self._spelled(found)
            else:
                return None

    def _spelled(self, name: bytes) -> str | None:
        if not name:
            return None
        try:
            value = self._reading.document(name.rstrip(b" \t\r\n").removesuffix(b":"))
        except JsonError:
            return None
        return value if isinstance(value, str) else None

    def _items(self, pointer: str) -> Iterator[JsonItem]:
        text, index = self._text, 0
        text.space()
        if text.peek() == b"]":
            text.take(1)
            return
        while True:
            line, column = text.line, text.column
            raw = text.take(text.value())
            try:
                yield JsonItem(self._before + line, f"{pointer}/{index}", self._value(raw))
            except JsonError as error:
                self._pass_over(error, line, column, f"{pointer}/{index}")
            del raw
            text.space()
            sign = text.peek()
            if sign not in (b",", b"]"):
                self._stop(_ENDS.format("a comma") if not sign else "no comma between two items")
                return
            text.take(1)
            if sign == b"]":
                return
            text.space()
            index += 1

    def _value(self, raw: bytes) -> JsonValue:
        if not raw:
            raise JsonError("a value should stand here", line=1, column=1)
        return self._reading.document(raw)

    def _pass_over(self, error: JsonError, line: int, column: int, pointer: str) -> None:
        """Note an item that is no JSON; what the end of the text cuts off is noted by `_stop`."""
        column = error.column + column - 1 if error.line == 1 else error.column
        placed = JsonError(
            error.problem, line=line + error.line - 1, column=column, path=pointer + error.path
        )
        if not self._reading.lenient:
            raise placed from error
        if self._text.peek():
            self._reading.pass_over(placed, self._before + placed.line, torn=False)

    def _stop(self, problem: str) -> None:
        """Note that the text ends, or is broken, between two items; raises JsonError unless lenient."""
        self._stop_at(problem, self._text.line, self._text.column)

    def _stop_at(self, problem: str, line: int, column: int, path: str = "") -> None:
        if not self._reading.lenient:
            raise JsonError(problem, line=line, column=column, path=path)
        self._reading.left_out.torn_end = (self._before + line, problem)

    def _tail(self, head: bytes) -> None:
        """Read what stands around the list; trouble behind it is told where it stands in the document."""
        if self._reading.left_out.torn_end:
            return
        line, column = self._text.line, self._text.column
        tail = self._text.rest()
        before = _Text([head + b"]"])
        before.rest()
        try:
            self.around = self._reading.document(head + b"]" + tail)
        except JsonError as error:
            if (error.line, error.column) < (before.line, before.column):
                raise
            moved = column - before.column if error.line == before.line else 0
            self._stop_at(error.problem, error.line + line - before.line, error.column + moved, error.path)


def items_of_value(document: JsonValue, paths: Collection[Names], *, line: int) -> Iterator[JsonItem]:
    """The same of a document that has been read, which lets go of each item as it is given.

    Raises ShapeError where no path leads to a list.
    """
    for path in paths:
        found = document
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        if isinstance(found, list):
            found.reverse()
            for index in range(len(found)):
                yield JsonItem(line, f"{to_pointer(path)}/{index}", found.pop())
            return
    names = " or ".join(f'"{path[-1]}"' for path in paths if path)
    raise ShapeError(f"no list of {names}" if names else "no list")


class _Text:
    """A text that is read piece by piece: what is at hand of it, and where that begins.

    Beside the text stands a mask of it, of the same length, in which nothing inside a string is escaped: so
    that a string ends at the next quotation mark, and finding it takes no pattern.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self.line = self.column = 1
        self._pieces = iter(pieces)
        self._data = self._mask = b""
        self._at = 0

    def peek(self) -> bytes:
        """The next sign; nothing at the end."""
        if self._at == len(self._data):
            self._more()
        return self._data[self._at : self._at + 1]

    def take(self, length: int) -> bytes:
        """So many bytes, which are at hand, and go past them."""
        taken = self._data[self._at : self._at + length]
        self._at += length
        lines = taken.count(b"\n")
        self.line += lines
        last = taken[taken.rindex(b"\n") + 1 :] if lines else taken
        self.column = len(last.decode("utf-8", "replace")) + (1 if lines else self.column)
        return taken

    def space(self) -> bytes:
        """The blanks that stand here, and go past them."""
        return self.take(self._to(_NO_SPACE, 0))

    def rest(self) -> bytes:
        """All that is left."""
        while self._more():
            pass
        return self.take(len(self._data) - self._at)

    def name(self) -> bytes:
        """The member name that stands here, with its colon and blanks, without going past it."""
        length = self._past_string(0)
        while (found := _COLON(self._mask, self._at + length)) is None or found.end() == len(self._mask):
            if not self._more():
                break
        return self._data[self._at : found.end()] if found else b""

    def value(self) -> int:
        """How many bytes the value has that begins here; all that is left where it has no end."""
        opening = self.peek()
        search = _BRACKET if opening and opening in _OPENING else _BRACKET_OR_COMMA
        depth = length = 0
        while (length := self._to(search, length)) < len(self._mask) - self._at:
            sign = self._mask[self._at + length]
            if sign == _QUOTE:
                length = self._past_string(length)
                continue
            if sign in _OPENING and search is _BRACKET:
                depth += 1
            else:
                depth -= 1
            if depth < 0:  # what follows a value that is no object and no list
                return length
            length += 1
            if not depth:
                return length
        return length

    def _to(self, search: _Search, start: int) -> int:
        """How far it is to what a pattern finds behind the first `start` bytes; to the end if to nothing."""
        while (found := search(self._mask, self._at + start)) is None:
            start = len(self._mask) - self._at
            if not self._more():
                return start
        return found.start() - self._at

    def _past_string(self, start: int) -> int:
        """How far it is past the string that begins after `start` bytes; to the end where it has none."""
        searched = start + 1
        while (end := self._mask.find(b'"', self._at + searched)) < 0:
            if not self._more():
                return len(self._mask) - self._at
        return end + 1 - self._at

    def _more(self) -> bool:
        """Read on, at least as much again as is at hand, so that no length of a value costs its square."""
        wanted, got = len(self._data) - self._at, [self._data[self._at :]]
        size = 0
        for piece in self._pieces:
            got.append(piece)
            size += len(piece)
            if size >= wanted:
                break
        self._data, self._at = b"".join(got), 0
        self._mask = self._data.replace(b"\\\\", b"__").replace(b'\\"', b"__")
        return size > 0
