"""JSON read step by step: the way for depth and long integers, and the one that says where a text is wrong.

A stack of its own takes the place of recursion, so that depth costs memory only. It is more than ten times
slower than the fast ways in `jsontext`, which leave to it what they refuse.
"""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder
from math import isinf
from typing import ClassVar

from amberfork_cli.core.paths import to_pointer
from amberfork_cli.core.tape import JsonValue, LeftOut
from amberfork_cli.errors import JsonError

DEEPEST = 10_000  # levels
LONGEST = 10_000  # digits of an integer; a million would take half a minute to convert

_DIGITS_AT_ONCE = 640  # Python converts so many whatever its limit for longer ones is set to

_SPACE = re.compile(r"[ \t\n\r]*").match
_FOLLOWS = re.compile(r"[ \t\n\r]*([,\]}]?)[ \t\n\r]*").match
_SCALAR = re.compile(
    r"(?:(?P<word>true|false|null|NaN|-?Infinity)"
    r"|(?P<whole>-?(?:0|[1-9][0-9]*+))(?P<fraction>(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?+))"
    r"(?![0-9A-Za-z_.+-])"
).match
_WORD = re.compile(r"[0-9A-Za-z_.+-]{1,20}").match
_WORDS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}
_STRING = JSONDecoder()


class NonFinite(float):
    """`NaN` or an infinity that stood in a text by name; orjson does not take it for a number, or null."""

    __slots__ = ()


def read(data: bytes | str, *, left_out: LeftOut | None = None) -> JsonValue:
    """The value that `data` spells, to `DEEPEST` levels.

    With `left_out`, `NaN`, infinities and the last of several members of one name are kept, and counted there
    once the whole text has been read. Raises JsonError.
    """
    kept = LeftOut()
    text = data if isinstance(data, str) else _decoded(data)
    value = _Reader(text, kept, lenient=left_out is not None).document()
    if left_out is not None:
        left_out.non_finite += kept.non_finite
        left_out.duplicate_keys += kept.duplicate_keys
    return value


class _Array:
    """A list that is being read, and the index whose value is under way."""

    __slots__ = ("step", "value")
    closing: ClassVar[str] = "]"

    def __init__(self) -> None:
        self.value: list[JsonValue] = []
        self.step: int | None = None

    def begin(self, _: _Reader) -> None:
        self.step = len(self.value)

    def add(self, value: JsonValue) -> None:
        self.value.append(value)
        self.step = None


class _Object:
    """An object that is being read, and the member whose value is under way."""

    __slots__ = ("name", "step", "value")
    closing: ClassVar[str] = "}"

    def __init__(self) -> None:
        self.value: dict[str, JsonValue] = {}
        self.name = ""
        self.step: str | None = None

    def begin(self, reader: _Reader) -> None:
        start = reader.at
        self.step = self.name = reader.name()
        if self.name in self.value:
            reader.repeated(start)
        reader.colon()

    def add(self, value: JsonValue) -> None:
        self.value[self.name] = value
        self.step = None


_KINDS: dict[str, type[_Array | _Object]] = {"[": _Array, "{": _Object}


class _Reader:
    """One text on its way to a value: where it stands, and what is open around it."""

    def __init__(self, text: str, kept: LeftOut, *, lenient: bool) -> None:
        self.text, self.kept, self.lenient = text, kept, lenient
        self.at = 0
        self.open: list[_Array | _Object] = []

    def document(self) -> JsonValue:
        """The one value of the text."""
        self._pass_space()
        if self.at == len(self.text):
            raise self.trouble("there is no JSON here: the text is empty")
        value = self._descend()
        while self.open:
            value = self._place(value)
        self._pass_space()
        if self.at < len(self.text):
            raise self.trouble("more text after the end of the value")
        return value

    def name(self) -> str:
        """The member name that stands here."""
        if not self.text.startswith('"', self.at):
            raise self.trouble(self._instead_of("a member name in double quotes"))
        return self._string()

    def colon(self) -> None:
        """Go past the colon between a name and its value."""
        self._pass_space()
        if not self.text.startswith(":", self.at):
            raise self.trouble(self._instead_of("a colon"))
        self.at += 1
        self._pass_space()

    def repeated(self, start: int) -> None:
        """Note that the name which begins at `start` was there before; trouble, unless lenient."""
        if not self.lenient:
            raise self.trouble("duplicate key", start)
        self.kept.duplicate_keys += 1

    def trouble(self, problem: str, at: int | None = None) -> JsonError:
        """What is wrong here, or at another place of the value that is under way."""
        line, column = _position(self.text, self.at if at is None else at)
        path = to_pointer(level.step for level in self.open if level.step is not None)
        return JsonError(problem, line=line, column=column, path=path)

    def _pass_space(self) -> None:
        found = _SPACE(self.text, self.at)
        self.at = found.end() if found else self.at

    def _descend(self) -> JsonValue:
        """The value that begins here, or the first one inside it that holds no other."""
        while (kind := _KINDS.get(self.text[self.at : self.at + 1])) is not None:
            level = self._opened(kind)
            if self.text.startswith(level.closing, self.at):
                self.at += 1
                return self.open.pop().value
            level.begin(self)
        return self._scalar()

    def _opened(self, kind: type[_Array | _Object]) -> _Array | _Object:
        if len(self.open) == DEEPEST:
            line, column = _position(self.text, self.at)  # its path would be as long as it is deep
            raise JsonError(f"nested deeper than {DEEPEST:,} levels", line=line, column=column)
        level = kind()
        self.open.append(level)
        self.at += 1
        self._pass_space()
        return level

    def _place(self, value: JsonValue) -> JsonValue:
        """Put a finished value where it belongs; the next one, or the container if that was its last."""
        level = self.open[-1]
        level.add(value)
        found = _FOLLOWS(self.text, self.at)
        sign = found[1] if found else ""
        if found and sign == ",":
            self.at = found.end()
            level.begin(self)
            return self._descend()
        self._pass_space()
        if sign != level.closing:
            raise self.trouble(self._instead_of(f"a comma or {level.closing}"))
        self.at += 1
        return self.open.pop().value

    def _scalar(self) -> JsonValue:
        if self.text.startswith('"', self.at):
            return self._string()
        found = _SCALAR(self.text, self.at)
        if found is None:
            raise self.trouble(self._instead_of("a value"))
        if found["word"]:
            value = self._word(found["word"])
        elif found["fraction"]:
            value = self._decimal(found[0])
        else:
            value = self._whole(found["whole"])
        self.at = found.end()
        return value

    def _word(self, word: str) -> JsonValue:
        if word in _WORDS:
            return _WORDS[word]
        if not self.lenient:
            raise self.trouble(f"{word} is no JSON value")
        self.kept.non_finite += 1
        return NonFinite(word)

    def _decimal(self, text: str) -> float:
        value = float(text)
        if isinf(value):
            raise self.trouble("a number beyond the range of a double")
        return value

    def _whole(self, text: str) -> int:
        sign, digits = (-1, text[1:]) if text[0] == "-" else (1, text)
        if len(digits) > LONGEST:
            raise self.trouble(f"an integer of {len(digits):,} digits; {LONGEST:,} are the most")
        value = 0
        for start in range(0, len(digits), _DIGITS_AT_ONCE):
            chunk = digits[start : start + _DIGITS_AT_ONCE]
            value = value * 10 ** len(chunk) + int(chunk)
        return sign * value

    def _string(self) -> str:
        try:
            value, self.at = _STRING.raw_decode(self.text, self.at)
        except JSONDecodeError as error:
            raise self.trouble(self._flaw(error.pos), error.pos) from None
        return str(value)

    def _flaw(self, at: int) -> str:
        if at == self.at:
            return "the string that begins here has no end"
        if self.text[at : at + 1] < " ":
            return "a control character inside a string must be escaped"
        return "no escape that JSON knows"

    def _instead_of(self, expected: str) -> str:
        """What is wrong with what stands here; of the text itself only harmless characters are shown."""
        if self.at == len(self.text):
            return f"the text ends where {expected} should stand"
        word = _WORD(self.text, self.at)
        if word is not None and expected == "a value":
            return f"{word[0]} is no JSON value"
        return f"{expected} should stand here"


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        line, column = _position(before, len(before))
        problem = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise JsonError(problem, line=line, column=column, path=_path_at_end(before)) from None


def _path_at_end(text: str) -> str:
    """The path of the value in the middle of which a text breaks off."""
    try:
        _Reader(text, LeftOut(), lenient=True).document()
    except JsonError as error:
        return error.path
    return ""


def _position(text: str, at: int) -> tuple[int, int]:
    """Line and column of a character, both from 1; lines end at LF only."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
