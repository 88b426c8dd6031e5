"""Recordings that amberfork cannot read, known well enough to be called by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from amberfork_cli.core.tape import JsonValue


@dataclass(frozen=True, slots=True)
class Unread:
    """What people call such a recording, and what of the same is read in its place, if anything is."""

    called: str
    instead: str = ""

    def __str__(self) -> str:
        but = f", but {self.instead}" if self.instead else ""
        return f"{self.called}: amberfork cannot read it yet{but}"


def foreign_value(value: JsonValue) -> Unread | None:
    """What the first JSON value of a source shows it to be."""
    return next((unread for unread, fits in _VALUES if fits(value)), None)


def foreign_text(lines: Iterable[bytes]) -> Unread | None:
    """What the first lines of a source, none of which is JSON, show it to be."""
    text = b"".join(lines)
    return next((unread for unread, pattern in _TEXTS if pattern.match(text)), None)


def _has(value: JsonValue, name: str, kind: type) -> bool:
    return isinstance(value, dict) and isinstance(value.get(name), kind)


def _is_list_of_exchanges(value: JsonValue) -> bool:
    return isinstance(value, list) and bool(value) and _has(value[0], "request", dict)


def _is_claude_stream(value: JsonValue) -> bool:
    return _has(value, "session_id", str) and _has(value, "type", str) and _has_all("subtype", "cwd")(value)


def _is_jaeger(value: JsonValue) -> bool:
    listed = value.get("data") if isinstance(value, dict) else None
    return isinstance(listed, list) and bool(listed) and _has(listed[0], "traceID", str)


def _has_all(*names: str) -> Callable[[JsonValue], bool]:
    return lambda value: isinstance(value, dict) and all(name in value for name in names)


def _is_listed(fits: Callable[[JsonValue], bool]) -> Callable[[JsonValue], bool]:
    """The same of a value alone, or of the first of a list."""
    return lambda value: fits(value[0] if isinstance(value, list) and value else value)


_SESSION: Final = "its session log, in ~/.claude/projects"
_AS_OTLP: Final = "the same as OTLP"
_VALUES: Final[tuple[tuple[Unread, Callable[[JsonValue], bool]], ...]] = (
    (Unread("a JSON list of exchanges"), _is_list_of_exchanges),
    (Unread("the output of Claude Code", _SESSION), _is_claude_stream),
    (Unread("a log of Inspect AI"), _has_all("eval", "plan", "status")),
    (Unread("an export of LangSmith"), _is_listed(_has_all("run_type", "inputs"))),
    (Unread("an export of Langfuse"), _is_listed(_has_all("traceId", "type", "input", "output"))),
    (Unread("an export of Braintrust"), _is_listed(_has_all("root_span_id", "span_attributes"))),
    (Unread("an export of Helicone"), _is_listed(_has_all("request_body", "response_body"))),
    (Unread("a trace of the OpenAI Agents SDK", _AS_OTLP), _is_listed(_has_all("span_data", "trace_id"))),
    (Unread("a trace of Jaeger", _AS_OTLP), _is_jaeger),
    (Unread("a span as a console shows it", _AS_OTLP), _is_listed(_has_all("context", "attributes", "name"))),
    (Unread("a collection of Postman"), _has_all("info", "item")),
)
_TEXTS: Final[tuple[tuple[Unread, re.Pattern[bytes]], ...]] = (
    (Unread("YAML"), re.compile(rb"(%YAML |---\s)")),
    (Unread("an event stream"), re.compile(rb"(event|data): ")),
    (Unread("a web page"), re.compile(rb"(?i)<(!doctype|html)")),
    (Unread("a zip archive"), re.compile(rb"PK\x03\x04")),
    (Unread("a SQLite database"), re.compile(rb"SQLite format 3\0")),
    (Unread("a capture of packets", "a HAR"), re.compile(rb"\xd4\xc3\xb2\xa1|\x0a\x0d\x0d\x0a")),
    (Unread("UTF-16 text"), re.compile(rb"\xff\xfe|\xfe\xff")),
)
