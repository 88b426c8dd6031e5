"""Looking into JSON values that may not have the shape they should.

Tapes hold what was sent, and some of that was wrong. Nothing here raises: what is not there reads as `None`,
as no text, or as no elements.
"""

from __future__ import annotations

from collections.abc import Iterator

from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue


def member(value: JsonValue, *keys: str) -> JsonValue:
    """The member at the end of a chain of keys, or `None` where the chain breaks."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def member_at(value: JsonValue, path: Path) -> JsonValue:
    """The value at a path of keys, or `None` where nothing stands there."""
    return member(value, *(key for key in path if isinstance(key, str)))


def present(value: JsonValue, *keys: str) -> str | None:
    """The first of these keys that an object has, whatever its value."""
    return next((key for key in keys if isinstance(value, dict) and key in value), None)


def string(value: JsonValue) -> str | None:
    """The value, if it is a string."""
    return value if isinstance(value, str) else None


def elements(value: JsonValue, path: Path = ()) -> Iterator[tuple[Path, JsonValue]]:
    """Each element with its path; an object or a string in place of a list is a list of one."""
    if isinstance(value, list):
        for index, element in enumerate(value):
            yield (*path, index), element
    elif isinstance(value, (dict, str)):
        yield path, value


def objects(value: JsonValue, path: Path = ()) -> Iterator[tuple[Path, dict[str, JsonValue]]]:
    """Each element that is an object, with its path."""
    for where, element in elements(value, path):
        if isinstance(element, dict):
            yield where, element


def last(value: JsonValue) -> JsonValue:
    """The last element of a list, or `None`."""
    return value[-1] if isinstance(value, list) and value else None


def text_of(content: JsonValue) -> str:
    """The words of a content: the string itself, or those of its text parts, a line each.

    Of what was spoken they are the transcript. What the model thought is left out where its part is marked
    as a thought.
    """
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, (_words(part) for _, part in elements(content))))


def _words(part: JsonValue) -> str:
    if isinstance(part, dict):
        if part.get("thought") is True:
            return ""
        return string(part.get("text")) or string(part.get("transcript")) or ""
    return part if isinstance(part, str) else ""
