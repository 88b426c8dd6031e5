"""Recordings that amberfork cannot read, known well enough to be called by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from amberfork_cli.core.tape import JsonValue


def foreign_value(value: JsonValue) -> str | None:
    """What the first JSON value of a source shows it to be."""
    return next((name for name, fits in _VALUES if fits(value)), None)


def foreign_text(lines: Iterable[bytes]) -> str | None:
    """What the first lines of a source, none of which is JSON, show it to be."""
    text = b"".join(lines)
    return next((name for name, pattern in _TEXTS if pattern.match(text)), None)


def _has(value: JsonValue, name: str, kind: type) -> bool:
    return isinstance(value, dict) and isinstance(value.get(name), kind)


def _is_list_of_exchanges(value: JsonValue) -> bool:
    return isinstance(value, list) and bool(value) and _has(value[0], "request", dict)


_VALUES: Final[tuple[tuple[str, Callable[[JsonValue], bool]], ...]] = (
    ("a JSON list of exchanges", _is_list_of_exchanges),
)
_TEXTS: Final[tuple[tuple[str, re.Pattern[bytes]], ...]] = (
    ("YAML", re.compile(rb"(%YAML |---\s)")),
    ("an event stream", re.compile(rb"(event|data): ")),
    ("a web page", re.compile(rb"(?i)<(!doctype|html)")),
    ("a zip archive", re.compile(rb"PK\x03\x04")),
    ("a SQLite database", re.compile(rb"SQLite format 3\0")),
    ("UTF-16 text", re.compile(rb"\xff\xfe|\xfe\xff")),
)
