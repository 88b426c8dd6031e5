"""Logs of LiteLLM: its standard payload of one call, a file or a line each, or rows of its log of spendings.

What was asked is put together from the messages and the parameters of the model, and marked; where the proxy
kept the body that came to it, that is it. docs.litellm.ai/docs/proxy/logging_spec describes the payload.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from amberfork_cli.core.tape import Body, Exchange, JsonValue
from amberfork_cli.tapes.endpoints import endpoint
from amberfork_cli.tapes.formats import ForeignFormat, Recording
from amberfork_cli.tapes.imports import imported_request, imported_response
from amberfork_cli.tapes.reading import Reading, ShapeError
from amberfork_cli.tapes.sessions import SYNTHETIC, text_member
from amberfork_cli.tapes.span_messages import Object, spelled

_PATHS: Final = {
    "completion": "/v1/chat/completions",
    "text_completion": "/v1/completions",
    "responses": "/v1/responses",
    "embedding": "/v1/embeddings",
    "anthropic_messages": "/v1/messages",
}
"""Where calls of a kind go; those of asynchronous code have an `a` before it."""

_INPUTS: Final = {"/v1/completions": "prompt", "/v1/responses": "input", "/v1/embeddings": "input"}
_TOO_LATE: Final = 253402300800  # seconds; the end of the year 9999


def _exchanges(recording: Recording, reading: Reading) -> Iterator[Exchange]:
    number = others = 0
    for line, value in recording.values(reading):
        for entry in value if isinstance(value, list) else [value]:
            if not isinstance(entry, dict) or not _is_entry(entry):
                problem = 'not a log of a call: no "call_type", or neither "messages" nor a request'
                reading.pass_over(ShapeError(problem), line, torn=False)
                continue
            exchange = _exchange(entry, number)
            if exchange is None:
                others += 1
                continue
            yield exchange
            number += 1
    if others:
        calls = "1 call is" if others == 1 else f"{others:,} calls are"
        reading.tell_once(
            f"{calls} of a kind that amberfork does not know, and left out", about="other calls"
        )


def _exchange(entry: Mapping[str, JsonValue], number: int) -> Exchange | None:
    kind = str(entry["call_type"])
    path = _PATHS.get(kind) or _PATHS.get(kind.removeprefix("a"))
    if path is None:
        return None
    sent = spelled(entry.get("proxy_server_request"))
    kept = sent.get("body") if isinstance(sent, dict) else None
    body = kept if isinstance(kept, dict) and kept else _put_together(entry, path)
    extra: Object = {} if body is kept else {SYNTHETIC: True}
    extra |= _moment(entry.get("startTime"))
    answer, error = spelled(entry.get("response")), _error(entry)
    if error is not None:
        extra["error"] = error
    address = entry.get("api_base")
    upstream = endpoint(address).upstream if isinstance(address, str) else None
    request = imported_request("POST", f"{upstream or ''}{path}", (), Body.json(body))
    answered = isinstance(answer, dict) and answer and error is None
    response = imported_response(None, (), Body.json(answer)) if answered else None
    return Exchange(number, request, response, extra=extra)


def _put_together(entry: Mapping[str, JsonValue], path: str) -> Object:
    """The body that the messages and the parameters make."""
    parameters = spelled(entry.get("model_parameters"))
    others: Object = parameters if isinstance(parameters, dict) else {}
    said: Object = {
        "model": entry.get("model"),
        _INPUTS.get(path, "messages"): spelled(entry.get("messages")),
    }
    return {**said, **{name: held for name, held in others.items() if name not in said}}


def _error(entry: Mapping[str, JsonValue]) -> JsonValue:
    if entry.get("status") != "failure":
        return None
    return entry.get("error_information") or entry.get("error_str") or "failure"


def _moment(when: JsonValue) -> Object:
    """When it began: in seconds, or as ISO 8601 has it."""
    if isinstance(when, str) and when:
        return {"recorded_at": when}
    if isinstance(when, (int, float)) and not isinstance(when, bool) and 0 < when < _TOO_LATE:
        return {"recorded_at": datetime.fromtimestamp(when, UTC).isoformat()}
    return {}


def _is_entry(value: JsonValue) -> bool:
    if text_member(value, "call_type") is None or not isinstance(value, dict):
        return False
    return "response" in value and ("messages" in value or "proxy_server_request" in value)


def _fits(value: JsonValue) -> bool:
    return _is_entry(value[0] if isinstance(value, list) and value else value)


LITELLM: Final = ForeignFormat("litellm", "a log of LiteLLM", _exchanges, _fits)
