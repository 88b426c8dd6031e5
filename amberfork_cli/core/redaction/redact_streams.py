"""Recorded streams with something taken out of the messages that they spell, event by event."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Final

from amberfork_cli.core.dialects.shapes import member, string
from amberfork_cli.core.jsontext import dumps, loads
from amberfork_cli.core.redaction.redact_values import ValueRedactor
from amberfork_cli.core.redaction.redacting import Redactor
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import JsonError

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_DATA: Final = re.compile(r"data: ?")
_FRAME: Final = re.compile(r"(?:event|id|retry):|data: ?\[DONE\]")


@dataclass(slots=True)
class _Line:
    """A line of a stream, or several that are one event: what stands before and behind its value."""

    before: str
    text: str
    after: str
    value: JsonValue = None
    wrapped: bool = False

    @property
    def written(self) -> str:
        return self.before + self.text + self.after


def redacted_stream(redactor: Redactor, values: ValueRedactor, text: str) -> str:
    """The text of an event stream, or of one JSON value a line; lines that hold neither are plain text."""
    lines = _lines(text)
    events = [line for line in lines if line.value is not None]
    old_values = [line.value for line in events]
    for line, old, new in zip(events, old_values, values.pieces(old_values), strict=True):
        if new is not old:
            line.text = _spelled(line, new)
    for line in lines:
        if line.value is None and not _FRAME.match(line.written):
            line.text = redactor.text(line.text)
    return "".join(line.written for line in lines)


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    for found in _LINE.finditer(text):
        raw = found[0].rstrip("\r\n")
        data = _DATA.match(raw)
        before = data[0] if data else ""
        line = _Line(before, raw[len(before) :], found[0][len(raw) :])
        if data and lines and lines[-1].before and lines[-1].value is None:
            _go_on(lines[-1], line)
        else:
            lines.append(line)
            _read(line)
    return lines


def _go_on(event: _Line, line: _Line) -> None:
    """Take a line for the next one of an event whose data is no value yet: several lines may be one."""
    joined = _Line(event.before, f"{event.text}{event.after}{line.before}{line.text}", line.after)
    text = f"{event.text}\n{line.text}"
    event.text, event.after = joined.text, joined.after
    event.value = _value(text)


def _read(line: _Line) -> None:
    line.value = _value(line.text)
    inner = string(member(line.value, "bytes"))
    if inner is not None:
        try:
            line.value, line.wrapped = loads(b64decode(inner, validate=True)), True
        except (JsonError, ValueError):
            return


def _value(text: str) -> JsonValue:
    """The object or array that a text spells, `None` where it spells none."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return loads(text)
    except JsonError:
        return None


def _spelled(line: _Line, value: JsonValue) -> str:
    written = dumps(value)
    if not line.wrapped:
        return written.decode(errors="surrogatepass")
    outer = loads(line.text)
    assert isinstance(outer, dict)  # noqa: S101 - it had a member
    return dumps({**outer, "bytes": b64encode(written).decode()}).decode(errors="surrogatepass")
