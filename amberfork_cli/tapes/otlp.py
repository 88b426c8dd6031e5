"""Traces in OTLP's JSON, as collectors and exporters write them: one document, or one a line.

A span that is a call to a model is an exchange, put together from its attributes and events. Where two
libraries watched the same call, the inner span is nearer to what was sent, and the outer one left aside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from amberfork_cli.core.tape import Body, Exchange, JsonValue, Request, Response
from amberfork_cli.tapes.formats import ForeignFormat, Recording
from amberfork_cli.tapes.har import MISSING
from amberfork_cli.tapes.imports import UPSTREAM
from amberfork_cli.tapes.reading import Reading, ShapeError
from amberfork_cli.tapes.sessions import SYNTHETIC, text_member
from amberfork_cli.tapes.spans import Attributes, Object, asked_and_answered, is_call

_SPANS: Final = ("resourceSpans", "resource_spans")
_SCOPES: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_TOO_LATE: Final = 1 << 68  # nanoseconds; a time after the year 9999


@dataclass(frozen=True, slots=True)
class _Call:
    """A span that is a call to a model: when it began and ended, in nanoseconds, and what it says."""

    began: int
    ended: int
    trace: str
    span: str
    request: Request
    answer: Object | None

    def exchange(self, number: int) -> Exchange:
        extra: Object = {SYNTHETIC: True, "trace": self.trace, "span": self.span}
        if 0 < self.ended < _TOO_LATE:
            extra["recorded_at"] = datetime.fromtimestamp(self.ended / 1e9, UTC).isoformat()
        response = None if self.answer is None else Response(body=Body.json(self.answer))
        return Exchange(number, self.request, response, extra=extra)


def _exchanges(recording: Recording, reading: Reading) -> Iterator[Exchange]:
    calls: list[_Call] = []
    parents: dict[tuple[str, str], str] = {}
    for line, value in recording.values(reading):
        for span in _spans(value, line, reading):
            parents[_id(span, "traceId"), _id(span, "spanId")] = _id(span, "parentSpanId")
            attributes = _attributes(span.get("attributes"))
            if is_call(attributes):
                calls.append(_call(span, attributes))
    outer = _outer({(call.trace, call.span) for call in calls}, parents)
    inner = [call for call in calls if (call.trace, call.span) not in outer]
    _tell(inner, len(calls) - len(inner), reading)
    for number, call in enumerate(sorted(inner, key=lambda call: call.began)):
        yield call.exchange(number)


def _spans(value: JsonValue, line: int, reading: Reading) -> Iterator[Object]:
    """Every span of a document; a document of another kind, such as one of metrics, has none."""
    if not isinstance(value, dict) or not any(isinstance(value.get(name), list) for name in _SPANS):
        reading.pass_over(ShapeError('not a trace: no list "resourceSpans"'), line, torn=False)
        return
    for resource in _objects(value, _SPANS):
        for scope in _objects(resource, _SCOPES):
            yield from _objects(scope, ("spans",))


def _call(span: Object, attributes: Attributes) -> _Call:
    events = [
        (text_member(event, "name") or "", _attributes(event.get("attributes")))
        for event in _objects(span, ("events",))
    ]
    body, answer, complete = asked_and_answered(attributes, events)
    extra: Object = {} if complete else {MISSING: True}
    address = attributes.get("server.address")
    if isinstance(address, str) and address:
        extra[UPSTREAM] = f"//{address}"
    return _Call(
        _nanoseconds(span.get("startTimeUnixNano")),
        _nanoseconds(span.get("endTimeUnixNano")),
        _id(span, "traceId"),
        _id(span, "spanId"),
        Request("POST", "/v1/chat/completions", body=Body.json(body), extra=extra),
        answer,
    )


def _outer(calls: set[tuple[str, str]], parents: dict[tuple[str, str], str]) -> set[tuple[str, str]]:
    """The calls that another call stands inside."""
    found: set[tuple[str, str]] = set()
    for trace, span in calls:
        seen = {span}
        parent = parents.get((trace, span), "")
        while parent and parent not in seen:
            if (trace, parent) in calls:
                found.add((trace, parent))
            seen.add(parent)
            parent = parents.get((trace, parent), "")
    return found


def _tell(calls: list[_Call], outer: int, reading: Reading) -> None:
    missing = sum(MISSING in call.request.extra for call in calls)
    if missing:
        spans = "1 call has" if missing == 1 else f"{missing:,} calls have"
        reading.tell_once(f"{spans} no messages: the trace was made without them", about="missing bodies")
    if outer:
        spans = "1 call stands" if outer == 1 else f"{outer:,} calls stand"
        reading.tell_once(f"{spans} around another call, and left aside", about="outer calls")


def _attributes(value: JsonValue) -> Object:
    """Attributes as a mapping."""
    pairs = [pair for pair in value if isinstance(pair, dict)] if isinstance(value, list) else []
    return {
        name: _plain(pair.get("value")) for pair in pairs if (name := text_member(pair, "key")) is not None
    }


def _plain(value: JsonValue, depth: int = 0) -> JsonValue:
    """The value that OTLP wraps in the name of its type."""
    if not isinstance(value, dict) or depth > 50:
        return None
    for name, held in value.items():
        inner = held.get("values") if isinstance(held, dict) else None
        if name == "arrayValue":
            return [_plain(one, depth + 1) for one in inner] if isinstance(inner, list) else []
        if name == "kvlistValue":
            pairs = [pair for pair in inner if isinstance(pair, dict)] if isinstance(inner, list) else []
            return {text_member(pair, "key") or "": _plain(pair.get("value"), depth + 1) for pair in pairs}
        if name == "intValue" and isinstance(held, str):  # 64 bits, which JavaScript has no numbers for
            return int(held) if held.lstrip("-").isdecimal() and len(held) <= 20 else held
        return held
    return None


def _objects(holder: Object, names: tuple[str, ...]) -> Iterator[Object]:
    listed = next((holder[name] for name in names if isinstance(holder.get(name), list)), [])
    yield from (one for one in (listed if isinstance(listed, list) else []) if isinstance(one, dict))


def _id(span: Object, name: str) -> str:
    return text_member(span, name) or ""


def _nanoseconds(value: JsonValue) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 20:
        return int(value)
    return value if type(value) is int else 0


def _fits(value: JsonValue) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in _SPANS)


OTLP: Final = ForeignFormat("otlp", "a trace in OTLP's JSON", _exchanges, _fits)
