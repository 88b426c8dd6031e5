"""A tape with fresh tool results in the place of the recorded ones, each in the recorded one's own form.

Where a result is the same, or there is no fresh one, nothing is touched; so what differs afterwards is what
the tools answer differently. A result is repeated in every later request, and replaced in each of them.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from amberfork_cli.core import jsontext
from amberfork_cli.core.dialects.calls import ResultPlace, result_places
from amberfork_cli.core.tape import Body, Exchange, JsonValue
from amberfork_cli.core.tools.comparison import Status
from amberfork_cli.core.tools.invocation import Invocation
from amberfork_cli.core.tools.run_report import CallReport, RunReport
from amberfork_cli.errors import JsonError

_REPLACED = {
    Status.CHANGED,
    Status.ERROR_NOW,
    Status.ERROR_THEN,
    Status.TIMED_OUT,
    Status.INTERRUPTED,
    Status.NOT_COMPARABLE,
}
_WRAPPERS = ("result", "output", "error")  # names by which an object only wraps a result


def refreshed(exchanges: Iterable[Exchange], report: RunReport) -> Iterator[Exchange]:
    """The exchanges that the report is about, once more, with every result that is no longer the same."""
    fresh = {(call.turn, call.planned.position): call for call in report.calls if call.status in _REPLACED}
    waiting: deque[Exchange] = deque()
    edits: list[tuple[ResultPlace, CallReport]] = []

    def passing() -> Iterator[Exchange]:
        for exchange in exchanges:
            waiting.append(exchange)
            yield exchange

    for place in result_places(passing()):
        while waiting[0].number != place.exchange:
            yield _edited(waiting.popleft(), edits)
            edits = []
        if (call := fresh.get((place.turn, place.call))) is not None:
            edits.append((place, call))
    while waiting:
        yield _edited(waiting.popleft(), edits)
        edits = []


def in_form_of(recorded: JsonValue, end: Invocation) -> JsonValue:
    """The fresh result in the form of the recorded one: text, parts or an object, as that was."""
    if isinstance(recorded, str):
        return _text(recorded, end)
    if isinstance(recorded, list):
        return _parts(recorded, end)
    if isinstance(recorded, dict):
        return _object(recorded, end)
    return end.data if end.ok else end.error


def _edited(exchange: Exchange, edits: Sequence[tuple[ResultPlace, CallReport]]) -> Exchange:
    if not edits:
        return exchange
    body: Any = exchange.request.body.value
    for place, call in edits:
        body = _changed(body, place.result.content_path, partial(in_form_of, end=call.invocation))
        body = _changed(body, place.result.path, partial(_marked, end=call.invocation))
    return replace(exchange, request=replace(exchange.request, body=Body.json(body)))


def _changed(value: Any, path: Sequence[str | int], change: Callable[[Any], Any]) -> Any:
    """The value with what stands at the path changed; everything beside it is shared, not copied."""
    if not path:
        return change(value)
    copied: Any = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = _changed(value[path[0]], path[1:], change)
    return copied


def _marked(block: JsonValue, end: Invocation) -> JsonValue:
    """The block of a result, saying whether it is an error where its provider has a member for that."""
    if not isinstance(block, dict):
        return block
    if block.get("type") == "tool_result" and (not end.ok or "is_error" in block):
        return {**block, "is_error": not end.ok}
    if "toolUseId" in block and (not end.ok or "status" in block):
        return {**block, "status": "success" if end.ok else "error"}
    return block


def _text(recorded: str, end: Invocation) -> str:
    try:
        value = jsontext.loads(recorded)
    except JsonError:
        value = None
    if isinstance(value, dict) and "ok" in value and value.keys() & {"data", "error"}:
        return _styled(recorded, value)({**end.envelope()})
    if not end.ok:
        return end.error
    if isinstance(value, dict) and len(value) == 1 and (name := next(iter(value))) in _WRAPPERS:
        wrapped = isinstance(end.data, dict) and end.data.keys() == {name}
        return _styled(recorded, value)(end.data if wrapped else {name: end.data})
    if isinstance(end.data, str) and not isinstance(value, str):
        return end.data
    if value is None and end.text is not None:
        return end.text
    literal = value is None and recorded.lstrip()[:1] in ("{", "[", "(")
    return str(end.data) if literal else _styled(recorded, value)(end.data)


def _styled(recorded: str, value: JsonValue) -> Callable[[JsonValue], str]:
    """The way of writing JSON that writes the recorded value as it was recorded; compact where none does."""
    return next((write for write in _STYLES if write(value) == recorded), _STYLES[0])


def _style(**options: Any) -> Callable[[JsonValue], str]:
    return lambda value: json.dumps(value, **options)


_STYLES: tuple[Callable[[JsonValue], str], ...] = (
    lambda value: jsontext.dumps(value).decode(),
    _style(),
    _style(ensure_ascii=False),
    _style(indent=2),
    _style(indent=2, ensure_ascii=False),
    _style(indent=4),
    _style(separators=(",", ":")),
)


def _parts(recorded: list[JsonValue], end: Invocation) -> JsonValue:
    """The first part with the fresh result in it; or each text with its own, where there are as many."""
    texts = [part for part in recorded if isinstance(part, dict) and isinstance(part.get("text"), str)]
    items = end.data if end.ok and isinstance(end.data, list) else []
    if len(texts) == len(recorded) == len(items) > 1:
        ends = [replace(end, data=item, text=None) for item in items]
        return [_part(part, one) for part, one in zip(texts, ends, strict=True)]
    first = recorded[0] if recorded else None
    return [_part(first if isinstance(first, dict) else {"type": "text", "text": ""}, end)]


def _part(part: dict[str, JsonValue], end: Invocation) -> JsonValue:
    if "json" in part and end.ok:
        return {**part, "json": end.data}
    if "json" in part:
        return {"text": end.error}
    text = part.get("text")
    return {**part, "text": _text(text if isinstance(text, str) else "", end)}


def _object(recorded: dict[str, JsonValue], end: Invocation) -> JsonValue:
    name = next(iter(recorded), "")
    wraps = len(recorded) == 1 and name in _WRAPPERS
    if not end.ok:
        return {"error": end.error}
    if wraps:
        return {"result" if name == "error" else name: end.data}
    return end.data if isinstance(end.data, dict) else {"result": end.data}
