"""Putting together values that a stream sends in pieces. Nothing that is put in is changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from amberfork_cli.core.jsontext import loads
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import JsonError

JsonObject: TypeAlias = "dict[str, JsonValue]"

_WRITTEN_ONCE = frozenset({"role", "id", "type", "name", "index", "format"})


def accumulate(target: JsonObject, piece: Mapping[str, JsonValue]) -> None:
    """Add a piece to what has come so far: texts and lists go on, objects are joined, the rest is replaced.

    Some servers write a role or a name again in every piece: of those, the first counts.
    """
    waiting = [(target, piece)]
    while waiting:
        into, part = waiting.pop()
        for key, value in part.items():
            if isinstance(value, dict):
                inner = into.get(key)
                if not isinstance(inner, dict):
                    inner = into[key] = {}
                waiting.append((inner, value))
            else:
                into[key] = _joined(key, into.get(key), value)


def _joined(key: str, old: JsonValue, new: JsonValue) -> JsonValue:
    if new is None or (key in _WRITTEN_ONCE and old not in (None, "")):
        return old
    if isinstance(new, str) and isinstance(old, str):
        return old + new
    if isinstance(new, list):
        return [*old, *new] if isinstance(old, list) else list(new)
    return new


def without(value: Mapping[str, JsonValue], keys: Iterable[str]) -> JsonObject:
    """A copy of an object without some of its members."""
    return {key: child for key, child in value.items() if key not in keys}


def known(value: Mapping[str, JsonValue]) -> JsonObject:
    """A copy of an object without the members that are null."""
    return {key: child for key, child in value.items() if child is not None}


def in_order(numbered: Mapping[int, JsonObject]) -> list[JsonValue]:
    """The values of a numbered collection, by number."""
    return [numbered[number] for number in sorted(numbered)]


def number_of(value: JsonValue, fallback: int) -> int:
    """An index as a stream writes it; where it writes none, the fallback."""
    return value if isinstance(value, int) and not isinstance(value, bool) else fallback


def parsed(text: str) -> JsonValue:
    """The value that a text of JSON spells; the text itself where it stops before its end."""
    try:
        return loads(text)
    except JsonError:
        return text
