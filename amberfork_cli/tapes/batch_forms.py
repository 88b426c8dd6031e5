"""How providers write the lines of a batch: what is sent, and what comes back.

- OpenAI's, which Groq, Together, Mistral and others take as well: `custom_id` with `body`, often with
  `method` and `url`; back come `response` with status and body, or `error`.
- Anthropic's: `custom_id` with `params`; back comes `result` with its `type` and a `message` or an `error`.
- Gemini's: `key` with `request`; back come `response` or `error`.
- Vertex's: `request`, for Claude with `custom_id`; `response`, `status` and `processed_time` join the line.
- Bedrock's: `recordId` with `modelInput`; `modelOutput` or `error` join the line.

As described at platform.openai.com/docs/guides/batch, docs.mistral.ai/capabilities/batch,
platform.claude.com/docs/en/api/go/messages/batches, ai.google.dev/gemini-api/docs/batch-api,
cloud.google.com/vertex-ai/generative-ai/docs/multimodal/batch-prediction-from-cloud-storage,
cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude-batch and
docs.aws.amazon.com/bedrock/latest/userguide/batch-inference-results.html.

Where a line does not name the model, the place of the model in the path is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from amberfork_cli.core.tape import ABSENT, Body, JsonValue, Request, Response
from amberfork_cli.tapes.imports import imported_request, imported_response
from amberfork_cli.tapes.reading import ShapeError

Line: TypeAlias = Mapping[str, JsonValue]
Rest: TypeAlias = dict[str, JsonValue]

IDS: Final = ("custom_id", "key")
"""The members by which a request and its result are known to belong together."""


@dataclass(frozen=True, slots=True)
class BatchForm:
    """One provider's lines.

    `asks` and `answers` tell what a line is, which may be both. `request` gives what was sent; `response`
    what came back, if anything did, and what else the line says. Both raise ShapeError.
    """

    asks: Callable[[Line], bool]
    answers: Callable[[Line], bool]
    request: Callable[[Line], Request]
    response: Callable[[Line], tuple[Response | None, Rest]]


def asked_in(value: JsonValue) -> BatchForm | None:
    """The form of a line that holds a request, `None` for any other."""
    return next((form for form in _FORMS if isinstance(value, dict) and form.asks(value)), None)


def answered_in(value: JsonValue) -> BatchForm | None:
    """The form of a line that holds a result and no request, `None` for any other."""
    if not isinstance(value, dict) or asked_in(value) is not None or "request" in value or "body" in value:
        return None
    return next((form for form in _FORMS if form.answers(value)), None)


def _is_named(line: Line, name: str = "custom_id") -> bool:
    return isinstance(line.get(name), str)


def _holds(line: Line, name: str) -> bool:
    return isinstance(line.get(name), dict)


def _without(line: Line, *names: str) -> Rest:
    return {name: value for name, value in line.items() if name not in names}


def _posted(path: str, body: JsonValue) -> Request:
    return imported_request("POST", path, (), Body.json(body))


def _whole(value: JsonValue) -> Response | None:
    """An answer that came without a status: an object that says something."""
    return imported_response(None, (), Body.json(value)) if isinstance(value, dict) and value else None


def _openai_request(line: Line) -> Request:
    method, url, body = line.get("method", "POST"), line.get("url"), line["body"]
    if url is None and isinstance(body, dict) and "messages" in body:
        url = "/v1/chat/completions"  # Mistral and Together say where it goes when the batch is made
    if not isinstance(method, str) or not isinstance(url, str):
        raise ShapeError('not a batch request: no "url"')
    return imported_request(method, url, (), Body.json(body))


def _openai_response(line: Line) -> tuple[Response | None, Rest]:
    value, rest = line.get("response"), _without(line, "method", "url", "body", "response")
    if value is None:
        return None, rest
    if not isinstance(value, dict):
        raise ShapeError("not the result of a batch: the response is no object", "/response")
    status, body = value.get("status_code"), value.get("body")
    if status is not None and type(status) is not int:
        raise ShapeError("not the result of a batch: the status is no whole number", "/response/status_code")
    answer = imported_response(status, (), _openai_body(body))
    identity = value.get("request_id")
    return (answer if identity is None else replace(answer, extra={"request_id": identity})), rest


def _openai_body(value: JsonValue) -> Body:
    if value is None or value == "":
        return ABSENT
    return Body.text(value) if isinstance(value, str) else Body.json(value)


def _anthropic_response(line: Line) -> tuple[Response | None, Rest]:
    result, rest = line.get("result"), _without(line, "params", "result")
    if result is None:
        return None, rest
    if not isinstance(result, dict):
        raise ShapeError("not the result of a batch: the result is no object", "/result")
    response = _whole(result.get("message"))
    said = _without(result, "message") if response is None else _without(result, "message", "type")
    return response, {**rest, **said}


def _is_body(value: JsonValue) -> bool:
    """Whether this is what is sent to Google, and not the request of an exchange."""
    if not isinstance(value, dict) or "method" in value or "path" in value:
        return False
    return any(name in value for name in ("contents", "content", "messages"))


def _google_request(line: Line) -> Request:
    body = line["request"]
    asked: Line = body if isinstance(body, dict) else {}
    if "messages" in asked:
        return _posted("/v1/publishers/anthropic/models/:rawPredict", body)
    act = "generateContent" if "contents" in asked else "embedContent"
    model = asked.get("model")
    name = model.removeprefix("models/") if isinstance(model, str) else ""
    models = "/v1beta/models" if "key" in line else "/v1/publishers/google/models"
    return _posted(f"{models}/{name}:{act}", body)


def _google_response(line: Line) -> tuple[Response | None, Rest]:
    return _whole(line.get("response")), _without(line, "request", "response")


def _bedrock_request(line: Line) -> Request:
    from amberfork_cli.core.dialects import dialect_of  # which most tapes are read without

    body = line["modelInput"]
    dialect = dialect_of("", body)
    act = "converse" if dialect is not None and dialect.name == "bedrock-converse" else "invoke"
    return _posted(f"/model//{act}", body)


def _bedrock_response(line: Line) -> tuple[Response | None, Rest]:
    return _whole(line.get("modelOutput")), _without(line, "modelInput", "modelOutput")


_FORMS: Final = (
    BatchForm(
        lambda line: _is_named(line) and "body" in line,
        lambda line: _is_named(line) and ("response" in line or "error" in line),
        _openai_request,
        _openai_response,
    ),
    BatchForm(
        lambda line: _is_named(line) and _holds(line, "params"),
        lambda line: _is_named(line) and "result" in line,
        lambda line: _posted("/v1/messages", line["params"]),
        _anthropic_response,
    ),
    BatchForm(
        lambda line: _is_body(line.get("request")),
        lambda line: _is_named(line, "key") and (_holds(line, "response") or _holds(line, "error")),
        _google_request,
        _google_response,
    ),
    BatchForm(lambda line: _holds(line, "modelInput"), lambda _: False, _bedrock_request, _bedrock_response),
)
