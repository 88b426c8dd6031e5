"""What the spans of a trace say of a call to a model, in the shape of OpenAI's chat completions.

Three families of attributes are read: OpenTelemetry's `gen_ai.*`, as messages in one attribute or as events;
OpenLLMetry's numbered `gen_ai.prompt.0.role`; OpenInference's numbered `llm.input_messages.0.message.role`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from amberfork_cli.core.jsontext import dumps, loads
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import JsonError

Attributes: TypeAlias = Mapping[str, JsonValue]
Object: TypeAlias = dict[str, JsonValue]

_CALLS: Final = frozenset({"chat", "text_completion", "generate_content", "completion"})
_MODELS: Final = ("gen_ai.request.model", "llm.model_name", "gen_ai.response.model", "llm.request.model")
_EVENT: Final = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_CHOICE: Final = "gen_ai.choice"
_DETAILS: Final = "gen_ai.client.inference.operation.details"


def is_call(attributes: Attributes) -> bool:
    """Whether a span is a call to a model, and not one of a tool, a chain or a whole agent."""
    if attributes.get("openinference.span.kind") is not None:
        return attributes["openinference.span.kind"] == "LLM"
    operation = attributes.get("gen_ai.operation.name", attributes.get("llm.request.type"))
    if operation is not None:
        return isinstance(operation, str) and operation in _CALLS
    return any(name.startswith(("gen_ai.prompt.", "llm.prompts.")) for name in attributes)


def asked_and_answered(
    attributes: Attributes, events: Iterable[tuple[str, Attributes]]
) -> tuple[Object, Object | None, bool]:
    """The body of the request, that of the response if there is one, and whether the messages are there."""
    said = [(name, held) for name, held in events if name.startswith("gen_ai.")]
    details = {key: value for name, held in said if name == _DETAILS for key, value in held.items()}
    known: Attributes = {**attributes, **details}
    given = _given(known, said)
    body: Object = {"model": model} if (model := _first(known, _MODELS)) is not None else {}
    if given is not None:
        body["messages"] = given
    tools = _tools(known)
    if tools:
        body["tools"] = tools
    return body, _response(known, _choices(known, said)), given is not None


def _given(known: Attributes, said: list[tuple[str, Attributes]]) -> list[JsonValue] | None:
    """The messages that were sent, from whichever family there is."""
    listed = _json(known.get("gen_ai.input.messages"))
    if isinstance(listed, list):
        prompts = _json(known.get("gen_ai.system_instructions"))
        system: list[JsonValue] = [{"role": "system", "parts": prompts}] if isinstance(prompts, list) else []
        return [message for one in (*system, *listed) for message in _of_parts(one)]
    for prefix in ("gen_ai.prompt", "llm.prompts"):
        numbered = _numbered(known, prefix)
        if numbered:
            return [_message(one) for one in numbered]
    numbered = _numbered(known, "llm.input_messages")
    if numbered:
        return [_open_inference(one) for one in numbered]
    spoken: list[JsonValue] = [
        _message({"role": found[1], **_event(held)})
        for name, held in said
        if (found := _EVENT.fullmatch(name))
    ]
    return spoken or None


def _choices(known: Attributes, said: list[tuple[str, Attributes]]) -> list[JsonValue]:
    """What was answered."""
    listed = _json(known.get("gen_ai.output.messages"))
    if isinstance(listed, list):
        return [
            _choice(index, message, one.get("finish_reason") if isinstance(one, dict) else None)
            for index, one in enumerate(listed)
            for message in _of_parts(one)[:1]
        ]
    for prefix in ("gen_ai.completion", "llm.completions"):
        numbered = _numbered(known, prefix)
        if numbered:
            answers = enumerate(numbered)
            return [_choice(index, _message(one), one.get("finish_reason")) for index, one in answers]
    numbered = _numbered(known, "llm.output_messages")
    if numbered:
        return [_choice(index, _open_inference(one), None) for index, one in enumerate(numbered)]
    choices = [_event(held) for name, held in said if name == _CHOICE]
    return [_of_choice_event(held, index) for index, held in enumerate(choices)]


def _response(known: Attributes, choices: list[JsonValue]) -> Object | None:
    if not choices:
        return None
    body: Object = {"object": "chat.completion", "choices": choices}
    for name, member in (("gen_ai.response.id", "id"), ("gen_ai.response.model", "model")):
        if name in known:
            body[member] = known[name]
    return body


def _choice(index: int, message: JsonValue, reason: JsonValue) -> JsonValue:
    return {"index": index, "message": message, "finish_reason": reason}


def _of_choice_event(held: Object, index: int) -> JsonValue:
    message = _json(held.get("message"))
    inner = message if isinstance(message, dict) else held
    number = held.get("index")
    return _choice(
        number if type(number) is int else index,
        _message({"role": "assistant", **inner}),
        held.get("finish_reason"),
    )


def _event(held: Attributes) -> Object:
    """What an event says, in its attributes or in one of them."""
    content = _json(held.get("gen_ai.event.content"))
    said = content if isinstance(content, dict) else held
    return {name: value for name, value in said.items() if not name.startswith(("gen_ai.", "event."))}


def _of_parts(value: JsonValue) -> list[JsonValue]:
    """The messages that one in parts is: results of tools are messages of their own."""
    message = value if isinstance(value, dict) else {}
    parts = [part for part in _listed(message.get("parts")) if isinstance(part, dict)]
    results: list[JsonValue] = [
        {
            "role": "tool",
            "tool_call_id": part.get("id"),
            "content": _text(part.get("response", part.get("result"))),
        }
        for part in parts
        if part.get("type") == "tool_call_response"
    ]
    calls: list[JsonValue] = [
        _call(part.get("id"), part.get("name"), part.get("arguments"))
        for part in parts
        if part.get("type") == "tool_call"
    ]
    others = [part for part in parts if part.get("type") not in ("tool_call", "tool_call_response")]
    if results and not calls and not others:
        return results
    said: Object = {"role": message.get("role"), "content": _content(others)}
    return [*results, {**said, "tool_calls": calls} if calls else said]


def _content(parts: list[Object]) -> JsonValue:
    """One text as text; several parts, or others than text, as a list."""
    written: list[JsonValue] = [
        {"type": "text", "text": part.get("content")} if part.get("type") == "text" else part
        for part in parts
    ]
    if not parts:
        return None
    return parts[0].get("content") if len(parts) == 1 and parts[0].get("type") == "text" else written


def _message(held: Attributes) -> JsonValue:
    """A message whose calls are numbered attributes, or a list."""
    kept = ("role", "content", "tool_call_id", "name", "refusal")
    message: Object = {name: held[name] for name in kept if name in held}
    message["content"] = _json_list(message.get("content"))
    if message.get("role") == "tool" and "tool_call_id" not in message and "id" in held:
        message["tool_call_id"] = held["id"]
    numbered = [
        _call(one.get("id"), one.get("name"), one.get("arguments")) for one in _numbered(held, "tool_calls")
    ]
    calls = numbered or [
        _call(one.get("id"), *_function(one))
        for one in _listed(_json(held.get("tool_calls")))
        if isinstance(one, dict)
    ]
    return {**message, "tool_calls": calls} if calls else message


def _function(call: Object) -> tuple[JsonValue, JsonValue]:
    function = call.get("function", call)
    return (function.get("name"), function.get("arguments")) if isinstance(function, dict) else (None, None)


def _open_inference(held: Attributes) -> JsonValue:
    """A message whose every part is a numbered attribute."""
    own = {name.removeprefix("message."): value for name, value in held.items()}
    calls: Object = {}
    for index, call in enumerate(_numbered(own, "tool_calls")):
        calls[f"tool_calls.{index}.id"] = call.get("tool_call.id")
        calls[f"tool_calls.{index}.name"] = call.get("tool_call.function.name")
        calls[f"tool_calls.{index}.arguments"] = call.get("tool_call.function.arguments")
    contents: list[JsonValue] = [
        {name.removeprefix("message_content."): value for name, value in part.items()}
        for part in _numbered(own, "contents")
    ]
    kept = ("role", "content", "tool_call_id", "name")
    plain: Object = {name: own[name] for name in kept if name in own}
    return _message({**plain, **({"content": contents} if contents else {}), **calls})


def _tools(known: Attributes) -> list[JsonValue]:
    """The tools that were offered."""
    defined = _json(known.get("gen_ai.tool.definitions"))
    if isinstance(defined, list):
        return [one if isinstance(one, dict) and "function" in one else _tool(one) for one in defined]
    schemas = [_json(one.get("tool.json_schema")) for one in _numbered(known, "llm.tools")]
    return schemas or [_tool(dict(one)) for one in _numbered(known, "llm.request.functions")]


def _tool(value: JsonValue) -> JsonValue:
    held = value if isinstance(value, dict) else {}
    kept: Object = {name: value for name, value in held.items() if name in ("name", "description")}
    return {"type": "function", "function": {**kept, "parameters": _json(held.get("parameters"))}}


def _call(name: JsonValue, function: JsonValue, arguments: JsonValue) -> JsonValue:
    return {
        "id": name,
        "type": "function",
        "function": {"name": function, "arguments": "" if arguments is None else _text(arguments)},
    }


def _numbered(held: Attributes, prefix: str) -> list[Attributes]:
    """The attributes `prefix.0.x`, `prefix.1.x` …, for each number a mapping of the rest of their names."""
    found: dict[int, Object] = {}
    for name, value in held.items():
        if name.startswith(prefix + "."):
            number, _, rest = name[len(prefix) + 1 :].partition(".")
            if number.isdecimal() and number.isascii() and len(number) < 10:
                found.setdefault(int(number), {})[rest] = value
    return [found[number] for number in sorted(found)]


def _first(held: Attributes, names: Iterable[str]) -> JsonValue:
    return next((held[name] for name in names if held.get(name) is not None), None)


def _json(value: JsonValue) -> JsonValue:
    """What a text spells; a value that is no JSON text stays what it is."""
    if not isinstance(value, str):
        return value
    try:
        return loads(value)
    except JsonError:
        return value


def _json_list(value: JsonValue) -> JsonValue:
    """A content that is a list of parts, written as text; any other stays as it is."""
    if isinstance(value, str) and value.startswith("[{"):
        parts = _json(value)
        return parts if isinstance(parts, list) else value
    return value


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else dumps(value).decode()
