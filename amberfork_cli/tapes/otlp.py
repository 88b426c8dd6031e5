"""Traces in OTLP's JSON, as collectors and exporters write them: one document, or one a line.

A span that is a call to a model is an exchange, put together from its attributes and events; the events may
stand in the span or be records of a log. Where two libraries watched the same call, the inner span is nearer
to what was sent, and the outer one left aside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, TypeAlias

from amberfork_cli.core.tape import Body, Exchange, JsonValue, Request, Response
from amberfork_cli.tapes.formats import ForeignFormat, Recording
from amberfork_cli.tapes.har import MISSING
from amberfork_cli.tapes.imports import UPSTREAM
from amberfork_cli.tapes.reading import Reading, ShapeError
from amberfork_cli.tapes.sessions import SYNTHETIC, text_member
from amberfork_cli.tapes.span_messages import Attributes, Object, first, spelled
from amberfork_cli.tapes.spans import asked_and_answered, is_call

_SPANS: Final = ("resourceSpans", "resource_spans", "batches")  # the last is Tempo's
_SCOPES: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_LOGS: Final = ("resourceLogs", "resource_logs")
_LOG_SCOPES: Final = ("scopeLogs", "scope_logs")
_RECORDS: Final = ("logRecords", "log_records")
_METRICS: Final = ("resourceMetrics", "resource_metrics")
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


_Id: TypeAlias = tuple[str, str]
_Event: TypeAlias = tuple[str, Attributes]


def _exchanges(recording: Recording, reading: Reading) -> Iterator[Exchange]:
    spans: dict[_Id, tuple[Object, Attributes]] = {}
    parents: dict[_Id, str] = {}
    events: defaultdict[_Id, list[_Event]] = defaultdict(list)
    for line, value in recording.values(reading):
        for span in _spans(value, line, reading):
            parents[_id(span)] = text_member(span, "parentSpanId") or ""
            attributes = _attributes(span.get("attributes"))
            if is_call(attributes):
                spans[_id(span)] = (span, attributes)
        for record in _listed(value, _LOGS, _LOG_SCOPES, _RECORDS):
            name, said = _event(record)
            if name.startswith("gen_ai."):
                events[_id(record)].append((name, said))
                if _id(record) not in parents:
                    spans.setdefault(_id(record), (record, {}))
    outer = _outer(spans.keys(), parents)
    calls = [_call(span, held, events[at]) for at, (span, held) in spans.items() if at not in outer]
    _tell(calls, len(spans) - len(calls), reading)
    for number, call in enumerate(sorted(calls, key=lambda call: call.began)):
        yield call.exchange(number)


def _spans(value: JsonValue, line: int, reading: Reading) -> Iterator[Object]:
    """Every span of a document; a document of another kind, such as one of metrics, has none."""
    if not _has(value, (*_SPANS, *_LOGS, *_METRICS)):
        reading.pass_over(ShapeError('not a trace: no list "resourceSpans"'), line, torn=False)
    return _listed(value, _SPANS, _SCOPES, ("spans",))


def _listed(value: JsonValue, *names: tuple[str, ...]) -> Iterator[Object]:
    """The objects at the end of a path of lists, each of which may be called differently."""
    held = [value] if isinstance(value, dict) else []
    for called in names:
        held = [inner for one in held for inner in _objects(one, called)]
    return iter(held)


def _event(record: Object) -> _Event:
    """The name of an event, and what it says, in its attributes and in its body."""
    attributes, body = _attributes(record.get("attributes")), spelled(_plain(record.get("body")))
    name = text_member(record, "eventName") or text_member(attributes, "event.name") or ""
    return name, {**attributes, **(body if isinstance(body, dict) else {})}


def _call(span: Object, attributes: Attributes, logged: list[_Event]) -> _Call:
    events = [(text_member(event, "name") or "", _event(event)[1]) for event in _objects(span, ("events",))]
    body, answer, complete = asked_and_answered(attributes, [*events, *logged])
    extra: Object = {} if complete else {MISSING: True}
    address = attributes.get("server.address")
    if isinstance(address, str) and address:
        extra[UPSTREAM] = f"//{address}"
    trace, identity = _id(span)
    ended = _nanoseconds(first(span, ("endTimeUnixNano", "timeUnixNano", "observedTimeUnixNano")))
    return _Call(
        _nanoseconds(first(span, ("startTimeUnixNano", "timeUnixNano", "observedTimeUnixNano"))),
        ended,
        trace,
        identity,
        Request("POST", "/v1/chat/completions", body=Body.json(body), extra=extra),
        answer,
    )


def _outer(calls: Collection[_Id], parents: Mapping[_Id, str]) -> set[_Id]:
    """The calls that another call stands inside."""
    found: set[_Id] = set()
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


def _id(span: Object) -> _Id:
    return text_member(span, "traceId") or "", text_member(span, "spanId") or ""


def _nanoseconds(value: JsonValue) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 20:
        return int(value)
    return value if type(value) is int else 0


def _has(value: JsonValue, names: tuple[str, ...]) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in names)


def _fits(value: JsonValue) -> bool:
    return _has(value, (*_SPANS[:2], *_LOGS)) or next(_listed(value, _SPANS, _SCOPES), None) is not None


OTLP: Final = ForeignFormat("otlp", "a trace in OTLP's JSON", _exchanges, _fits)
