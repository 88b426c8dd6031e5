"""What the spans of a trace say of a call to a model, in the shape of OpenAI's chat completions.

Four families of attributes are read: OpenTelemetry's `gen_ai.*`, as messages in one attribute or as events,
which Pydantic AI lists in an attribute; OpenLLMetry's numbered `gen_ai.prompt.0.role`; OpenInference's
`llm.input_messages.0.message.role`; the AI SDK's `ai.prompt.messages`. As they are described at
opentelemetry.io/docs/specs/semconv/gen-ai, github.com/Arize-ai/openinference/tree/main/spec and
ai-sdk.dev/docs/ai-sdk-core/telemetry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from amberfork_cli.core.tape import JsonValue
from amberfork_cli.tapes.span_messages import (
    Attributes,
    Object,
    call,
    first,
    is_prose,
    items,
    message_in_parts,
    messages_of,
    numbered,
    open_inference,
    plain_message,
    spelled,
)

_CALLS: Final = frozenset({"chat", "text_completion", "generate_content", "completion"})
_AI_SDK_CALL: Final = re.compile(r".*\.do(?:Generate|Stream)")
_MODELS: Final = (
    "gen_ai.request.model",
    "llm.model_name",
    "ai.model.id",
    "gen_ai.response.model",
    "llm.request.model",
)
_EVENT: Final = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_CHOICE: Final = "gen_ai.choice"
_DETAILS: Final = "gen_ai.client.inference.operation.details"
_SETTINGS: Final = {
    "gen_ai.request.temperature": "temperature",
    "gen_ai.request.top_p": "top_p",
    "gen_ai.request.top_k": "top_k",
    "gen_ai.request.max_tokens": "max_tokens",
    "gen_ai.request.frequency_penalty": "frequency_penalty",
    "gen_ai.request.presence_penalty": "presence_penalty",
    "gen_ai.request.stop_sequences": "stop",
    "gen_ai.request.seed": "seed",
    "gen_ai.request.choice.count": "n",
}
_SENT: Final = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
_RECEIVED: Final = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
)


def is_call(attributes: Attributes) -> bool:
    """Whether a span is a call to a model, and not one of a tool, a chain or a whole agent."""
    kind, operation = attributes.get("openinference.span.kind"), attributes.get("ai.operationId")
    if kind is not None:
        return kind == "LLM"
    if isinstance(operation, str):
        return _AI_SDK_CALL.fullmatch(operation) is not None
    operation = attributes.get("gen_ai.operation.name", attributes.get("llm.request.type"))
    if operation is not None:
        return isinstance(operation, str) and operation in _CALLS
    if "gen_ai.input.messages" in attributes:
        return "gen_ai.output.messages" in attributes or "gen_ai.request.model" in attributes
    return any(name.startswith(("gen_ai.prompt.", "llm.prompts.")) for name in attributes)


def asked_and_answered(
    attributes: Attributes, events: Iterable[tuple[str, Attributes]]
) -> tuple[Object, Object | None, bool]:
    """The body of the request, that of the response if there is one, and whether the messages are there."""
    said = [
        (name, held) for name, held in (*events, *_listed_events(attributes)) if name.startswith("gen_ai.")
    ]
    details = {key: value for name, held in said if name == _DETAILS for key, value in held.items()}
    known: Attributes = {**attributes, **details}
    given = _given(known, said)
    body: Object = {"model": model} if (model := first(known, _MODELS)) is not None else {}
    if given is not None:
        body["messages"] = given
    tools = _tools(known)
    if tools:
        body["tools"] = tools
    body.update(_settings(known))
    return body, _response(known, _choices(known, said)), given is not None


def _given(known: Attributes, said: list[tuple[str, Attributes]]) -> list[JsonValue] | None:
    """The messages that were sent, from whichever family there is."""
    listed = messages_of(known.get("gen_ai.input.messages"))
    if listed is not None:
        prompts = spelled(first(known, ("gen_ai.system_instructions", "gen_ai.system.instructions")))
        system: Object = {"role": "system", "parts": prompts}
        return [*(message_in_parts(system) if isinstance(prompts, list) else []), *listed]
    for prefix in ("gen_ai.prompt", "llm.prompts"):
        one_by_one = numbered(known, prefix)
        if one_by_one:
            return [plain_message(one) for one in one_by_one]
    one_by_one = numbered(known, "llm.input_messages")
    if one_by_one:
        return [open_inference(one) for one in one_by_one]
    listed = messages_of(known.get("ai.prompt.messages"))
    if listed is not None:
        return listed
    spoken: list[JsonValue] = [
        plain_message({"role": found[1], **_event(held)})
        for name, held in said
        if (found := _EVENT.fullmatch(name))
    ]
    return spoken or None


def _choices(known: Attributes, said: list[tuple[str, Attributes]]) -> list[JsonValue]:
    """What was answered."""
    listed = spelled(known.get("gen_ai.output.messages"))
    if is_prose(listed):
        listed = [{"role": "assistant", "content": listed}]
    if isinstance(listed, list):
        answers = [spelled(one) for one in listed]
        return [
            _choice(index, message, one.get("finish_reason") if isinstance(one, dict) else None)
            for index, one in enumerate(answers)
            for message in message_in_parts(one)[:1]
        ]
    for prefix in ("gen_ai.completion", "llm.completions"):
        one_by_one = numbered(known, prefix)
        if one_by_one:
            return [
                _choice(index, plain_message(one), one.get("finish_reason"))
                for index, one in enumerate(one_by_one)
            ]
    one_by_one = numbered(known, "llm.output_messages")
    if one_by_one:
        return [_choice(index, open_inference(one), None) for index, one in enumerate(one_by_one)]
    if any(name in known for name in ("ai.response.text", "ai.response.toolCalls", "ai.response.object")):
        return [_choice(0, _ai_sdk_answer(known), known.get("ai.response.finishReason"))]
    choices = [_event(held) for name, held in said if name == _CHOICE]
    return [_of_choice_event(held, index) for index, held in enumerate(choices)]


def _response(known: Attributes, choices: list[JsonValue]) -> Object | None:
    if not choices:
        return None
    body: Object = {"object": "chat.completion", "choices": choices}
    for name, member in (("gen_ai.response.id", "id"), ("gen_ai.response.model", "model")):
        if name in known:
            body[member] = known[name]
    counts = {"prompt_tokens": first(known, _SENT), "completion_tokens": first(known, _RECEIVED)}
    usage: Object = {name: count for name, count in counts.items() if type(count) is int}
    reasons = items(spelled(known.get("gen_ai.response.finish_reasons")))
    for choice, reason in zip(choices, reasons, strict=False):
        if isinstance(choice, dict) and choice["finish_reason"] is None:
            choice["finish_reason"] = reason
    return {**body, "usage": usage} if usage else body


def _choice(index: int, message: JsonValue, reason: JsonValue) -> JsonValue:
    return {"index": index, "message": message, "finish_reason": reason}


def _of_choice_event(held: Object, index: int) -> JsonValue:
    message = spelled(held.get("message"))
    inner = message if isinstance(message, dict) else held
    number = held.get("index")
    return _choice(
        number if type(number) is int else index,
        plain_message({"role": "assistant", **inner}),
        held.get("finish_reason"),
    )


def _ai_sdk_answer(known: Attributes) -> JsonValue:
    """The one answer of the AI SDK: a text, or an object in the place of it, and calls."""
    calls: list[JsonValue] = [
        call(one.get("toolCallId"), one.get("toolName"), first(one, ("args", "input")))
        for one in items(spelled(known.get("ai.response.toolCalls")))
        if isinstance(one, dict)
    ]
    said: Object = {"role": "assistant", "content": first(known, ("ai.response.text", "ai.response.object"))}
    return {**said, "tool_calls": calls} if calls else said


def _event(held: Attributes) -> Object:
    """What an event says, in its attributes or in one of them."""
    content = spelled(held.get("gen_ai.event.content"))
    said = content if isinstance(content, dict) else held
    return {name: value for name, value in said.items() if not name.startswith(("gen_ai.", "event."))}


def _listed_events(attributes: Attributes) -> list[tuple[str, Attributes]]:
    """The events that Pydantic AI lists in an attribute."""
    listed = [one for one in items(spelled(attributes.get("events"))) if isinstance(one, dict)]
    return [(name, one) for one in listed if isinstance(name := one.get("event.name"), str)]


def _settings(known: Attributes) -> Object:
    """What the request says beside its messages."""
    given = spelled(known.get("llm.invocation_parameters"))
    others: Object = given if isinstance(given, dict) else {}
    own: Object = {member: known[name] for name, member in _SETTINGS.items() if known.get(name) is not None}
    return {**{name: value for name, value in others.items() if name not in _ELSEWHERE}, **own}


_ELSEWHERE: Final = frozenset({"model", "messages", "input", "tools", "functions"})


def _tools(known: Attributes) -> list[JsonValue]:
    """The tools that were offered."""
    defined = spelled(known.get("gen_ai.tool.definitions"))
    if isinstance(defined, list):
        return [_tool(spelled(one)) for one in defined]
    schemas = [spelled(one.get("tool.json_schema")) for one in numbered(known, "llm.tools")]
    if schemas:
        return schemas
    parameters = spelled(known.get("model_request_parameters"))
    offered = items(parameters.get("function_tools")) if isinstance(parameters, dict) else []
    listed = items(spelled(known.get("ai.prompt.tools"))) or offered
    return [_tool(spelled(one)) for one in (*listed, *map(dict, numbered(known, "llm.request.functions")))]


def _tool(value: JsonValue) -> JsonValue:
    held: Object = value if isinstance(value, dict) else {}
    if "function" in held:
        return held
    kept: Object = {name: value for name, value in held.items() if name in ("name", "description")}
    schema = spelled(first(held, ("parameters", "inputSchema", "parameters_json_schema")))
    return {"type": "function", "function": {**kept, "parameters": schema}}
