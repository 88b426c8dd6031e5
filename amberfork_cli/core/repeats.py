"""Read the lines of a tape, parsing of each only what the lines before it do not have.

Every request of an agent repeats the conversation so far, byte for byte, and around it the same tools and
settings, so a tape is nearly all repetition. Where a line repeats what is known, that is left out, a mark is
put in place of the messages, the rest is parsed, and the values that were read before are put back in. The
mark's place in what was parsed proves that the bytes stood where a body and its messages stand; where it does
not prove it, the line is parsed whole.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from json import JSONDecoder
from typing import TypeAlias

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.id_rules import HISTORIES
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import JsonError

_MOST = 8  # so many conversations may be interleaved
_MOST_BYTES = 2 << 20
_LEAST = 1024  # bytes that two lines must have in common before one looks for what they have
_PATIENCE = 8  # such looks in a row may be in vain
_NEEDLE = 48  # bytes by which a place is found
_MARK = -(10**60 // 9)  # a whole number can be spelled in one way only, so a look for its text finds it
_MARK_TEXT = jsontext.dumps(_MARK)

_Path: TypeAlias = tuple[str, ...]
_Members: TypeAlias = dict[str, JsonValue]
_Ends: TypeAlias = tuple[tuple[int, int], ...]
"""Some of the places in the text of messages at which one ends, each with the number of messages up to it."""

_PATHS: tuple[_Path, ...] = tuple(
    (*holder, name) for holder in (("request", "body"), ()) for name in HISTORIES
)
_OPENINGS = {name: re.compile(rb'"%s"\s*:\s*\[' % name.encode()) for name in HISTORIES}
_BODY = re.compile(rb'"body"\s*:\s*(?=\{)')
_OBJECT = re.compile(rb"\s*(?=\{)")
_BETWEEN = re.compile(r"[ \t\n\r,]*")
_decoder = JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around the messages of a body, and the path to them.

    `opening` is the text from the brace of the body to the bracket of the list, `closing` that from the
    closing bracket to the end of the body; `before` and `behind` are the members in them.
    """

    path: _Path
    opening: bytes
    before: _Members
    closing: bytes
    behind: _Members

    @property
    def worthwhile(self) -> bool:
        """Whether it pays to know this where the messages are new."""
        return len(self.opening) + len(self.closing) >= _LEAST


@dataclass(frozen=True, slots=True, eq=False)
class _Repeat:
    """The messages of a line: their text without brackets, their values, and the text that comes behind."""

    around: _Around
    text: bytes
    messages: list[JsonValue]
    ends: _Ends
    tail: bytes

    def __len__(self) -> int:
        return len(self.text)


@dataclass(frozen=True, slots=True)
class _Beginning:
    """Where in a line the messages begin, the text to parse up to there, and the members left out of it.

    Not `complete` if merely the name of the messages was found, and what is before it is not as it was.
    """

    at: int
    text: bytes
    lacks: _Members
    complete: bool = True


@dataclass(frozen=True, slots=True)
class _Known:
    """The messages that a line has up to `at`, known from a repeat.

    Where a repeat is known in part only, one wants to know more closely where messages end.
    """

    repeat: _Repeat
    beginning: _Beginning
    at: int
    messages: list[JsonValue]
    ends: _Ends
    closely: bool = False


class RepeatReader:
    """Reads one line after another. Values of different lines share what they repeat.

    What it gives must not be changed, since other lines may hold the same objects.
    """

    def __init__(self) -> None:
        self._repeats: list[_Repeat] = []
        self._latest: tuple[bytes, _Path, list[JsonValue]] | None = None
        self._patience = _PATIENCE

    def loads(self, line: bytes) -> JsonValue:
        """The value of the line, as `jsontext.loads` gives it; raises what that raises."""
        for known in self._matches(line) if len(line) >= _LEAST else ():
            found = _spliced(line, known)
            if found is not None:
                value, grown = found
                self._keep(known, grown)
                if known.beginning.complete:
                    self._patience = _PATIENCE
                else:
                    self._latest = line, known.repeat.around.path, grown.messages
                return value
        value = jsontext.loads(line)
        for path in _PATHS:
            if messages := _list_at(value, path):
                self._latest = line, path, messages
                break
        return value

    def _matches(self, line: bytes) -> Iterator[_Known]:
        """What the line seems to repeat: all of a conversation, else some of one, else what stands around."""
        beginnings = _Beginnings(line)
        candidates: list[tuple[_Repeat, _Beginning]] = []
        for repeat in chain(self._learned(line), tuple(self._repeats)):
            beginning = beginnings.of(repeat.around)
            if beginning is None:
                continue
            if line.startswith(repeat.text, beginning.at):
                at = beginning.at + len(repeat.text)
                yield _Known(repeat, beginning, at, repeat.messages, repeat.ends)
            candidates.append((repeat, beginning))
        partly = [known for one in candidates if (known := _renewed(line, *one) or _common(line, *one))]
        yield from sorted(partly, key=lambda known: known.at)[-1:]
        for repeat, beginning in candidates:
            if beginning.complete and repeat.around.worthwhile:
                yield _Known(repeat, beginning, beginning.at, [], ())
                return

    def _learned(self, line: bytes) -> Iterator[_Repeat]:
        """What the last line that was parsed whole holds, if this line seems to repeat some of it."""
        if self._latest is None or not self._patience:
            return
        before, path, messages = self._latest
        start, other = _body_start(before, path), _body_start(line, path)
        if start is None or other is None or before[start : start + _LEAST] != line[other : other + _LEAST]:
            return
        self._latest = None
        self._patience -= 1
        learned = _learned(before, start, path, messages)
        if learned:
            yield learned

    def _keep(self, used: _Known, grown: _Repeat) -> None:
        """Put what a line has grown to in place of what it repeated: the latest first, and as many as fit."""
        repeats = self._repeats
        if used.repeat in repeats and 2 * len(used.messages) >= len(used.repeat.messages):
            repeats.remove(used.repeat)  # else it is another conversation
        repeats.insert(0, grown)
        while len(repeats) > _MOST or (len(repeats) > 1 and sum(map(len, repeats)) > _MOST_BYTES):
            repeats.pop()


def _body_start(line: bytes, path: _Path) -> int | None:
    """Where the body seems to begin that has messages at that path."""
    found = _BODY.search(line) if len(path) > 1 else _OBJECT.match(line)
    return found.end() if found else None


def _learned(line: bytes, start: int, path: _Path, messages: list[JsonValue]) -> _Repeat | None:
    """What may be repeated of a line that was parsed whole; `None` if its body does not begin at `start`."""
    opening = _OPENINGS[path[-1]].search(line, start)
    closing = _closing(line, opening.end()) if opening else None
    if opening is None or closing is None:
        return None
    around = _around(path, line[start : opening.end()], line[closing:])
    beginning = _Beginnings(line).of(around) if around else None
    if around is None or beginning is None:
        return None
    text = line[opening.end() : closing]
    ends = ((len(text), len(messages)),)
    repeat = _Repeat(around, text, messages, ends, line[closing : closing + _NEEDLE])
    known = _Known(repeat, beginning, closing, messages, ends)
    return repeat if _spliced(line, known) else None  # they may be another member's


def _around(path: _Path, opening: bytes, rest: bytes) -> _Around | None:
    """What stands around messages, from the text up to them and that from their closing bracket on."""
    try:
        text = '{"":0' + rest[1:].decode()
        _, end = _decoder.raw_decode(text)
        closing = b"]" + text[5:end].encode()
        before = jsontext.loads(opening + b"0]}")
        behind = jsontext.loads(b'{"":0' + closing[1:])
    except (JsonError, ValueError, RecursionError):
        return None
    if not isinstance(before, dict) or not isinstance(behind, dict) or before.pop(path[-1], None) != [0]:
        return None
    del behind[""]
    return _Around(path, opening, before, closing, behind)


class _Beginnings:
    """Where messages begin in a line, by what stands around them; each is looked for once."""

    def __init__(self, line: bytes) -> None:
        self._line = line
        self._by_around: dict[int, _Beginning | None] = {}
        self._by_name: dict[str, _Beginning | None] = {}

    def of(self, around: _Around) -> _Beginning | None:
        """Where messages begin that have this before them, or at least the name of the member."""
        key = id(around)
        if key not in self._by_around:
            self._by_around[key] = self._complete(around) or self._by_its_name(around.path[-1])
        return self._by_around[key]

    def _complete(self, around: _Around) -> _Beginning | None:
        at = self._line.find(around.opening[:_NEEDLE])
        if at < 0 or not self._line.startswith(around.opening, at):
            return None
        text = b'%b{"%b":[' % (self._line[:at], around.path[-1].encode())
        return _Beginning(at + len(around.opening), text, around.before)

    def _by_its_name(self, name: str) -> _Beginning | None:
        if name not in self._by_name:
            found = _OPENINGS[name].search(self._line)
            self._by_name[name] = (
                _Beginning(found.end(), self._line[: found.end()], {}, complete=False) if found else None
            )
        return self._by_name[name]


def _renewed(line: bytes, repeat: _Repeat, beginning: _Beginning) -> _Known | None:
    """What a line repeats but for the first message: system prompts tell the time, mostly at one length."""
    start, first = beginning.at, _first_end(line, repeat, beginning.at)
    rest = b"" if first is None else repeat.text[first:]
    if first is None or not rest or not line.startswith(rest, start + first):
        return None
    renewed = _elements(line[start : start + first])
    if renewed is None or len(renewed) != 1:
        return None
    ends = ((first, 1), *(end for end in repeat.ends if end[1] > 1))
    at = start + len(repeat.text)
    return _Known(repeat, beginning, at, renewed + repeat.messages[1:], ends)


def _first_end(line: bytes, repeat: _Repeat, start: int) -> int | None:
    """Where the first message of a repeat ends, unless the line is clearly of another conversation."""
    end, count = repeat.ends[0]
    if count == 1:
        return end
    last = repeat.text[max(end - _NEEDLE, 0) : end]
    if not line.startswith(last, start + end - len(last)):
        return None
    return next(_ends(repeat.text[:end], repeat.messages), None)


def _common(line: bytes, repeat: _Repeat, beginning: _Beginning) -> _Known | None:
    """What a line repeats before it goes on otherwise: cache hints move, and histories are cut."""
    text, start, ends = repeat.text, beginning.at, repeat.ends
    if not line.startswith(text[: ends[0][0]], start):
        if not line.startswith(text[: len(text) // 2], start):  # it is another conversation
            return None
        ends = tuple((end, count) for count, end in enumerate(_ends(text, repeat.messages), start=1))
    same = bisect_left(ends, True, key=lambda end: not line.startswith(text[: end[0]], start))
    if not same:
        return None
    end, count = ends[same - 1]
    return _Known(repeat, beginning, start + end, repeat.messages[:count], ends[:same], closely=True)


def _spliced(line: bytes, known: _Known) -> tuple[JsonValue, _Repeat] | None:
    """The line's value from what it repeats and what it adds, and its messages to be repeated in turn.

    `None` where the line does not repeat that, or it cannot be told.
    """
    at = known.at
    follows = line[at : at + 1]
    if known.messages and follows not in (b",", b"]"):
        return None
    at += bool(known.messages)
    added = ([], known.at) if follows == b"]" else _added(line, at, known)
    if added is None or (follows == b"," and not added[0]):
        return None
    more, closing = added
    messages = known.messages + more
    value = _completed(line, closing, known, messages) if messages else None
    if value is None:
        return None
    start = known.beginning.at
    text = line[start:closing]
    ends = (*known.ends, *_ends_of(text, at - start, known, more))
    tail = line[closing : closing + _NEEDLE]
    return value, _Repeat(known.repeat.around, text, messages, ends, tail)


def _added(line: bytes, start: int, known: _Known) -> tuple[list[JsonValue], int] | None:
    """The elements from `start` on, and where their list ends: before the usual tail, if that is it."""
    closing: int | None = line.find(known.repeat.tail, start)
    found = _elements(line[start:closing]) if closing != -1 else None
    if found is None and known.messages:  # else it is faster to read the line as it stands
        closing = _closing(line, start)
        found = None if closing is None else _elements(line[start:closing])
    return None if found is None or closing is None else (found, closing)


def _completed(line: bytes, closing: int, known: _Known, messages: list[JsonValue]) -> JsonValue | None:
    """The line's value, of which only what is around the messages is still unknown, or some of that."""
    around, beginning = known.repeat.around, known.beginning
    name = around.path[-1]
    rest, behind = line[closing:], _Members()
    if rest.startswith(around.closing):
        rest, behind = b"]}" + rest[len(around.closing) :], around.behind
    text = beginning.text + _MARK_TEXT + rest
    if text.count(_MARK_TEXT) != 1:
        return None
    try:
        value = jsontext.loads(text)
    except JsonError:  # what is wrong, and where, is told by reading the line as it stands
        return None
    body = _at(value, around.path[:-1])
    if not isinstance(body, dict) or body.get(name) != [_MARK]:
        return None
    members = {**beginning.lacks, **body, **behind}
    if len(members) < len(beginning.lacks) + len(body) + len(behind):  # a name stands there twice
        return None
    members[name] = messages
    return _with(value, around.path[:-1], members)


def _with(value: JsonValue, path: _Path, members: _Members) -> JsonValue:
    """The value with these members at the path, where an object stands."""
    holder = _at(value, path[:-1])
    if not path or not isinstance(holder, dict):
        return members
    holder[path[-1]] = members
    return value


def _ends_of(text: bytes, start: int, known: _Known, more: list[JsonValue]) -> Iterator[tuple[int, int]]:
    """The ends of the messages that begin at `start`: each, or the last if that will do."""
    before, count = len(known.messages), len(more)
    if known.closely:
        ends = (start + end for end in _ends(text[start:], more))
        yield from zip(ends, range(before + 1, before + count), strict=False)
    if count:
        yield len(text), before + count


def _ends(text: bytes, elements: list[JsonValue]) -> Iterator[int]:
    """Where each of the elements ends that a text lists, as far as that can be told."""
    at = 0
    for element in elements:
        spelled = jsontext.dumps(element)
        if not text.startswith(spelled, at):
            yield from _ends_read(text, at)
            return
        yield at + len(spelled)
        at += len(spelled) + 1


def _ends_read(text: bytes, start: int) -> Iterator[int]:
    """The same for what is spelled otherwise than it would be written; elements begin at `start`."""
    decoded = text[start:].decode()
    at, end = 0, start
    try:
        while found := _BETWEEN.match(decoded, at):
            _, after = _decoder.raw_decode(decoded, found.end())
            end += len(decoded[at:after].encode())
            at = after
            yield end
    except (ValueError, RecursionError):
        return


def _closing(line: bytes, start: int) -> int | None:
    """Where the list ends whose next element begins at `start`; `None` where that cannot be told."""
    try:
        text = "[" + line[start:].decode()
        _, end = _decoder.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return start - 1 + len(text[: end - 1].encode())


def _elements(text: bytes) -> list[JsonValue] | None:
    """The elements that a text lists, `None` where it does not."""
    try:
        found = jsontext.loads(b"[%b]" % text)
    except JsonError:
        return None
    return found if isinstance(found, list) else None


def _list_at(value: JsonValue, path: _Path) -> list[JsonValue]:
    found = _at(value, path)
    return found if isinstance(found, list) else []


def _at(value: JsonValue, path: _Path) -> JsonValue:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value
