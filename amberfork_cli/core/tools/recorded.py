"""What a recorded tool result may have been before some framework wrote it into a request.

A tool returned a value; what stands on the tape is text, parts, a block of JSON or an object around it, as
the provider and the framework wanted it. Each way back is one reading. None is taken that could turn one
value into another: text counts as a Python literal only where Python would write that literal so, and `"5"`
never becomes 5 unless all there ever was is text.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from amberfork_cli.core import jsontext
from amberfork_cli.core.tape import JsonValue, LeftOut
from amberfork_cli.core.tools.results import to_json
from amberfork_cli.errors import JsonError

LONGEST_LITERAL: Final = 1_000_000  # characters; Python's parser is slow and hungry
_MOST_WRAPPERS = 3


class Via(StrEnum):
    """One step of the way from what was recorded back to a value."""

    VALUE = "the same value"
    TEXT = "the same text"
    STR = "str() of it"
    JSON = "JSON"
    LITERAL = "a Python literal"
    PARTS = "text parts"
    UNWRAPPED = "unwrapped"


@dataclass(frozen=True, slots=True)
class Reading:
    """What was recorded, read in one way.

    `value` is a value with its type, or, where `is_text` holds, text that any value may have been made into.
    `items` are the texts of several parts, for a tool that returned a list of as many.
    """

    value: JsonValue
    is_text: bool
    via: tuple[Via, ...] = ()
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """Every reading of one result, the nearest first; `opaque` where it holds images or other parts."""

    readings: tuple[Reading, ...]
    opaque: bool = False

    @property
    def error(self) -> str | None:
        """What it says went wrong, where its form or its first words say that something did."""
        for reading in self.readings:
            if (said := _error_member(reading.value)) is not None:
                return said
            if reading.is_text and isinstance(reading.value, str) and _ERROR.search(reading.value):
                return reading.value
        return None

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that it may have been."""
        return tuple(
            reading.value for reading in self.readings if reading.is_text and isinstance(reading.value, str)
        )


def read_recorded(content: JsonValue) -> Recorded:
    """The readings of a result's content: text, parts of any provider, or an object."""
    return Recorded(tuple(_read(content, _MOST_WRAPPERS)), _is_opaque(content))


def container_in(text: object) -> dict[str, JsonValue] | list[JsonValue] | None:
    """The object or array that a text spells in JSON, `None` where it spells none."""
    value = _parsed(text) if isinstance(text, str) and text.lstrip()[:1] in ("{", "[") else None
    return value if isinstance(value, (dict, list)) else None


def words_of(value: JsonValue) -> str:
    """All the text in a value, one string a line."""
    if isinstance(value, str):
        return value
    parts: Sequence[JsonValue] = ()
    if isinstance(value, dict):
        parts = list(value.values())
    elif isinstance(value, list):
        parts = value
    return "\n".join(words for words in map(words_of, parts) if words)


_ERROR = re.compile(
    r"^\s*(?:an error occurred|\d+ validation errors?\b|traceback \(most recent|tool call(?:ing)? failed"
    r"|error(?:\s*:| executing| calling| invoking| while| in\b)|[a-z_.]*(?:error|exception):"
    r")|fix the errors and try again",
    re.IGNORECASE,
)
_TEXT_TYPES = (None, "text", "input_text", "output_text")
_OPAQUE_KEYS = ("image", "video", "document", "source", "inlineData", "fileData")
_WRAPPERS = ({"result"}, {"output"})
_OBJECT_WRAPPERS = ({"return_value"}, {"response"}, {"content"}, {"content", "isError"})


def _read(content: JsonValue, wrappers: int) -> Iterator[Reading]:
    """The readings of a content as a provider takes it: text, a list of parts, or an object."""
    if isinstance(content, str):
        yield from _of_text(content, wrappers)
        return
    yield from _of_value(content, wrappers)
    if isinstance(content, list):
        yield from _of_parts(content, wrappers)


def _of_value(value: JsonValue, wrappers: int) -> Iterator[Reading]:
    """The readings of a value that was recorded with its type: a list in it is a list, text is text."""
    yield Reading(value, is_text=False, via=(Via.VALUE,))
    if isinstance(value, dict):
        yield from _unwrapped(value, wrappers, (*_WRAPPERS, *_OBJECT_WRAPPERS))


def _of_text(text: str, wrappers: int) -> Iterator[Reading]:
    yield Reading(text, is_text=True)
    via, value = Via.JSON, _parsed(text)
    if value is _NOTHING:
        via, value = Via.LITERAL, _literal(text)
    if value is _NOTHING:
        return
    yield Reading(value, is_text=False, via=(via,))
    if isinstance(value, str) and (inner := container_in(value)) is not None:
        yield Reading(inner, is_text=False, via=(via, Via.JSON))
    if isinstance(value, dict):
        yield from (_by(via, reading) for reading in _unwrapped(value, wrappers, _WRAPPERS))


def _of_parts(parts: list[JsonValue], wrappers: int) -> Iterator[Reading]:
    if not parts:  # what MCP makes of None
        yield Reading(None, is_text=False, via=(Via.PARTS,))
        return
    contents = [_part(part) for part in parts]
    if any(content is _NOTHING for content in contents):
        return
    if len(contents) == 1:
        read = _of_value if "json" in _keys(parts[0]) else _read
        yield from (_by(Via.PARTS, reading) for reading in read(contents[0], wrappers))
        return
    texts = [content for content in contents if isinstance(content, str)]
    if len(texts) == len(contents) and not any("json" in _keys(part) for part in parts):
        yield Reading(None, is_text=True, via=(Via.PARTS,), items=tuple(texts))
        yield from (_by(Via.PARTS, reading) for reading in _read("\n".join(texts), wrappers))
        yield from (_by(Via.PARTS, reading) for reading in _read("".join(texts), wrappers))
    elif all("json" in _keys(part) for part in parts):
        yield Reading(contents, is_text=False, via=(Via.PARTS,))


def _keys(part: JsonValue) -> frozenset[str]:
    return frozenset(part) if isinstance(part, dict) else frozenset()


def _part(part: Any) -> Any:
    """The content of one part: OpenAI's and Anthropic's text, Bedrock's text or JSON, Cohere's document."""
    if not isinstance(part, dict):
        return _NOTHING
    if part.get("type") in _TEXT_TYPES and isinstance(part.get("text"), str):
        return part["text"]
    if part.keys() == {"json"}:
        return part["json"]
    document = part.get("document")
    if part.get("type") == "document" and isinstance(document, dict) and "data" in document:
        return document["data"]
    return _NOTHING


def _unwrapped(value: dict[str, JsonValue], wrappers: int, known: Sequence[set[str]]) -> Iterator[Reading]:
    """What an object holds that only wraps it; amberfork's own envelope keeps types, so its text is text."""
    if wrappers == 0:
        return
    if value.get("ok") is True and "data" in value and value.keys() <= {"ok", "data", "durationMs"}:
        yield Reading(value["data"], is_text=False, via=(Via.UNWRAPPED,))
    elif any(value.keys() == names for names in known):
        name = next(name for name in value if name != "isError")
        is_content = isinstance(value[name], str) or name == "content"  # MCP's holds parts
        read = _read if is_content else _of_value
        yield from (_by(Via.UNWRAPPED, reading) for reading in read(value[name], wrappers - 1))


def _by(via: Via, reading: Reading) -> Reading:
    return replace(reading, via=(via, *reading.via))


def _is_opaque(content: JsonValue) -> bool:
    """Whether it is a list of parts, some of which hold no text."""
    if not isinstance(content, list):
        return False
    unread = [part for part in content if _part(part) is _NOTHING]
    return bool(unread) and all(isinstance(part, dict) and _is_part(part) for part in content)


def _is_part(part: dict[str, JsonValue]) -> bool:
    return isinstance(part.get("type"), str) or any(key in part for key in (*_OPAQUE_KEYS, "text", "json"))


def _error_member(value: JsonValue) -> str | None:
    """The error of amberfork's envelope, or of Gemini's object by its convention."""
    if isinstance(value, dict) and "error" in value:
        refused = value.get("ok") is False and value.keys() <= {"ok", "error", "details", "durationMs"}
        if refused or value.keys() == {"error"}:
            return words_of(value["error"])
    return None


class _Nothing:
    """No value at all; JSON's null is one."""


_NOTHING: Any = _Nothing()


def _parsed(text: str) -> Any:
    try:
        return jsontext.loads(text)
    except JsonError:
        return _parsed_with_nan(text) if "NaN" in text or "Infinity" in text else _NOTHING


def _parsed_with_nan(text: str) -> Any:
    """What Python's own json writes for a number that is none, as `results` names it."""
    left_out = LeftOut()
    try:
        value = jsontext.loads(text, left_out=left_out)
    except JsonError:
        return _NOTHING
    return _NOTHING if left_out.duplicate_keys else to_json(value)[0]


def _literal(text: str) -> Any:
    """The list, tuple, dict or set that Python would write just so."""
    from ast import literal_eval

    text = text.strip()
    if text[:1] not in ("[", "(", "{") or len(text) > LONGEST_LITERAL:
        return _NOTHING
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the escapes in somebody else's text
            value = literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return _NOTHING
    if not isinstance(value, (list, tuple, dict, set)) or repr(value) != text:
        return _NOTHING
    data, lossy = to_json(value)
    return _NOTHING if lossy else data
