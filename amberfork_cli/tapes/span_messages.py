"""The messages that spans hold, in the shape of OpenAI's chat completions.

Four ways to write one are read: OpenTelemetry's, in parts; OpenLLMetry's and that of events, whose members
are those of a message; OpenInference's, whose parts are attributes; the AI SDK's, whose content is parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from amberfork_cli.core.jsontext import dumps, loads
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import JsonError

Attributes: TypeAlias = Mapping[str, JsonValue]
Object: TypeAlias = dict[str, JsonValue]

_RESULTS: Final = ("tool_call_response", "tool-result")
_CALLS: Final = ("tool_call", "tool-call")


def messages_of(value: JsonValue) -> list[JsonValue] | None:
    """The messages that one attribute lists, as JSON, as text that spells it, or as a list of such texts.

    A text that is no JSON is what the user said. `None` where there is nothing, or JSON that was cut off.
    """
    listed = spelled(value)
    if is_prose(listed):
        return [{"role": "user", "content": listed}]
    if not isinstance(listed, list):
        return None
    return [message for one in listed for message in message_in_parts(spelled(one))]


def message_in_parts(value: JsonValue) -> list[JsonValue]:
    """The messages that one is: results of tools are messages of their own."""
    message = value if isinstance(value, dict) else {}
    listed = message.get("parts", message.get("content"))
    if not isinstance(listed, list) or not any(_kind(part) for part in listed):
        return [plain_message(message)]
    parts = [part for part in listed if isinstance(part, dict)]
    results: list[JsonValue] = [_result(part) for part in parts if _kind(part) in _RESULTS]
    calls: list[JsonValue] = [_call_in_part(part) for part in parts if _kind(part) in _CALLS]
    others = [part for part in parts if _kind(part) not in (*_RESULTS, *_CALLS)]
    if results and not calls and not others:
        return results
    said: Object = {"role": message.get("role"), "content": _content(others)}
    return [*results, {**said, "tool_calls": calls} if calls else said]


def plain_message(held: Attributes) -> JsonValue:
    """A message whose calls are numbered attributes, or a list."""
    kept = ("role", "content", "tool_call_id", "name", "refusal")
    message: Object = {name: held[name] for name in kept if name in held}
    message["content"] = _spelled_list(message.get("content"))
    if message.get("role") == "tool" and "tool_call_id" not in message and "id" in held:
        message["tool_call_id"] = held["id"]
    listed = [
        call(one.get("id"), one.get("name"), one.get("arguments")) for one in numbered(held, "tool_calls")
    ]
    calls = listed or [
        call(one.get("id"), *_function(one))
        for one in items(spelled(held.get("tool_calls")))
        if isinstance(one, dict)
    ]
    return {**message, "tool_calls": calls} if calls else message


def open_inference(held: Attributes) -> JsonValue:
    """A message whose every part is a numbered attribute."""
    own = {name.removeprefix("message."): value for name, value in held.items()}
    calls: Object = {}
    for index, one in enumerate(numbered(own, "tool_calls")):
        calls[f"tool_calls.{index}.id"] = one.get("tool_call.id")
        calls[f"tool_calls.{index}.name"] = one.get("tool_call.function.name")
        calls[f"tool_calls.{index}.arguments"] = one.get("tool_call.function.arguments")
    contents: list[JsonValue] = [
        {name.removeprefix("message_content."): value for name, value in part.items()}
        for part in numbered(own, "contents")
    ]
    kept = ("role", "content", "tool_call_id", "name")
    plain: Object = {name: own[name] for name in kept if name in own}
    return plain_message({**plain, **({"content": contents} if contents else {}), **calls})


def call(name: JsonValue, function: JsonValue, arguments: JsonValue) -> JsonValue:
    """A call, whose arguments are text."""
    return {
        "id": name,
        "type": "function",
        "function": {"name": function, "arguments": "" if arguments is None else text_of(arguments)},
    }


def numbered(held: Attributes, prefix: str) -> list[Attributes]:
    """The attributes `prefix.0.x`, `prefix.1.x` …, for each number a mapping of the rest of their names."""
    found: dict[int, Object] = {}
    for name, value in held.items():
        if name.startswith(prefix + "."):
            number, _, rest = name[len(prefix) + 1 :].partition(".")
            if number.isdecimal() and number.isascii() and len(number) < 10:
                found.setdefault(int(number), {})[rest] = value
    return [found[number] for number in sorted(found)]


def first(held: Attributes, names: Iterable[str]) -> JsonValue:
    """The first of these attributes that says something."""
    return next((held[name] for name in names if held.get(name) is not None), None)


def spelled(value: JsonValue) -> JsonValue:
    """What a text spells; a value that is no JSON text stays what it is."""
    if not isinstance(value, str):
        return value
    try:
        return loads(value)
    except JsonError:
        return value


def is_prose(value: JsonValue) -> bool:
    """Whether a text is meant as it stands, and is not JSON that was cut off."""
    return isinstance(value, str) and bool(value) and not value.lstrip().startswith(("[", "{"))


def items(value: JsonValue) -> list[JsonValue]:
    """The items of a list; anything else has none."""
    return value if isinstance(value, list) else []


def text_of(value: JsonValue) -> str:
    """A text as it is, any other value as JSON."""
    return value if isinstance(value, str) else dumps(value).decode()


def _kind(part: JsonValue) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    return kind if isinstance(kind, str) else ""


def _result(part: Object) -> JsonValue:
    """What a tool gave back; the AI SDK says of what type it is."""
    value = first(part, ("response", "result", "output"))
    if _kind(part) == "tool-result" and isinstance(value, dict) and "value" in value:
        value = value["value"]
    return {"role": "tool", "tool_call_id": first(part, ("id", "toolCallId")), "content": text_of(value)}


def _call_in_part(part: Object) -> JsonValue:
    arguments = first(part, ("arguments", "args", "input"))
    return call(first(part, ("id", "toolCallId")), first(part, ("name", "toolName")), arguments)


def _content(parts: list[Object]) -> JsonValue:
    """One text as text; several parts, or others than text, as a list."""
    written: list[JsonValue] = [
        {"type": "text", "text": _words(part)} if _kind(part) == "text" else part for part in parts
    ]
    if not parts:
        return None
    return _words(parts[0]) if len(parts) == 1 and _kind(parts[0]) == "text" else written


def _words(part: Object) -> JsonValue:
    return part.get("content", part.get("text"))


def _function(value: Object) -> tuple[JsonValue, JsonValue]:
    function = value.get("function", value)
    return (function.get("name"), function.get("arguments")) if isinstance(function, dict) else (None, None)


def _spelled_list(value: JsonValue) -> JsonValue:
    """A content that is a list of parts, written as text; any other stays as it is."""
    if isinstance(value, str) and value.startswith("[{"):
        parts = spelled(value)
        return parts if isinstance(parts, list) else value
    return value
